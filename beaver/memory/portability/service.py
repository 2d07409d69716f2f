"""Exporting, restoring and merging a namespace, and taking over what other systems wrote."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import IO

from beaver.clock import Clock
from beaver.db.engine import Database
from beaver.errors import Conflict, InvalidInput
from beaver.memory.namespace import Namespace
from beaver.memory.portability import store
from beaver.memory.portability.export import Exported, Progress, export_namespace
from beaver.memory.portability.lines import Header, Record, records, verify
from beaver.memory.portability.merging import Merged, new_lines
from beaver.memory.portability.writing import write_page
from beaver.memory.users.store import ensure_namespace, rewrite_namespace


class PortabilityService:
    """Memory as files. A file is read twice: nothing is written before all of it is known to be right."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def export(self, namespace: Namespace, target: IO[bytes], on_progress: Progress) -> Exported:
        """Write the namespace to a file."""
        return await export_namespace(self._database, namespace, target, on_progress)

    async def restore(self, namespace: Namespace, source: IO[bytes], on_progress: Progress) -> Merged:
        """Everything of a file into an empty namespace, in one transaction.

        Raises InvalidInput for a file that was changed or breaks a rule, Conflict for a namespace that holds something.
        """
        header = await self._checked(namespace, source)
        done, total = 0, sum(header.counts.values())
        async with self._database.write() as tx:
            namespace_id = await ensure_namespace(tx, namespace, self._clock())
            if await store.is_used(tx, namespace_id):
                raise Conflict("this namespace holds memories: only a merging import adds to them")
            await rewrite_namespace(tx, namespace_id)
            lines = records(source)
            while page := await _next_page(lines):
                await write_page(tx, namespace_id, namespace.user_id, page)
                done += len(page)
                on_progress(done, total)
        return Merged(changed=done)

    async def merge(self, namespace: Namespace, source: IO[bytes], on_progress: Progress) -> Merged:
        """What of a file the namespace does not have, page by page: the same file again goes on, and then changes nothing."""
        header = await self._checked(namespace, source)
        done, total, merged = 0, sum(header.counts.values()), Merged()
        lines = records(source)
        while page := await _next_page(lines):
            async with self._database.write() as tx:
                namespace_id = await ensure_namespace(tx, namespace, self._clock())
                kept, outcome = await new_lines(tx, namespace_id, page)
                await write_page(tx, namespace_id, namespace.user_id, kept)
            merged += outcome
            done += len(page)
            on_progress(done, total)
        return merged

    async def _checked(self, namespace: Namespace, source: IO[bytes]) -> Header:
        header = await asyncio.to_thread(verify, source)
        if header.namespace != namespace:
            raise InvalidInput("file", "must be an export of this user, app and project: ids belong to one memory")
        return header


async def _next_page(lines: Iterator[Record]) -> Sequence[Record]:
    return await asyncio.to_thread(lambda: list(islice(lines, store.PAGE_ROWS)))
