"""SQL of maintenance: the lease of its one runner, what is due, and what the archive holds of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import case, exists, func, or_, select, update

from beaver.db.dialect import dialect_of
from beaver.db.engine import Transaction
from beaver.memory.observations.records import Observation
from beaver.memory.observations.store import TAG, as_observation, selected
from beaver.memory.tables import namespaces, observation_archive, observation_labels, observations, upkeep
from beaver.memory.upkeep.policy import AGELESS, AGELESS_TAGS


async def take_lease(tx: Transaction, name: str, holder: str, for_ms: int) -> Mapping[str, Any] | None:
    """The progress so far, now that the holder is the one runner for a while; None when another is. By the database's clock."""
    dialect = dialect_of(tx)
    await tx.execute(dialect.insert(upkeep).values(name=name, progress={}).on_conflict_do_nothing())
    free = or_(upkeep.c.holder.is_(None), upkeep.c.holder == holder, upkeep.c.held_until_ms <= dialect.now_ms())
    taken = (
        update(upkeep)
        .where(upkeep.c.name == name, free)
        .values(holder=holder, held_until_ms=dialect.now_ms() + for_ms)
        .returning(upkeep.c.progress)
    )
    row = (await tx.execute(taken)).one_or_none()
    return None if row is None else dict(row[0] or {})


async def keep_lease(tx: Transaction, name: str, holder: str, for_ms: int) -> bool:
    """Hold it for longer; False when it ran out and another has it. The transaction of every act begins so."""
    now_ms = dialect_of(tx).now_ms()
    mine = update(upkeep).where(upkeep.c.name == name, upkeep.c.holder == holder).values(held_until_ms=now_ms + for_ms)
    return bool((await tx.execute(mine)).rowcount)


async def end_lease(tx: Transaction, name: str, holder: str, progress: Mapping[str, Any], ran_ms: int) -> None:
    """Let it go, and remember where to go on."""
    mine = update(upkeep).where(upkeep.c.name == name, upkeep.c.holder == holder)
    await tx.execute(mine.values(holder=None, held_until_ms=None, progress=dict(progress), ran_ms=ran_ms))


async def next_namespaces(tx: Transaction, after_id: int, limit: int) -> list[int]:
    """The numbers of the namespaces behind one, but for staged ones."""
    some = select(namespaces.c.id).where(namespaces.c.id > after_id, namespaces.c.staged_ms.is_(None))
    return list(await tx.scalars(some.order_by(namespaces.c.id).limit(limit)))


async def find_clusters(
    tx: Transaction, namespace_id: int, before_ms: int, *, at_least: int, limit: int
) -> list[list[Observation]]:
    """Old observations of one store, type and title (however it is spelled), the largest clusters first; oldest first within."""
    title = func.lower(func.trim(observations.c.title))
    old = (
        observations.c.namespace_id == namespace_id,
        observations.c.ended_ms.is_(None),
        observations.c.pinned.is_(False),
        observations.c.updated_ms < before_ms,
    )
    key = (observations.c.store, observations.c.type, title)
    largest = (
        select(*key)
        .where(*old)
        .group_by(*key)
        .having(func.count() >= at_least)
        .order_by(func.count().desc(), *key)
        .limit(max(1, limit // at_least))
    )
    clusters, left = [], limit
    for store, type_, named in await tx.execute(largest):
        members = selected().where(*old, observations.c.store == store, observations.c.type == type_, title == named)
        ordered = members.order_by(observations.c.updated_ms, observations.c.id).limit(left)
        cluster = [as_observation(row) for row in (await tx.execute(ordered)).mappings()]
        left -= len(cluster)
        clusters.append(cluster)
        if left < at_least:
            break
    return clusters


async def find_unused(tx: Transaction, namespace_id: int, before_ms: int, now_ms: int, limit: int) -> list[Observation]:
    """Active observations that expired, or that nobody used or changed since; what does not age only when it expired."""
    last = case(
        (observations.c.used_ms > observations.c.updated_ms, observations.c.used_ms), else_=observations.c.updated_ms
    )
    lasting = exists().where(
        observation_labels.c.observation_id == observations.c.id,
        observation_labels.c.kind == TAG,
        observation_labels.c.label.in_(AGELESS_TAGS),
    )
    aged = (last < before_ms) & observations.c.type.not_in(AGELESS) & ~lasting
    due = (
        selected()
        .where(
            observations.c.namespace_id == namespace_id,
            observations.c.ended_ms.is_(None),
            observations.c.pinned.is_(False),
            or_(aged, observations.c.expires_ms <= now_ms),
        )
        .order_by(last, observations.c.id)
        .limit(limit)
    )
    return [as_observation(row) for row in (await tx.execute(due)).mappings()]


async def search_archived(
    tx: Transaction, namespace_id: int, words: Sequence[str], limit: int
) -> list[tuple[Mapping[str, Any], str, int]]:
    """Archived observations that hold every one of these words, with why and when, the last archived first."""
    archive = observation_archive.c
    padded = " " + archive.words + " "
    holding = [padded.contains(f" {word} ", autoescape=True) for word in words]
    some = (
        select(archive.observation, archive.reason, archive.archived_ms)
        .where(archive.namespace_id == namespace_id, *holding)
        .order_by(archive.archived_ms.desc(), archive.observation_id)
        .limit(limit)
    )
    return [(content, reason, archived_ms) for content, reason, archived_ms in await tx.execute(some)]


async def find_outdated(tx: Transaction, namespace_id: int, before_ms: int, limit: int) -> list[str]:
    """Ids of observations that were archived so long ago."""
    archive = observation_archive.c
    due = (
        select(archive.observation_id)
        .where(archive.namespace_id == namespace_id, archive.archived_ms < before_ms)
        .order_by(archive.archived_ms, archive.observation_id)
        .limit(limit)
    )
    return list(await tx.scalars(due))
