"""Answers without memory as runs of this process: bounded in number, and ended with the connection that asked."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final

from beaver.agent.aside import Aside
from beaver.agent.messages import PromptMessage
from beaver.agent.results import AgentRunResult, Emit, RunRequest
from beaver.errors import LimitExceeded
from beaver.server.runs.registry import Run
from beaver.server.telemetry.counting import uncounted

ASIDES_MAX: Final = 100


class Asides:
    """The asides under way. Owns their tasks: `aclose` before the engine is closed."""

    def __init__(
        self, aside: Aside, *, asides_max: int = ASIDES_MAX, refused: Callable[[str], None] = uncounted
    ) -> None:
        """`refused` is told why, by the error's code, when one may not begin."""
        self._aside = aside
        self._refused = refused
        self._asides_max = asides_max
        self._under_way: set[asyncio.Task[AgentRunResult]] = set()

    def start(self, messages: tuple[PromptMessage, ...], *, output_tokens_max: int | None = None) -> Run:
        """Begin one. Raises LimitExceeded at the bound."""
        if len(self._under_way) >= self._asides_max:
            refusal = LimitExceeded(f"{self._asides_max} answers without memory are under way, which is the most")
            self._refused(refusal.code)
            raise refusal
        run = Run(_Asked(self._aside, messages), RunRequest(messages[-1].text, output_tokens_max=output_tokens_max))
        self._under_way.add(run.task)
        run.task.add_done_callback(self._under_way.discard)
        return run

    async def aclose(self) -> None:
        """Cancel what is left; idempotent."""
        left = set(self._under_way)
        for task in left:
            task.cancel()
        if left:
            await asyncio.wait(left)


class _Asked:
    """An aside with its messages, as a run wants its loop."""

    def __init__(self, aside: Aside, messages: tuple[PromptMessage, ...]) -> None:
        self._aside = aside
        self._messages = messages

    async def run(self, request: RunRequest, emit: Emit) -> AgentRunResult:
        return await self._aside.run(self._messages, emit, output_tokens_max=request.output_tokens_max)
