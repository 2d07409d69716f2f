"""SQL of the index in memory: what ranking reads of passages and their vectors, in the order of their ids."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from functools import cache
from typing import Any, NamedTuple

from sqlalchemy import Row, Select, bindparam, case, func, or_, select

from beaver.db.engine import Transaction
from beaver.memory.embedding.store import is_sound
from beaver.memory.tables import embeddings, messages, observations, passages


class Revision(NamedTuple):
    """Where a namespace stands: raised by every write, and by every change or removal of what was stored."""

    revision: int
    rewrites: int


class PassageRow(NamedTuple):
    """What the index keeps of a passage. `speaker`: of a message's; `expires_ms`: of an observation's that does."""

    id: int
    conversation_id: int | None
    document_id: str | None
    source: int
    episode: int | None
    observed_ms: int
    signature: bytes | None
    speaker: str | None
    expires_ms: int | None


class VectorRow(NamedTuple):
    """A passage's vector and its pieces' numbers, packed; `id` rises in the order of commits."""

    id: int
    passage_id: int
    vector: bytes
    piece_ids: bytes | None


MESSAGE, DOCUMENT, OBSERVATION, SUMMARY = range(4)
"""Sources of passages."""


async def id_before_newest(tx: Transaction, namespace_id: int, count: int) -> int:
    """The id after which the namespace's newest `count` passages lie; 0 when it has no more than these."""
    mine = select(passages.c.id).where(passages.c.namespace_id == namespace_id)
    return await tx.scalar(mine.order_by(passages.c.id.desc()).offset(count).limit(1)) or 0


async def count_upto(tx: Transaction, namespace_id: int, passage_id: int) -> int:
    """How many passages the namespace has up to this id."""
    mine = (passages.c.namespace_id == namespace_id) & (passages.c.id <= passage_id)
    return await tx.scalar(select(func.count()).select_from(passages).where(mine)) or 0


async def passages_after(
    tx: Transaction, namespace_id: int, after_id: int, *, at_once: int
) -> AsyncGenerator[Sequence[PassageRow]]:
    """The namespace's passages with a higher id, lowest first, so many at once; those of ended observations are left out."""
    asked = {"namespace": namespace_id, "after_id": after_id}
    async with aclosing(_in_parts(tx, _passages(), asked, at_once)) as parts:
        async for rows in parts:
            yield [PassageRow._make(row) for row in rows]


async def vectors_after(
    tx: Transaction, namespace_id: int, model: str, after_id: int, *, at_once: int, after_passage_id: int = 0
) -> AsyncGenerator[Sequence[VectorRow]]:
    """The namespace's vectors of the model with a higher id, lowest first, so many at once; of passages with a higher id than
    one, too.
    """
    asked = {"namespace": namespace_id, "model": model, "after_id": after_id, "after_passage_id": after_passage_id}
    async with aclosing(_in_parts(tx, _vectors(), asked, at_once)) as parts:
        async for rows in parts:
            yield [VectorRow._make(row) for row in rows]


# Made once: the first search after each turn asks them, and to build a statement costs as much as to run it.
@cache
def _passages() -> Select[Any]:
    columns = passages.c
    source = case(
        (columns.message_id.is_not(None), MESSAGE),
        (columns.document_id.is_not(None), DOCUMENT),
        (columns.observation_id.is_not(None), OBSERVATION),
        else_=SUMMARY,
    )
    return (
        select(
            columns.id,
            columns.conversation_id,
            columns.document_id,
            source,
            columns.episode,
            columns.observed_ms,
            columns.signature,
            messages.c.speaker,
            observations.c.expires_ms,
        )
        .outerjoin(messages, messages.c.id == columns.message_id)
        .outerjoin(observations, observations.c.id == columns.observation_id)
        .where(
            columns.namespace_id == bindparam("namespace"),
            columns.id > bindparam("after_id"),
            or_(columns.observation_id.is_(None), observations.c.ended_ms.is_(None)),
        )
        .order_by(columns.id)
    )


@cache
def _vectors() -> Select[Any]:
    columns = embeddings.c
    mine = (columns.namespace_id == bindparam("namespace"), columns.model == bindparam("model"))
    newer = (columns.id > bindparam("after_id"), columns.passage_id > bindparam("after_passage_id"))
    named = select(columns.id, columns.passage_id, columns.vector, columns.piece_ids)
    return named.where(*mine, *newer, is_sound()).order_by(columns.id)


@cache
def _first_of(statement: Select[Any]) -> Select[Any]:
    return statement.limit(bindparam("at_once"))


async def _in_parts(
    tx: Transaction, statement: Select[Any], asked: Mapping[str, Any], at_once: int
) -> AsyncGenerator[Sequence[Row[Any]]]:
    """What is new mostly fits into one part, and one trip. Of more the rest is one statement: a database that has not counted
    its rows yet sorts all that are left for every page, which took PostgreSQL 10 s for 100,000.
    """
    first = (await tx.execute(_first_of(statement), {**asked, "at_once": at_once})).all()
    if first:
        yield first
    if len(first) == at_once:
        rest = statement.execution_options(yield_per=at_once)
        async with tx.stream(rest, {**asked, "after_id": first[-1][0]}) as found:
            async for rows in found.partitions():
                yield rows
