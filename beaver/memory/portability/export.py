"""A namespace into a file: one snapshot, read in pages, the same memory always as the same bytes."""

from __future__ import annotations

import asyncio
import hashlib
import os
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from beaver.db.engine import Database, Transaction
from beaver.errors import NotFound
from beaver.memory.namespace import Namespace
from beaver.memory.portability import store
from beaver.memory.portability.kinds import (
    ARCHIVED,
    CONVERSATION,
    FOUND,
    HISTORY,
    LINES,
    PASSAGE_FIELDS,
    PERSON,
    TOMBSTONE,
    TURN,
    Fields,
    Kind,
)
from beaver.memory.portability.lines import Header, Verified, end_line, header_line, record_line
from beaver.memory.users.store import find_namespace

Progress = Callable[[int, int], None]
"""Called with how much is done, and of how much."""


@dataclass(frozen=True)
class Exported:
    """What a file holds: lines of each kind, and the fingerprint that it ends with."""

    counts: Mapping[str, int]
    sha256: str


async def export_namespace(
    database: Database, namespace: Namespace, target: IO[bytes], on_progress: Progress
) -> Exported:
    """Write the namespace's memory. Raises NotFound where nothing was ever stored."""
    seen = hashlib.sha256()

    async def write(lines: Sequence[bytes]) -> None:
        page = b"".join(lines)
        seen.update(page)
        await asyncio.to_thread(target.write, page)

    async with database.read() as tx:
        await store.hold_one_snapshot(tx)
        namespace_id = await find_namespace(tx, namespace)
        if namespace_id is None:
            raise NotFound("nothing is stored in this namespace")
        counts = await _counts(tx, namespace_id)
        await write([header_line(Header(namespace, counts))])
        done, total = 0, sum(counts.values())
        async for kind_of_page, page in _pages(tx, namespace_id):
            await write([record_line(kind, fields) for kind, fields in zip(kind_of_page, page, strict=True)])
            done += len(page)
            on_progress(done, total)
    await asyncio.to_thread(target.write, end_line(seen.hexdigest()))
    return Exported(counts, seen.hexdigest())


async def is_exported_as(database: Database, namespace: Namespace, file: Verified) -> bool:
    """Whether the namespace's export would be this file, to the byte."""
    async with database.read() as tx:
        namespace_id = await find_namespace(tx, namespace)
        if namespace_id is None or await _counts(tx, namespace_id) != dict(file.header.counts):
            return False
    with await asyncio.to_thread(Path(os.devnull).open, "wb") as nowhere:
        exported = await export_namespace(database, namespace, nowhere, lambda _done, _total: None)
    return exported.sha256 == file.sha256


async def _counts(tx: Transaction, namespace_id: int) -> dict[str, int]:
    return {kind.name: await store.count_rows(tx, namespace_id, kind) for kind in LINES.values()}


async def _pages(tx: Transaction, namespace_id: int) -> AsyncIterator[tuple[list[Kind], list[Fields]]]:
    for kind in (PERSON, CONVERSATION):
        async for page in _by_key(tx, namespace_id, kind):
            yield [kind] * len(page), page
    async for kinds, page in _found(tx, namespace_id):
        yield kinds, page
    for kind in FOUND:
        async for page in _unfound(tx, namespace_id, kind):
            yield [kind] * len(page), page
    for kind in (HISTORY, ARCHIVED, TOMBSTONE):
        async for page in _by_key(tx, namespace_id, kind):
            yield [kind] * len(page), page


async def _by_key(tx: Transaction, namespace_id: int, kind: Kind) -> AsyncIterator[list[Fields]]:
    after = None
    while page := await store.read_page(tx, namespace_id, kind, after):
        after = page[-1][0]
        yield [fields for _, fields in page]


async def _found(tx: Transaction, namespace_id: int) -> AsyncIterator[tuple[list[Kind], list[Fields]]]:
    """What a search finds, by first passages. A turn stands where its first message does."""
    after, last_turn = 0, None
    while places := await store.read_places(tx, namespace_id, after):
        after = places[-1]["id"]
        wanted: dict[tuple[Kind, str], Mapping[str, Any]] = {}
        for place in places:
            kind = next(kind for kind in FOUND if place[str(kind.source)] is not None)
            found = place["turn_id"] if kind is TURN else place[str(kind.source)]
            if kind is TURN and found == last_turn:
                continue  # the page before ended within it
            wanted.setdefault((kind, found), place)
            last_turn = found if kind is TURN else None
        rows = {
            kind: await store.read_by_id(tx, namespace_id, kind, [found for one, found in wanted if one is kind])
            for kind in FOUND
        }
        held = await store.read_messages(tx, namespace_id, list(rows[TURN]))
        page = [
            {**rows[kind][found], **({"messages": held[found]} if kind is TURN else {"passage": _place(place)})}
            for (kind, found), place in wanted.items()
        ]
        yield [kind for kind, _ in wanted], page


def _place(row: Mapping[str, Any]) -> Fields:
    return {name: row[name] for name in PASSAGE_FIELDS}


async def _unfound(tx: Transaction, namespace_id: int, kind: Kind) -> AsyncIterator[list[Fields]]:
    after = ""
    while page := await store.read_unfound_page(tx, namespace_id, kind, after):
        after = page[-1][0]
        rows = [fields for _, fields in page]
        if kind is TURN:
            held = await store.read_messages(tx, namespace_id, [row["id"] for row in rows])
            yield [{**row, "messages": held[row["id"]]} for row in rows]
        else:
            yield [{**row, "passage": None} for row in rows]
