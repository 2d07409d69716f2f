"""Which of a page of lines a namespace has already: as many statements for a page as for one line."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Final

from sqlalchemy import Column

from beaver.db.engine import Transaction
from beaver.memory.portability import known_store as store
from beaver.memory.portability.kinds import (
    ARCHIVED,
    CONVERSATION,
    DOCUMENT,
    HISTORY,
    OBSERVATION,
    PERSON,
    SUMMARY,
    TOMBSTONE,
    TURN,
    Kind,
)
from beaver.memory.portability.lines import Record
from beaver.memory.tables import (
    conversations,
    documents,
    observation_archive,
    observations,
    people,
    session_summaries,
    tombstones,
    turns,
)

# A line is known when a column of the namespace holds what this field of it says.
_SAME: Final[Mapping[Kind, Sequence[tuple[Column[str], str]]]] = {
    PERSON: [(people.c.name_key, "name_key")],
    CONVERSATION: [(conversations.c.session_id, "session_id")],
    TURN: [(turns.c.id, "id")],
    DOCUMENT: [(documents.c.id, "id"), (documents.c.uri, "uri")],
    OBSERVATION: [(observations.c.id, "id"), (observation_archive.c.observation_id, "id")],
    SUMMARY: [(session_summaries.c.id, "id")],
    ARCHIVED: [(observations.c.id, "observation_id"), (observation_archive.c.observation_id, "observation_id")],
    TOMBSTONE: [(tombstones.c.hash, "hash")],
}


async def unknown_lines(tx: Transaction, namespace_id: int | None, page: Sequence[Record]) -> list[Record]:
    """The lines that a namespace does not have: all of them where there is no such namespace yet."""
    known = set() if namespace_id is None else await _known(tx, namespace_id, page)
    return [record for record in page if record.line not in known]


async def _known(tx: Transaction, namespace_id: int, page: Sequence[Record]) -> set[int]:
    """The numbers of the lines that are known, by their ids or by what else there can be one of."""
    by_kind: dict[Kind, list[Record]] = defaultdict(list)
    for record in page:
        by_kind[record.kind].append(record)
    known: set[int] = set()
    for kind, some in by_kind.items():
        for column, name in _SAME.get(kind, ()):
            held = await store.known_values(tx, namespace_id, column, {record.fields[name] for record in some})
            known |= {record.line for record in some if record.fields[name] in held}
        known |= await _otherwise_known(tx, namespace_id, kind, some)
    return known


async def _otherwise_known(tx: Transaction, namespace_id: int, kind: Kind, some: Sequence[Record]) -> set[int]:
    if kind is TURN:
        names = {
            one.line: (one.fields["session_id"], one.fields["turn_key"]) for one in some if one.fields.get("turn_key")
        }
        named = await store.named_turns(tx, namespace_id, set(names.values()))
        return {line for line, name in names.items() if name in named}
    if kind is SUMMARY:
        summed_up = await store.summed_up_sessions(tx, namespace_id, {one.fields["session_id"] for one in some})
        return {one.line for one in some if one.fields["session_id"] in summed_up}
    if kind is OBSERVATION:
        active = [one for one in some if one.fields.get("ended_ms") is None]
        contents = await store.active_contents(tx, namespace_id, [one.fields for one in active])
        return {one.line for one in active if store.content_of(one.fields) in contents}
    if kind is HISTORY:
        entries = await store.history_entries(tx, namespace_id, {one.fields["observation_id"] for one in some})
        return {one.line for one in some if store.entry_of(one.fields) in entries}
    return set()
