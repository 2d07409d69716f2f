"""Generic hooks around a run, in a fixed order. A hook that fails or takes too long is logged and the run goes on."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Sequence
from dataclasses import dataclass
from typing import Final, TypeVar

from beaver.agent.messages import PromptMessage
from beaver.agent.results import StopReason
from beaver.logs import get_logger

HOOK_TIMEOUT_S: Final = 5.0
_T = TypeVar("_T")


@dataclass(frozen=True)
class TurnContext:
    """The turn a hook looks at. `references` are messages placed before the history; they are never stored."""

    session_id: str
    run_id: str
    prompt: str
    history: tuple[PromptMessage, ...]
    references: tuple[PromptMessage, ...] = ()


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
    """Base of hooks: each does nothing until overridden. Hooks of one run are called one after the other."""

    async def before_prompt(self, context: TurnContext) -> TurnContext:
        """Before the first call of the provider. What it returns is what the next hook sees; only `references` is used."""
        return context

    async def after_prompt(self, context: TurnContext, output: TurnOutput) -> None:
        """After the answer is committed and out; not called for runs that failed or were cancelled."""

    async def on_tool_result(self, context: TurnContext, output: ToolOutput) -> None:
        """After a tool's result is stored."""


class MiddlewareChain:
    """Calls every hook in order, each within `timeout_s`."""

    def __init__(self, middlewares: Sequence[Middleware] = (), *, timeout_s: float = HOOK_TIMEOUT_S) -> None:
        self._middlewares = tuple(middlewares)
        self._timeout_s = timeout_s

    async def before_prompt(self, context: TurnContext) -> TurnContext:
        """The context after every hook; a hook that fails leaves it as it was."""
        for middleware in self._middlewares:
            context = await self._isolated(middleware, middleware.before_prompt(context), context)
        return context

    async def after_prompt(self, context: TurnContext, output: TurnOutput) -> None:
        """Tell every hook of the answer."""
        for middleware in self._middlewares:
            await self._isolated(middleware, middleware.after_prompt(context, output), None)

    async def on_tool_result(self, context: TurnContext, output: ToolOutput) -> None:
        """Tell every hook of a tool's result."""
        for middleware in self._middlewares:
            await self._isolated(middleware, middleware.on_tool_result(context, output), None)

    async def _isolated(self, middleware: Middleware, hook: Awaitable[_T], otherwise: _T) -> _T:
        try:
            async with asyncio.timeout(self._timeout_s):
                return await hook
        # An edge: hooks are other people's code, and no fault of theirs may cost the user the answer.
        except Exception as error:
            get_logger().warning(
                "middleware.failed", middleware=type(middleware).__name__, hook=hook_name(hook), exc_info=error
            )
            return otherwise


def hook_name(hook: Awaitable[object]) -> str:
    """The hook's name, for the log."""
    return getattr(hook, "__name__", type(hook).__name__)
