"""SQL of what was learned from messages that are about to go: rows, and what is in the archive."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Column, ColumnElement, Select, Table, exists, select, update

from beaver.db.dialect import dialect_of
from beaver.db.engine import Transaction
from beaver.memory.embedding.texts import whole_text
from beaver.memory.observations.archive_store import (
    archived_copies,
    archived_hash,
    archived_in,
    find_archived,
    replace_archived,
)
from beaver.memory.observations.store import find_conversation_id
from beaver.memory.tables import (
    archive_evidence,
    is_in,
    messages,
    namespaces,
    observation_archive,
    observation_evidence,
    observation_history,
    observations,
    turns,
)

_TELLING: Final = ("title", "narrative", "facts", "tags", "related_files", "related_people")
"""The fields of an observation, and of its description in history and archive, that hold words."""


@dataclass(frozen=True)
class Learned:
    """An observation that was learned from messages which go, and the evidence that it keeps: {turn_id, message_id}."""

    id: str
    left: tuple[Mapping[str, str], ...]


async def learned_from(
    tx: Transaction, namespace_id: int, message_ids: Collection[str], session_id: str | None
) -> list[Learned]:
    """Observations with one of these messages among their evidence, archived ones too; and those without any evidence that
    were learned in the session as a whole."""
    learned = [
        Learned(one, tuple(source for source in evidence if source["message_id"] not in message_ids))
        for one, evidence in await _with_evidence(tx, namespace_id, message_ids)
    ]
    if session_id is not None:
        learned += [Learned(one, ()) for one in await _without_evidence(tx, namespace_id, session_id)]
    return learned


async def _with_evidence(
    tx: Transaction, namespace_id: int, message_ids: Collection[str]
) -> list[tuple[str, Sequence[Mapping[str, str]]]]:
    """Observations that name one of these messages, each with all of its evidence."""
    rows, archive = observations.c, observation_archive.c
    ids = await _naming(tx, observation_evidence, namespace_id, message_ids)
    held = await _among(tx, rows.id, select(rows.id, rows.evidence).where(is_in(observations, namespace_id)), ids)
    ids = await _naming(tx, archive_evidence, namespace_id, message_ids)
    mine = select(archive.observation_id, archive.observation).where(is_in(observation_archive, namespace_id))
    archived = await _among(tx, archive.observation_id, mine, ids)
    return [(one, evidence) for one, evidence in held] + [(one, content["evidence"]) for one, content in archived]


async def _naming(tx: Transaction, links: Table, namespace_id: int, message_ids: Collection[str]) -> set[str]:
    mine = select(links.c.observation_id).where(links.c.namespace_id == namespace_id)
    return {row.observation_id for row in await _among(tx, links.c.message_id, mine, message_ids)}


async def _without_evidence(tx: Transaction, namespace_id: int, session_id: str) -> list[str]:
    rows = observations.c
    place = await find_conversation_id(tx, namespace_id, session_id)
    mine = select(rows.id, rows.evidence).where(rows.namespace_id == namespace_id, rows.conversation_id == place)
    held = [one for one, evidence in await tx.execute(mine) if not evidence]
    archived = await archived_in(tx, namespace_id, session_id)
    return held + [one for one, content in archived if not content["evidence"]]


async def _among(tx: Transaction, column: Column[str], some: Select[Any], values: Collection[str]) -> Sequence[Any]:
    """Those rows of a statement whose column is one of these."""
    dialect = dialect_of(tx)
    return list(await tx.execute(some.where(dialect.is_one_of(column, "among")), {"among": dialect.many(values)}))


async def words_told(tx: Transaction, namespace_id: int, observation_ids: Collection[str]) -> dict[str, str]:
    """All that observations say and ever said, by their ids: whom, what files and what tags they name too."""
    dialect, history, archive = dialect_of(tx), observation_history.c, observation_archive.c
    ids = {"ids": dialect.many(observation_ids)}
    told = dict.fromkeys(observation_ids, "")
    now = select(observations.c.id, *(observations.c[name] for name in _TELLING)).where(
        is_in(observations, namespace_id), dialect.is_one_of(observations.c.id, "ids")
    )
    for observation_id, *said in await tx.execute(now, ids):
        told[observation_id] += whole_text(*said)
    earlier = select(history.observation_id, history.before, history.after).where(
        is_in(observation_history, namespace_id), dialect.is_one_of(history.observation_id, "ids")
    )
    kept = select(archive.observation_id, archive.observation).where(
        is_in(observation_archive, namespace_id), dialect.is_one_of(archive.observation_id, "ids")
    )
    for observation_id, *contents in [*await tx.execute(earlier, ids), *await tx.execute(kept, ids)]:
        for content in filter(None, contents):
            told[observation_id] += "\n" + whole_text(*(content.get(name, "") for name in _TELLING))
    return told


async def contents_of(tx: Transaction, namespace_id: int, message_ids: Collection[str]) -> dict[str, str]:
    """What messages say, by their ids."""
    dialect = dialect_of(tx)
    mine = select(messages.c.id, messages.c.content).where(
        is_in(messages, namespace_id), dialect.is_one_of(messages.c.id, "ids")
    )
    return {row.id: row.content for row in await tx.execute(mine, {"ids": dialect.many(message_ids)})}


async def keep_evidence(tx: Transaction, namespace_id: int, learned: Learned) -> None:
    """Take messages that go out of the evidence of what stays, in a row or in the archive."""
    evidence = [dict(source) for source in learned.left]
    row = (observations.c.namespace_id == namespace_id) & (observations.c.id == learned.id)
    await tx.execute(update(observations).where(row).values(evidence=evidence))
    content = await find_archived(tx, namespace_id, learned.id)
    if content is not None:
        await replace_archived(tx, namespace_id, learned.id, content, evidence=evidence)


async def stage_again(tx: Transaction, namespace_id: int, turn_ids: Collection[str]) -> None:
    """Have the next flush learn from these turns once more."""
    dialect = dialect_of(tx)
    mine = update(turns).where(is_in(turns, namespace_id), dialect.is_one_of(turns.c.id, "ids"))
    await tx.execute(mine.values(flushed_ms=None), {"ids": dialect.many(turn_ids)})


async def place_with_expired(tx: Transaction, now_ms: int) -> int | None:
    """The number of a namespace that has active observations whose time is over; None where none has. Not of a staged one."""
    seen = exists().where(namespaces.c.id == observations.c.namespace_id, namespaces.c.staged_ms.is_(None))
    return await tx.scalar(select(observations.c.namespace_id).where(seen, *_expired(now_ms)).limit(1))


async def expired_in(tx: Transaction, namespace_id: int, now_ms: int, limit: int) -> list[str]:
    """Active observations of a namespace whose time is over, pinned ones too, the longest over first."""
    due = select(observations.c.id).where(observations.c.namespace_id == namespace_id, *_expired(now_ms))
    return list(await tx.scalars(due.order_by(observations.c.expires_ms, observations.c.id).limit(limit)))


def _expired(now_ms: int) -> tuple[ColumnElement[bool], ...]:
    return observations.c.ended_ms.is_(None), observations.c.expires_ms <= now_ms


async def with_origins(tx: Transaction, namespace_id: int, ids: Sequence[str]) -> list[str]:
    """The ids, and those of the observations whose place these took: an older wording is the same memory."""
    known = dict.fromkeys(ids)
    asked = list(ids)
    while asked:
        older = select(observations.c.id).where(
            observations.c.namespace_id == namespace_id, observations.c.successor_id == asked.pop()
        )
        found = [one for one in await tx.scalars(older) if one not in known]
        known |= dict.fromkeys(found)
        asked += found
    return list(known)


async def with_hidden_copies(tx: Transaction, namespace_id: int, observation_id: str) -> list[str]:
    """The id, and those of ended and archived observations that say the very same: nobody sees them beside it."""
    rows = observations.c
    mine = select(rows.hash).where(rows.namespace_id == namespace_id, rows.id == observation_id)
    said, archived = await tx.scalar(mine), await find_archived(tx, namespace_id, observation_id)
    if said is None and archived is not None:
        said = archived_hash(archived)
    if said is None:
        return [observation_id]
    ended = select(rows.id).where(rows.namespace_id == namespace_id, rows.hash == said, rows.ended_ms.is_not(None))
    copies = [*await tx.scalars(ended), *await archived_copies(tx, namespace_id, said)]
    return list(dict.fromkeys((observation_id, *copies)))
