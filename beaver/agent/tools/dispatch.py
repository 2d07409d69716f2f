"""Runs what a model asks for: finds the tool, checks the arguments, bounds time and size, turns faults into results."""

from __future__ import annotations

import asyncio
import difflib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from beaver.agent.messages import ToolCall, ToolSpec
from beaver.agent.tools.arguments import ArgumentChecker
from beaver.agent.tools.base import Tool, ToolContext, ToolFailure
from beaver.logs import get_logger
from beaver.redaction import Redactor
from beaver.text import replace_surrogates

RESULT_CHARACTERS_MAX: Final = 16_000
_FAULT_CHARACTERS_MAX: Final = 500


@dataclass(frozen=True)
class ToolResult:
    """What the model reads; never longer than 16,000 characters."""

    text: str
    is_error: bool

    def with_note(self, note: str | None) -> ToolResult:
        """The same result with a note at its end, still within the bound."""
        if note is None:
            return self
        return ToolResult(f"{capped(self.text, RESULT_CHARACTERS_MAX - len(note) - 2)}\n\n{note}", self.is_error)


class ToolDispatch:
    """The tools of a process. Safe to share between runs."""

    def __init__(self, tools: Sequence[Tool] = (), *, timeout_s: float = 60, redactor: Redactor | None = None) -> None:
        """Names must differ. `redactor` cleans the messages of exceptions that no tool meant for the model."""
        self._tools = {tool.spec.name: (tool, ArgumentChecker(tool.spec)) for tool in tools}
        if len(self._tools) != len(tools):
            raise ValueError("two tools have one name")
        self._timeout_s = timeout_s
        self._redactor = redactor or Redactor()

    @property
    def specs(self) -> tuple[ToolSpec, ...]:
        """The tools as a model sees them, in the order they were given."""
        return tuple(tool.spec for tool, _ in self._tools.values())

    def knows(self, name: str) -> bool:
        """Whether there is a tool of that name."""
        return name in self._tools

    async def call(self, call: ToolCall, context: ToolContext) -> ToolResult:
        """Run one call. Whatever goes wrong is a result with `is_error`; only cancellation passes through."""
        found = self._tools.get(call.name)
        if found is None:
            return ToolResult(capped(self._unknown(call.name)), is_error=True)
        tool, checker = found
        try:
            arguments = checker.check(call.arguments)
            async with asyncio.timeout(self._timeout_s) as deadline:
                return ToolResult(capped(replace_surrogates(await tool.call(arguments, context))), is_error=False)
        except ToolFailure as failure:
            return ToolResult(capped(str(failure)), is_error=True)
        # An edge: a tool is other people's code, and its faults are the model's to read, not the run's to die of.
        except Exception as error:
            if isinstance(error, TimeoutError) and deadline.expired():
                return ToolResult(
                    f"{call.name} did not end within {self._timeout_s:g} s and was stopped.", is_error=True
                )
            get_logger().warning("tool.failed", tool=call.name, run_id=context.run_id, exc_info=error)
            message = self._redactor.text(str(error))
            return ToolResult(capped(f"{type(error).__name__}: {message}", _FAULT_CHARACTERS_MAX), is_error=True)

    def _unknown(self, name: str) -> str:
        close = difflib.get_close_matches(name, self._tools, n=1)
        hint = f" Did you mean {close[0]}?" if close else ""
        return f"There is no tool of that name.{hint} Tools: {', '.join(self._tools) or 'none'}."


def capped(text: str, characters_max: int = RESULT_CHARACTERS_MAX) -> str:
    """The text, or its beginning and a note of how much was left out, in at most so many characters."""
    if len(text) <= characters_max:
        return text
    note = f"\n[cut: {len(text)} characters in all]"
    return f"{text[: characters_max - len(note)]}{note}"
