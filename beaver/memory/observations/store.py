"""SQL of observations: a row, the labels by which it is filtered and the one passage by which a search finds it, kept in step."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import asdict
from functools import cache
from typing import Any, Final

from sqlalchemy import Select, bindparam, delete, func, insert, select, update

from beaver.db.dialect import SqlDialect, dialect_of
from beaver.db.engine import Transaction
from beaver.memory.observations.entries import content_hash, folded, text_of, token_count
from beaver.memory.observations.records import EndReason, Evidence, Observation, Store
from beaver.memory.observations.words import label_words
from beaver.memory.retrieval.chunking import indexed_whole
from beaver.memory.retrieval.index.retiring import retire_passages
from beaver.memory.retrieval.store import NewPassage, add_passages
from beaver.memory.tables import (
    conversations,
    is_in,
    messages,
    observation_evidence,
    observation_labels,
    observations,
    passages,
)

WORD: Final = "word"
PERSON: Final = "person"
FILE: Final = "file"
TAG: Final = "tag"
_OWN: Final = tuple(name for name in Observation.__dataclass_fields__ if name != "session_id")
_LISTS: Final = ("facts", "tags", "related_files", "related_people")


def selected() -> Select[Any]:
    """A SELECT whose rows `as_observation` reads."""
    named = conversations.c.session_id
    return select(*(observations.c[name] for name in _OWN), named).outerjoin(
        conversations, conversations.c.id == observations.c.conversation_id
    )


def as_observation(row: Any) -> Observation:
    """A row of `selected`, as a mapping."""
    values: dict[str, Any] = {**row, **{name: tuple(row[name]) for name in _LISTS}}
    return Observation(**{**values, "evidence": tuple(Evidence(**one) for one in row["evidence"])})


async def find_observation(tx: Transaction, namespace_id: int, observation_id: str) -> Observation | None:
    """The observation of that id, active or ended."""
    mine = selected().where(observations.c.namespace_id == namespace_id, observations.c.id == observation_id)
    row = (await tx.execute(mine)).mappings().one_or_none()
    return None if row is None else as_observation(row)


async def find_same(tx: Transaction, namespace_id: int, store: Store, type_: str, hash_: str) -> list[Observation]:
    """The observations of that content, the active one first; ended ones stay ended."""
    asked = {"namespace": namespace_id, "hash_of_it": hash_, "store_of_it": store, "type_of_it": type_}
    return [as_observation(row) for row in (await tx.execute(_same(), asked)).mappings()]


@cache
def _same() -> Select[Any]:
    """Made once: to build a statement costs as much as to run it."""
    return (
        selected()
        .where(
            observations.c.namespace_id == bindparam("namespace"),
            observations.c.hash == bindparam("hash_of_it"),
            observations.c.store == bindparam("store_of_it"),
            observations.c.type == bindparam("type_of_it"),
        )
        .order_by(observations.c.ended_ms.is_not(None), observations.c.updated_ms.desc())
        .limit(20)
    )


async def find_conversation_id(tx: Transaction, namespace_id: int, session_id: str | None) -> int | None:
    """The number of the conversation; None for one in which nothing was said."""
    found: int | None = await tx.scalar(_NUMBER, {"namespace": namespace_id, "session": session_id})
    return found


# Made once: to build a statement costs as much as to run it.
_NUMBER: Final = select(conversations.c.id).where(
    conversations.c.namespace_id == bindparam("namespace"), conversations.c.session_id == bindparam("session")
)
_NEW: Final = insert(observations)


async def are_said(tx: Transaction, namespace_id: int, evidence: Sequence[Evidence]) -> bool:
    """Whether all these messages are there."""
    dialect, ids = dialect_of(tx), {one.message_id for one in evidence}
    said: int | None = await tx.scalar(_said_of(dialect), {"namespace_id": namespace_id, "ids": dialect.many(ids)})
    return said == len(ids)


@cache
def _said_of(dialect: SqlDialect) -> Select[Any]:
    """They are looked for by their ids, and not among all that was said."""
    mine = is_in(messages, bindparam("namespace_id"))
    return select(func.count()).select_from(messages).where(mine, dialect.is_one_of(messages.c.id, "ids"))


async def add_observation(tx: Transaction, namespace_id: int, observation: Observation) -> None:
    """Store a row as it is, and make an active one findable. Its `session_id` is kept where that conversation is known."""
    conversation_id = await find_conversation_id(tx, namespace_id, observation.session_id)
    own = {"namespace_id": namespace_id, "conversation_id": conversation_id}
    await tx.execute(_NEW, {**own, **_values(observation)})
    if observation.ended_ms is None:
        await _make_findable(tx, namespace_id, conversation_id, observation)


async def replace_observation(tx: Transaction, namespace_id: int, observation: Observation) -> None:
    """Give a stored row these values, which are active ones', and its passage and labels anew; the conversation stays."""
    await _make_unfindable(tx, namespace_id, observation.id)
    await tx.execute(update(observations).where(*_is(namespace_id, observation.id)).values(_values(observation)))
    conversation_id = await tx.scalar(select(observations.c.conversation_id).where(*_is(namespace_id, observation.id)))
    await _make_findable(tx, namespace_id, conversation_id, observation)


async def mention_observation(
    tx: Transaction, namespace_id: int, observation_id: str, evidence: Sequence[Evidence], updated_ms: int, trust: str
) -> None:
    """Count one more mention, with the evidence and the trust that the row has from now on. Its words stay."""
    await tx.execute(
        update(observations)
        .where(*_is(namespace_id, observation_id))
        .values(
            mention_count=observations.c.mention_count + 1,
            evidence=[asdict(one) for one in evidence],
            updated_ms=updated_ms,
            min_trust=trust,
        )
    )


async def end_observation(
    tx: Transaction, namespace_id: int, observation_id: str, at_ms: int, reason: EndReason, successor_id: str | None
) -> None:
    """End an active row: it stays, and nothing finds it any more."""
    await _make_unfindable(tx, namespace_id, observation_id)
    await tx.execute(
        update(observations)
        .where(*_is(namespace_id, observation_id))
        .values(ended_ms=at_ms, end_reason=reason, successor_id=successor_id)
    )


async def resting_on(tx: Transaction, namespace_id: int, message_ids: Collection[str]) -> list[Observation]:
    """Active observations that were learned from one of these messages."""
    dialect = dialect_of(tx)
    linked = select(observation_evidence.c.observation_id).where(
        observation_evidence.c.namespace_id == namespace_id,
        dialect.is_one_of(observation_evidence.c.message_id, "message_ids"),
    )
    mine = selected().where(
        is_in(observations, namespace_id), observations.c.ended_ms.is_(None), observations.c.id.in_(linked)
    )
    rows = (await tx.execute(mine, {"message_ids": dialect.many(message_ids)})).mappings()
    return [as_observation(row) for row in rows]


async def move_observation(
    tx: Transaction, namespace_id: int, observation: Observation, conversation_id: int | None
) -> None:
    """Have it belong to another conversation, or to none; an active one is found there from now on."""
    if observation.ended_ms is None:
        await _make_unfindable(tx, namespace_id, observation.id)
        await _make_findable(tx, namespace_id, conversation_id, observation)
    mine = update(observations).where(*_is(namespace_id, observation.id))
    await tx.execute(mine.values(conversation_id=conversation_id))


async def remove_observation(tx: Transaction, namespace_id: int, observation_id: str) -> None:
    """Remove the row with all that hangs on it."""
    await _make_unfindable(tx, namespace_id, observation_id)
    await tx.execute(delete(observations).where(*_is(namespace_id, observation_id)))


async def pin_observation(tx: Transaction, namespace_id: int, observation_id: str, pinned: bool) -> None:
    """Set or take away the pin."""
    await tx.execute(update(observations).where(*_is(namespace_id, observation_id)).values(pinned=pinned))


async def use_observations(tx: Transaction, namespace_id: int, observation_ids: Collection[str], now_ms: int) -> None:
    """Note that they were used now; a clock that steps back takes nothing away."""
    dialect = dialect_of(tx)
    used = (
        update(observations)
        .where(is_in(observations, namespace_id), dialect.is_one_of(observations.c.id, "ids"))
        .where(func.coalesce(observations.c.used_ms, 0) < now_ms)
        .values(used_ms=now_ms)
    )
    await tx.execute(used, {"ids": dialect.many(observation_ids)})


async def add_labels(tx: Transaction, namespace_id: int, observation: Observation) -> None:
    """Store by what an active observation is found and filtered."""
    own = {"namespace_id": namespace_id, "observation_id": observation.id}
    labels = [{**own, "kind": kind, "label": label} for kind, label in _labels(observation)]
    if labels:  # a title of signs alone has no words
        await tx.execute(insert(observation_labels), labels)


async def _make_findable(
    tx: Transaction, namespace_id: int, conversation_id: int | None, observation: Observation
) -> None:
    indexed = indexed_whole(text_of(observation), observed_ms=observation.created_ms)
    passage = NewPassage(
        indexed=indexed,
        position=0,
        observed_ms=observation.created_ms,
        conversation_id=conversation_id,
        observation_id=observation.id,
    )
    await add_passages(tx, namespace_id, [passage])
    await add_labels(tx, namespace_id, observation)


async def _make_unfindable(tx: Transaction, namespace_id: int, observation_id: str) -> None:
    await retire_passages(tx, namespace_id, passages.c.observation_id == observation_id)
    await tx.execute(delete(observation_labels).where(observation_labels.c.observation_id == observation_id))


def _is(namespace_id: int, observation_id: str) -> tuple[Any, Any]:
    return observations.c.namespace_id == namespace_id, observations.c.id == observation_id


def _values(observation: Observation) -> dict[str, Any]:
    values = {name: getattr(observation, name) for name in _OWN}
    lists = {name: list(values[name]) for name in _LISTS}
    return {
        **values,
        **lists,
        "evidence": [asdict(one) for one in observation.evidence],
        "hash": content_hash(observation.title, observation.facts),
        "token_count": token_count(text_of(observation)),
    }


def _labels(observation: Observation) -> list[tuple[str, str]]:
    words = [(WORD, word) for word in label_words(text_of(observation))]
    people = [(PERSON, folded(name)) for name in observation.related_people]
    files = [(FILE, path) for path in observation.related_files]
    tags = [(TAG, tag) for tag in observation.tags]
    return list(dict.fromkeys((*words, *people, *files, *tags)))
