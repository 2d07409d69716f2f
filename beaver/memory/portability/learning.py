"""Learning from conversations that were taken over: each of their sessions is flushed once its messages are in."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from typing import IO, Final

from beaver.errors import BeaverError
from beaver.logs import get_logger
from beaver.memory.flushing import FlushService
from beaver.memory.namespace import Namespace
from beaver.memory.portability.export import Progress
from beaver.memory.portability.foreign import read_items
from beaver.memory.portability.items import ForeignMessage

FAILURES_IN_A_ROW_MAX: Final = 10
"""After so many the cause is none of the sessions': the rest waits for the next flush, or the next import."""


@dataclass(frozen=True)
class FailedSession:
    """A session that could not be learned from, and why (the error's code)."""

    session_id: str
    error: str


@dataclass(frozen=True)
class Learned:
    """How many sessions were learned from, what came of them, those that failed, and how many were not tried after that."""

    sessions: int = 0
    captured: int = 0
    taken_back: int = 0
    failed: tuple[FailedSession, ...] = ()
    left: int = 0


class Learning:
    """Repeats safely: of a session that was learned from already nothing waits."""

    def __init__(self, flushing: FlushService) -> None:
        self._flushing = flushing

    async def learn(self, namespace: Namespace, source: IO[bytes], shape: str, on_progress: Progress) -> Learned:
        """Flush the sessions of a file that was taken over, in its order. One that fails is told and costs no other.

        Nothing where the shape holds no messages. Raises InvalidInput where the file is not right any more.
        """
        sessions = await asyncio.to_thread(_sessions_of, source, shape, namespace.user_id)
        done, in_a_row = Learned(), 0
        for number, session_id in enumerate(sessions, start=1):
            done, failed = await self._flush(namespace, session_id, done)
            in_a_row = in_a_row + 1 if failed else 0
            on_progress(number, len(sessions))
            if in_a_row == FAILURES_IN_A_ROW_MAX:
                return replace(done, left=len(sessions) - number)
        return done

    async def _flush(self, namespace: Namespace, session_id: str, done: Learned) -> tuple[Learned, bool]:
        try:
            flushed = await self._flushing.flush(namespace, session_id)
        except BeaverError as error:
            get_logger().warning("import.session_not_learned", session_id=session_id, reason=error.code)
            return replace(done, failed=(*done.failed, FailedSession(session_id, error.code))), True
        learned = replace(
            done,
            sessions=done.sessions + 1,
            captured=done.captured + flushed.captured,
            taken_back=done.taken_back + flushed.taken_back,
        )
        return learned, False


def _sessions_of(source: IO[bytes], shape: str, user_id: str) -> list[str]:
    """Once each, in the order of the file."""
    items = read_items(source, shape, user_id)
    return list(dict.fromkeys(item.session_id for item in items if isinstance(item, ForeignMessage)))
