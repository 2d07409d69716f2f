"""Generic hooks around a run, in a fixed order. A hook that fails or takes too long is logged and the run goes on.

Other packages add theirs by an entry point of the group `beaver.middleware` that names a class of no arguments.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Iterable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from importlib.metadata import EntryPoint, entry_points
from typing import Any, ClassVar, Final, TypeVar

from beaver.agent.messages import PromptMessage
from beaver.agent.results import StopReason
from beaver.logs import get_logger
from beaver.sessions.records import NewEvent

ENTRY_POINTS: Final = "beaver.middleware"
HOOK_TIMEOUT_S: Final = 5.0
_T = TypeVar("_T")


@dataclass(frozen=True)
class TurnContext:
    """The turn a hook looks at.

    `references` are messages placed before the history; they are never stored. After the prompt they are all that the
    model was given so. `notes` are hidden events of the session, stored with the run's next write. `by_machine`: nobody
    typed the prompt.
    """

    session_id: str
    run_id: str
    prompt: str
    history: tuple[PromptMessage, ...]
    references: tuple[PromptMessage, ...] = ()
    notes: tuple[NewEvent, ...] = ()
    by_machine: bool = False


@dataclass(frozen=True)
class TurnOutput:
    """What a turn that completed normally came to."""

    text: str
    stop_reason: StopReason
    tools_used: tuple[str, ...]


@dataclass(frozen=True)
class ToolOutput:
    """A tool's result, as the model sees it."""

    name: str
    text: str
    is_error: bool


class Middleware:
    """Base of hooks: each does nothing until overridden. Hooks of one run are called one after the other.

    Of several middlewares the one with the lowest `order` is called first; equal ones in the order they were given.
    """

    order: ClassVar[int] = 0

    async def before_prompt(self, context: TurnContext) -> TurnContext:
        """Before the first call of the provider. What it returns is what the next hook sees.

        Only its `references` and `notes` are used; whether notes may be seen is not the hook's to say: they are hidden.
        """
        return context

    async def after_prompt(self, context: TurnContext, output: TurnOutput) -> None:
        """After the answer is committed and out; not called for runs that failed or were cancelled."""

    async def on_tool_result(self, context: TurnContext, output: ToolOutput) -> None:
        """After a tool's result is stored."""

    async def aclose(self) -> None:
        """Give back what is open, when the process stops chatting; no hook is called after it."""


class MiddlewareChain:
    """Calls every hook in order, each within `timeout_s`."""

    def __init__(self, middlewares: Sequence[Middleware] = (), *, timeout_s: float = HOOK_TIMEOUT_S) -> None:
        self._middlewares = tuple(sorted(middlewares, key=lambda middleware: middleware.order))
        self._timeout_s = timeout_s

    async def before_prompt(self, context: TurnContext) -> TurnContext:
        """The context after every hook; a hook that fails leaves it as it was."""
        for middleware in self._middlewares:
            context = await self._isolated(middleware, partial(middleware.before_prompt, context), context)
        return context

    async def after_prompt(self, context: TurnContext, output: TurnOutput) -> None:
        """Tell every hook of the answer."""
        for middleware in self._middlewares:
            await self._isolated(middleware, partial(middleware.after_prompt, context, output), None)

    async def on_tool_result(self, context: TurnContext, output: ToolOutput) -> None:
        """Tell every hook of a tool's result."""
        for middleware in self._middlewares:
            await self._isolated(middleware, partial(middleware.on_tool_result, context, output), None)

    async def aclose(self) -> None:
        """Have every middleware give back what is open, the last first."""
        for middleware in reversed(self._middlewares):
            await self._isolated(middleware, partial(middleware.aclose), None)

    async def _isolated(self, middleware: Middleware, hook: partial[Coroutine[Any, Any, _T]], otherwise: _T) -> _T:
        try:
            async with asyncio.timeout(self._timeout_s):
                return await hook()
        # An edge: hooks are other people's code, and no fault of theirs may cost the user the answer.
        except Exception as error:
            get_logger().warning(
                "middleware.failed",
                middleware=type(middleware).__name__,
                hook=getattr(hook.func, "__name__", "unknown"),
                error=type(error).__name__,
            )
            return otherwise


def installed_middlewares(group: Iterable[EntryPoint] | None = None) -> tuple[tuple[Middleware, ...], tuple[str, ...]]:
    """What other packages add, by name; and a warning for each that cannot be had, which is left out."""
    made: list[Middleware] = []
    warnings: list[str] = []
    found = _entry_points() if group is None else group
    for point in sorted(found, key=lambda point: point.name):
        middleware = _made_by(point)
        if middleware is None:
            warnings.append(f"The middleware {point.name} ({point.value}) cannot be used; the log says why.")
        else:
            made.append(middleware)
    return tuple(made), tuple(warnings)


@cache
def _entry_points() -> tuple[EntryPoint, ...]:
    """Of all that is installed, which is a hundred files to read and stays as it is while a process lives."""
    return tuple(entry_points(group=ENTRY_POINTS))


def _made_by(point: EntryPoint) -> Middleware | None:
    try:
        middleware = point.load()()
    # An edge: another package's import and constructor.
    except Exception as error:
        get_logger().warning("middleware.not_loaded", name=point.name, error=type(error).__name__)
        return None
    if isinstance(middleware, Middleware):
        return middleware
    get_logger().warning("middleware.not_loaded", name=point.name, error="no Middleware")
    return None
