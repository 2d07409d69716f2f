"""SQL of taking back: whether a request was heard before, and which sessions or summaries tell what it is about."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Final

from sqlalchemy import exists, or_, select, text

from beaver.db.dialect import dialect_of
from beaver.db.engine import Transaction
from beaver.memory.observations.records import Observation
from beaver.memory.observations.store import as_observation, selected
from beaver.memory.retrieval.taken_back_store import REQUEST_SOURCE, TAKEN_BACK_MAX
from beaver.memory.retrieval.words import index_text
from beaver.memory.stopwords import STOP_WORDS
from beaver.memory.tables import is_in, messages, observation_evidence, observations, session_summaries, turns

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
