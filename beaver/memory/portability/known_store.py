"""SQL of what a namespace has of many lines at once."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from sqlalchemy import Column, select

from beaver.db.dialect import dialect_of
from beaver.db.engine import Transaction
from beaver.memory.portability.kinds import Fields
from beaver.memory.tables import conversations, is_in, observation_history, observations, session_summaries, turns


async def known_values(tx: Transaction, namespace_id: int, column: Column[str], values: Collection[str]) -> set[str]:
    """Those of the values that the column holds in the namespace."""
    dialect, table = dialect_of(tx), column.table
    is_its_key = table.primary_key.columns.keys() == [column.name]
    mine = is_in(table, namespace_id) if is_its_key else table.c.namespace_id == namespace_id
    held = select(column).where(mine, dialect.is_one_of(column, "values"))
    return set((await tx.execute(held, {"values": dialect.many(values)})).scalars())


async def named_turns(tx: Transaction, namespace_id: int, wanted: Collection[tuple[str, str]]) -> set[tuple[str, str]]:
    """Turns by session id and the name that the caller gave them: those of the wanted that there are, and perhaps more."""
    if not wanted:
        return set()
    dialect = dialect_of(tx)
    named = (
        select(conversations.c.session_id, turns.c.turn_key)
        .join(turns, turns.c.conversation_id == conversations.c.id)
        .where(
            conversations.c.namespace_id == namespace_id,
            dialect.is_one_of(conversations.c.session_id, "sessions"),
            dialect.is_one_of(turns.c.turn_key, "turn_keys"),
        )
    )
    names = {
        "sessions": dialect.many({session_id for session_id, _ in wanted}),
        "turn_keys": dialect.many({turn_key for _, turn_key in wanted}),
    }
    return {(row.session_id, row.turn_key) for row in await tx.execute(named, names)}


async def summed_up_sessions(tx: Transaction, namespace_id: int, session_ids: Collection[str]) -> set[str]:
    """Those of the sessions that have a summary."""
    dialect = dialect_of(tx)
    summed_up = (
        select(conversations.c.session_id)
        .join(session_summaries, session_summaries.c.conversation_id == conversations.c.id)
        .where(conversations.c.namespace_id == namespace_id, dialect.is_one_of(conversations.c.session_id, "sessions"))
    )
    return set((await tx.execute(summed_up, {"sessions": dialect.many(session_ids)})).scalars())


def content_of(fields: Mapping[Any, Any]) -> tuple[str, str, str]:
    """Of which there is one active observation in a namespace."""
    return fields["store"], fields["type"], fields["hash"]


async def active_contents(tx: Transaction, namespace_id: int, some: Sequence[Fields]) -> set[tuple[str, str, str]]:
    """Those of the observations' contents that are active in the namespace."""
    dialect, parts = dialect_of(tx), ("store", "type", "hash")
    active = select(*(observations.c[part] for part in parts)).where(
        observations.c.namespace_id == namespace_id,
        observations.c.ended_ms.is_(None),
        *(dialect.is_one_of(observations.c[part], part) for part in parts),
    )
    wanted = {part: dialect.many({fields[part] for fields in some}) for part in parts}
    return {content_of(row) for row in (await tx.execute(active, wanted)).mappings()}


def entry_of(fields: Mapping[Any, Any]) -> tuple[str, str, str, int]:
    """What tells an entry of a history from others."""
    return fields["observation_id"], fields["event"], fields["reason"], fields["at_ms"]


async def history_entries(
    tx: Transaction, namespace_id: int, observation_ids: Collection[str]
) -> set[tuple[str, str, str, int]]:
    """The entries of observations' histories."""
    dialect, held = dialect_of(tx), observation_history.c
    entries = select(held.observation_id, held.event, held.reason, held.at_ms).where(
        is_in(observation_history, namespace_id), dialect.is_one_of(held.observation_id, "ids")
    )
    rows = await tx.execute(entries, {"ids": dialect.many(observation_ids)})
    return {entry_of(row) for row in rows.mappings()}
