"""A flush: what was said in a session becomes what is remembered of it. Capture, reconcile, summarise, then mark as flushed.

The mark comes last, and every step before it can be repeated: a flush that is broken off anywhere is taken up by the next one,
which finds the same turns waiting. What it had written already is known again by its hash and its evidence.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, Protocol
from weakref import WeakValueDictionary

from beaver.clock import Clock
from beaver.db.engine import Database
from beaver.errors import InvalidInput
from beaver.ids import IdSource
from beaver.logs import get_logger
from beaver.memory.capture.forget_requests import ForgetRequest, hear
from beaver.memory.capture.service import Capture
from beaver.memory.namespace import Namespace, validate_name
from beaver.memory.observations.records import NewObservation, Trust, Written
from beaver.memory.retracting.meant import still_said
from beaver.memory.retracting.service import TakingBack
from beaver.memory.retrieval.beside.taken_back_store import read_taken_back
from beaver.memory.summaries.summarising import summarise
from beaver.memory.transcripts.said import SaidMessage, StagedTurn
from beaver.memory.transcripts.staged_store import last_staged_sequence, mark_flushed, staged_turns
from beaver.memory.transcripts.store import find_conversation
from beaver.memory.users.store import ensure_namespace, find_namespace

TURNS_A_STEP_MAX: Final = 64
"""So many turns are captured, summarised and marked together; a broken flush repeats no more than these."""
KEY_TRUST: Final[Trust] = "full"
"""Whoever holds a valid key has full trust in its own namespace."""


class ObservationWriter(Protocol):
    """Writes an observation through reconciliation, in a transaction of its own. Raises InvalidInput naming a broken rule."""

    async def write(self, namespace: Namespace, new: NewObservation, trust: Trust) -> Written:
        """What it came to. The same observation with the same evidence again changes nothing."""


class ConversationEmbedder(Protocol):
    """Encodes what waits of a conversation, for a bounded time. Never raises for a fault of its own."""

    async def embed_conversation(self, conversation_id: int, since_ms: int) -> None:
        """Of what was observed since then (UTC epoch ms). What is not done in that time is done later."""


@dataclass(frozen=True)
class Flushed:
    """What a flush did: how many messages it closed, how many observations came of them, and how many they took back."""

    messages: int = 0
    captured: int = 0
    taken_back: int = 0

    def __add__(self, other: Flushed) -> Flushed:
        return Flushed(
            self.messages + other.messages, self.captured + other.captured, self.taken_back + other.taken_back
        )


@dataclass(frozen=True)
class _Session:
    """A session's conversation, up to the last turn that waited when the flush began: what comes later is the next one's."""

    namespace: Namespace
    session_id: str
    namespace_id: int
    conversation_id: int
    sequence_max: int


class FlushService:
    """Flushes sessions. Those of one session stand in line here; another process's do no harm."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        new_id: IdSource,
        *,
        capture: Capture,
        observations: ObservationWriter,
        taking_back: TakingBack,
        embedder: ConversationEmbedder | None = None,
    ) -> None:
        self._database = database
        self._clock = clock
        self._new_id = new_id
        self._capture = capture
        self._observations = observations
        self._taking_back = taking_back
        self._embedder = embedder
        self._lines: WeakValueDictionary[tuple[Namespace, str], asyncio.Lock] = WeakValueDictionary()

    async def flush(self, namespace: Namespace, session_id: str) -> Flushed:
        """Turn what waits of a session into memory; nothing the second time. Can be repeated after any failure.

        A fault of a model never fails it: rules do the model's work. Raises InvalidInput for a session id that breaks a rule.
        """
        validate_name(session_id, "session_id")
        async with self._lines.setdefault((namespace, session_id), asyncio.Lock()):
            session = await self._waiting(namespace, session_id)
            return Flushed() if session is None else await self._flush(session)

    async def _waiting(self, namespace: Namespace, session_id: str) -> _Session | None:
        """None when nothing waits."""
        async with self._database.read_apart() as tx:
            namespace_id = await find_namespace(tx, namespace)
            conversation_id = namespace_id and await find_conversation(tx, namespace_id, session_id)
            if namespace_id is None or conversation_id is None:
                return None
            last = await last_staged_sequence(tx, namespace_id, conversation_id)
        return None if last is None else _Session(namespace, session_id, namespace_id, conversation_id, last)

    async def _flush(self, session: _Session) -> Flushed:
        done, since_ms = Flushed(), self._clock()
        while turns := await self._staged(session):
            since_ms = min((since_ms, *(message.observed_ms for turn in turns for message in turn.messages)))
            learned, is_all = await self._remember(session, turns)
            done += learned
            if not is_all:
                continue  # each time with a message fewer
            done += Flushed(await self._close(session, turns))
            if len(turns) < TURNS_A_STEP_MAX:
                break
        if self._embedder is not None:
            await self._embedder.embed_conversation(session.conversation_id, since_ms)
        return done

    async def _staged(self, session: _Session) -> list[StagedTurn]:
        async with self._database.read_apart() as tx:
            return await staged_turns(
                tx,
                session.namespace_id,
                session.conversation_id,
                sequence_max=session.sequence_max,
                limit=TURNS_A_STEP_MAX,
            )

    async def _remember(self, session: _Session, turns: Sequence[StagedTurn]) -> tuple[Flushed, bool]:
        """Capture, with no transaction open, and write; returns what that came to, and whether all was written that should be: a
        message may be removed meanwhile, so that what is left must be read again.

        Rules hear what is to be forgotten, whoever captures: it is asked of no model, and no model is told of it.
        """
        said = [message for turn in turns for message in turn.messages]
        heard = hear(said, session.namespace.user_id)
        found = (await self._capture.capture(heard.others, session.namespace.user_id)).observations
        written, taken_back = list[Written](), 0
        for step in _in_order(said, await self._not_taken_back(session, found), heard.requests):
            if isinstance(step, ForgetRequest):
                taken_back += await self._taking_back.take_back(session.namespace, session.session_id, step)
            else:
                written.append(await self._write(session, step))
        captured = sum(one.outcome in {"added", "updated", "deleted"} for one in written)
        return Flushed(0, captured, taken_back), not any(one.evidence_gone for one in written)

    async def _not_taken_back(self, session: _Session, found: Sequence[NewObservation]) -> Sequence[NewObservation]:
        """Without what was taken back after it was said: old messages that are read once more teach it no more."""
        if not found:
            return found
        async with self._database.read_apart() as tx:
            taken = await read_taken_back(tx, session.namespace_id)
        return [left for new in found if (left := still_said(new, taken)) is not None] if taken else found

    async def _write(self, session: _Session, new: NewObservation) -> Written:
        try:
            learned = replace(new, session_id=session.session_id)
            return await self._observations.write(session.namespace, learned, KEY_TRUST)
        except InvalidInput as error:  # a row that breaks a rule must not hold up the others for ever
            get_logger().warning("flush.observation_refused", field=error.field, rule=error.rule)
            return Written("skipped", None)

    async def _close(self, session: _Session, turns: Sequence[StagedTurn]) -> int:
        """Bring the summary into step, and mark, in one transaction; returns how many messages that closed."""
        now_ms = self._clock()
        async with self._database.write() as tx:
            await ensure_namespace(tx, session.namespace, now_ms)
            await summarise(tx, session.namespace_id, session.conversation_id, self._new_id, now_ms)
            return await mark_flushed(tx, session.namespace_id, [turn.id for turn in turns], now_ms)


def _in_order(
    said: Sequence[SaidMessage], found: Sequence[NewObservation], requests: Sequence[ForgetRequest]
) -> Iterator[NewObservation | ForgetRequest]:
    """What was said before a request, the request, what was said behind it. What rests on both sides counts as said before."""
    place = {message.message_id: number for number, message in enumerate(said)}
    left = list(found)
    for request in requests:
        asked = place[request.message.message_id]
        before = [new for new in left if any(place[one.message_id] < asked for one in new.evidence)]
        yield from before
        yield request
        left = [new for new in left if new not in before]
    yield from left
