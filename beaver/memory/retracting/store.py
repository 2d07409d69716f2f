"""SQL of taking back: whether a request was heard before, and which sessions or summaries tell what it is about."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

from sqlalchemy import exists, or_, select, text, tuple_

from beaver.db.dialect import dialect_of
from beaver.db.engine import Transaction
from beaver.memory.observations.records import Observation
from beaver.memory.observations.store import as_observation, selected
from beaver.memory.retrieval.beside.taken_back_store import REQUEST_SOURCE, TAKEN_BACK_MAX
from beaver.memory.retrieval.words import index_text
from beaver.memory.stopwords import STOP_WORDS
from beaver.memory.tables import is_in, messages, observation_evidence, observations, session_summaries, turns
from beaver.memory.transcripts.said import SaidMessage

SUMMARIES_MAX: Final = 200
"""Summaries that hold a word of what was taken back: of more the last changed are written anew."""


async def was_heard(tx: Transaction, namespace_id: int, message_id: str) -> bool:
    """Whether the request of this message was acted on."""
    mine = (
        select(observations.c.id)
        .join(observation_evidence, observation_evidence.c.observation_id == observations.c.id)
        .where(
            observation_evidence.c.namespace_id == namespace_id,
            observation_evidence.c.message_id == message_id,
            observations.c.source == REQUEST_SOURCE,
        )
    )
    return bool(await tx.scalar(select(exists(mine))))


async def said_before(tx: Transaction, namespace_id: int, message_id: str) -> SaidMessage | None:
    """What the speaker of a message had said in the one before it, in the same conversation."""
    asked, its_turn = messages.alias("asked"), turns.alias("its_turn")
    place = tuple_(turns.c.sequence, messages.c.position)
    before = (
        select(
            messages.c.turn_id,
            messages.c.id,
            messages.c.role,
            messages.c.speaker,
            messages.c.content,
            messages.c.observed_ms,
        )
        .select_from(asked)
        .join(its_turn, its_turn.c.id == asked.c.turn_id)
        .join(turns, turns.c.conversation_id == its_turn.c.conversation_id)
        .join(messages, messages.c.turn_id == turns.c.id)
        .where(
            asked.c.id == message_id,
            is_in(turns, namespace_id),
            turns.c.sequence <= its_turn.c.sequence,
            messages.c.role == asked.c.role,
            messages.c.speaker == asked.c.speaker,
            place < tuple_(its_turn.c.sequence, asked.c.position),
        )
        .order_by(turns.c.sequence.desc(), messages.c.position.desc())
        .limit(1)
    )
    row = (await tx.execute(before)).one_or_none()
    return None if row is None else SaidMessage(*row)


async def taken_back_rows(tx: Transaction, namespace_id: int) -> list[Observation]:
    """Observations that were taken back, and the requests, the last first."""
    mine = selected().where(observations.c.namespace_id == namespace_id, text("end_reason = 'deleted'"))
    last = mine.order_by(observations.c.ended_ms.desc()).limit(TAKEN_BACK_MAX)
    return [as_observation(row) for row in (await tx.execute(last)).mappings()]


async def conversations_of(tx: Transaction, namespace_id: int, message_ids: Collection[str]) -> set[int]:
    """The conversations in which these messages were said."""
    dialect = dialect_of(tx)
    mine = (
        select(turns.c.conversation_id)
        .join(messages, messages.c.turn_id == turns.c.id)
        .where(is_in(messages, namespace_id), dialect.is_one_of(messages.c.id, "ids"))
    )
    return set(await tx.scalars(mine, {"ids": dialect.many(message_ids)}))


async def conversations_summed_up_with(tx: Transaction, namespace_id: int, statements: Sequence[str]) -> set[int]:
    """Conversations whose summary holds the longest word of one of the statements."""
    columns = session_summaries.c
    words = {max(said, key=len) for one in statements if (said := _words(one))}
    if not words:
        return set()
    holding = [
        column.icontains(word, autoescape=True) for column in (columns.request, columns.outcome) for word in words
    ]
    mine = select(columns.conversation_id).where(columns.namespace_id == namespace_id, or_(*holding))
    return set(await tx.scalars(mine.order_by(columns.updated_ms.desc()).limit(SUMMARIES_MAX)))


def _words(statement: str) -> list[str]:
    return [word for word in index_text(statement).split() if word not in STOP_WORDS]
