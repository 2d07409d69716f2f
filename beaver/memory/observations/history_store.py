"""SQL of the observations' history, which outlives its rows; and of tombstones."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import cache
from typing import Any, Final

from sqlalchemy import Select, bindparam, delete, insert, null, select, update

from beaver.db.dialect import SqlDialect, dialect_of
from beaver.db.engine import Transaction
from beaver.memory.observations.records import HistoryEntry, HistoryEvent
from beaver.memory.tables import is_in, observation_history, tombstones


async def append_history(
    tx: Transaction,
    namespace_id: int,
    observation_id: str,
    event: HistoryEvent,
    *,
    before: Mapping[str, Any] | None = None,
    after: Mapping[str, Any] | None = None,
    reason: str,
    at_ms: int,
) -> None:
    """Add an entry. Each row's history holds its own words only, so that forgetting one leaves no trace in another's."""
    what = {"namespace_id": namespace_id, "observation_id": observation_id, "event": event}
    said = {name: dict(one) for name, one in (("before", before), ("after", after)) if one is not None}
    await tx.execute(_ENTRY, {**what, **said, "reason": reason, "at_ms": at_ms})


# Made once: to build a statement costs as much as to run it.
_ENTRY: Final = insert(observation_history)


async def list_history(tx: Transaction, namespace_id: int, observation_id: str) -> list[HistoryEntry]:
    """What happened to the observation, the first first; of one that is gone too."""
    history = observation_history.c
    mine = (
        select(history.observation_id, history.event, history.before, history.after, history.reason, history.at_ms)
        .where(is_in(observation_history, namespace_id), history.observation_id == observation_id)
        .order_by(history.id)
    )
    return [HistoryEntry(**row) for row in (await tx.execute(mine)).mappings()]


async def blank_history(tx: Transaction, namespace_id: int, observation_id: str) -> None:
    """Take every word out of an observation's history."""
    history = observation_history.c
    await tx.execute(
        update(observation_history)
        .where(is_in(observation_history, namespace_id), history.observation_id == observation_id)
        .values(before=null(), after=null())
    )


async def add_tombstones(tx: Transaction, namespace_id: int, hashes: Collection[str], kind: str, now_ms: int) -> None:
    """Remember what must not come back."""
    rows = [{"namespace_id": namespace_id, "hash": hash_, "kind": kind, "at_ms": now_ms} for hash_ in hashes]
    if rows:
        await tx.execute(dialect_of(tx).insert(tombstones).on_conflict_do_nothing(), rows)


async def find_tombstones(tx: Transaction, namespace_id: int, hashes: Collection[str]) -> set[str]:
    """Those of the hashes that stand for something forgotten."""
    dialect = dialect_of(tx)
    asked = {"namespace_id": namespace_id, "hashes": dialect.many(hashes)}
    return set(await tx.scalars(_known_tombstones(dialect), asked))


@cache
def _known_tombstones(dialect: SqlDialect) -> Select[Any]:
    """Made once a dialect: to build a statement costs as much as to run it."""
    mine = tombstones.c.namespace_id == bindparam("namespace_id")
    return select(tombstones.c.hash).where(mine, dialect.is_one_of(tombstones.c.hash, "hashes"))


async def lift_tombstones(tx: Transaction, namespace_id: int, hashes: Collection[str]) -> None:
    """Let it be remembered again."""
    dialect = dialect_of(tx)
    lifted = delete(tombstones).where(
        tombstones.c.namespace_id == namespace_id, dialect.is_one_of(tombstones.c.hash, "hashes")
    )
    await tx.execute(lifted, {"hashes": dialect.many(hashes)})
