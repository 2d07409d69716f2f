"""The middleware that remembers: after an answer is out, it looks in the background for what the turn leaves behind."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import ClassVar, Final

from beaver.agent.middleware import Middleware, ToolOutput, TurnContext, TurnOutput
from beaver.agent.policy.candidates import Candidate
from beaver.agent.policy.fixes import Attempt, verified_fix
from beaver.agent.policy.observer import UnobservedRecall, WriteObserver
from beaver.agent.policy.privacy import redact
from beaver.agent.policy.stores import Owner, SessionSwitch
from beaver.agent.policy.writer import FinishedTurn, ItemWriter
from beaver.errors import BeaverError
from beaver.logs import get_logger
from beaver.redaction import Redactor

Extract = Callable[[str, str], Awaitable[list[Candidate]]]
"""Candidates of what the user said and what was answered, both redacted."""

RUNS_MAX: Final = 200
"""Runs whose tools' results are held, and turns that wait to be looked at."""
ATTEMPTS_MAX: Final = 50
ATTEMPT_CHARACTERS_MAX: Final = 2_000
AT_ONCE: Final = 4
CLOSE_S: Final = 4.0


class WritingMiddleware(Middleware):
    """Remembers for one owner's sessions. It owns its tasks, which `aclose` lets end within a bound."""

    order: ClassVar[int] = 100

    def __init__(
        self,
        owner: Owner,
        writer: ItemWriter,
        extract: Extract,
        switch: SessionSwitch,
        *,
        credentials: Redactor,
        observer: WriteObserver | None = None,
        close: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        """`owner` without its session: that is the run's. `close` gives back what the writer uses."""
        self._owner = owner
        self._writer = writer
        self._extract = extract
        self._switch = switch
        self._credentials = credentials
        self._observer = observer or UnobservedRecall()
        self._close = close
        self._attempts: OrderedDict[str, list[Attempt]] = OrderedDict()
        self._tasks: set[asyncio.Task[None]] = set()
        self._room = asyncio.Semaphore(AT_ONCE)

    async def on_tool_result(self, context: TurnContext, output: ToolOutput) -> None:
        """Hold the end of a result, until the run's answer tells what mended it."""
        attempts = self._attempts.setdefault(context.run_id, [])
        attempts.append(Attempt.of(replace(output, text=output.text[-ATTEMPT_CHARACTERS_MAX:])))
        del attempts[:-ATTEMPTS_MAX]
        while len(self._attempts) > RUNS_MAX:
            self._attempts.popitem(last=False)

    async def after_prompt(self, context: TurnContext, output: TurnOutput) -> None:
        """Begin to look at the turn; nobody waits for it."""
        attempts = self._attempts.pop(context.run_id, [])
        if context.by_machine:
            return
        if len(self._tasks) >= RUNS_MAX:
            get_logger().warning("memory.turn_passed_over", run_id=context.run_id, reason="too_many_wait")
            return
        task = asyncio.create_task(self._look(context, output, attempts))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def idle(self) -> None:
        """Wait until every turn so far has been looked at."""
        if self._tasks:
            await asyncio.wait(self._tasks)

    async def aclose(self) -> None:
        """Let what is under way end, within a bound; then give back what is open."""
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=CLOSE_S)
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self._close is not None:
            await self._close()

    async def _look(self, context: TurnContext, output: TurnOutput, attempts: list[Attempt]) -> None:
        try:
            async with self._room:
                await self._remember(context, output, attempts)
        except BeaverError as error:
            get_logger().warning("memory.turn_not_remembered", run_id=context.run_id, reason=error.code)
        # An edge: nobody waits for this task, and the turn it looks at is over. Its words must not reach a log.
        except Exception as error:
            get_logger().error("memory.turn_not_remembered", run_id=context.run_id, reason=type(error).__name__)

    async def _remember(self, context: TurnContext, output: TurnOutput, attempts: list[Attempt]) -> None:
        if (await self._switch.read(context.session_id)).off:
            return
        said, answer = (redact(text, self._credentials).text for text in (context.prompt, output.text))
        fix = verified_fix(attempts, answer)
        candidates = [*([fix] if fix else []), *await self._extract(said, answer)]
        gated = await self._writer.keep(
            FinishedTurn(
                owner=replace(self._owner, session=context.session_id),
                run_id=context.run_id,
                stop_reason=output.stop_reason,
                said=context.prompt,
                recalled=tuple(message.text for message in context.references),
                candidates=tuple(candidates),
            )
        )
        kept = {"kept": gated.accepted, "deduped": gated.deduped, "sent": gated.remote}
        for outcome, count in {**kept, **gated.rejected}.items():
            if count:
                self._observer.gated(outcome, count)
