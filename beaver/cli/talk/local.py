"""A conversation with an engine in this process."""

from __future__ import annotations

import asyncio
from typing import Final

from beaver.agent.loader import EngineLoadResult
from beaver.agent.messages import TextDelta
from beaver.agent.policy.spoken import spoken
from beaver.agent.results import RunEvent, RunRequest
from beaver.cli.talk.conversation import SAID_MESSAGES_MAX, Answer, Question, Show
from beaver.outbox.inspection import OutboxInspection
from beaver.outbox.states import UNFINISHED

_LOOK_EVERY_S: Final = 0.03


class LocalConversation:
    """Over one loaded engine, which the caller closes."""

    def __init__(self, engine: EngineLoadResult) -> None:
        self._engine = engine
        self._run_ids: list[str] = []

    async def ask(self, question: Question, show: Show | None) -> Answer:
        """See Conversation."""

        async def emit(event: RunEvent) -> None:
            if show is not None and isinstance(event, TextDelta):
                show(event.text)

        result = await self._engine.loop.run(RunRequest(question.prompt, question.session_id, question.skills), emit)
        self._run_ids.append(result.run_id)
        return Answer(
            session_id=result.session_id,
            run_id=result.run_id,
            text=result.text,
            stop_reason=result.stop_reason,
            usage={"input_tokens": result.usage.input_tokens, "output_tokens": result.usage.output_tokens},
            tools_used=result.tools_used,
            error=result.error,
            provider=result.provider,
        )

    async def last_used(self, session_id: str) -> int | None:
        """See Conversation."""
        async with self._engine.database.read() as tx:
            found = await self._engine.sessions.find_session(tx, session_id)
        return None if found is None else found.updated_ms

    async def said(self, session_id: str) -> list[str]:
        """See Conversation."""
        async with self._engine.database.read() as tx:
            messages = await self._engine.sessions.history(tx, session_id, limit=SAID_MESSAGES_MAX)
        return [message.content for message in messages if message.role == "user"]

    async def memory(self, line: str, session_id: str) -> list[str]:
        """See Conversation."""
        return await spoken(self._engine.memory_commands, line, session_id, "chat:terminal")

    async def settled(self, *, within_s: float) -> bool:
        """See Conversation."""
        try:
            async with asyncio.timeout(within_s):
                while await self._unfinished():  # noqa: ASYNC110 - another process ends them
                    await asyncio.sleep(_LOOK_EVERY_S)
        except TimeoutError:
            return False
        return True

    async def _unfinished(self) -> bool:
        inspection = OutboxInspection(self._engine.database.dialect)
        async with self._engine.database.read() as tx:
            stories = [await inspection.find_turn(tx, run_id) for run_id in self._run_ids]
        return any(story is not None and story.summary.state in UNFINISHED for story in stories)
