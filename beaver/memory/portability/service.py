"""Exporting, restoring and merging a namespace, and taking over what other systems wrote."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from itertools import islice
from typing import IO

from beaver.clock import Clock
from beaver.db.engine import Database
from beaver.errors import Conflict, InvalidInput
from beaver.memory.namespace import Namespace
from beaver.memory.portability import store
from beaver.memory.portability.export import Exported, Progress, export_namespace, is_exported_as
from beaver.memory.portability.known import unknown_lines
from beaver.memory.portability.lines import Record, Verified, records, verify
from beaver.memory.portability.merging import Merged, new_lines
from beaver.memory.portability.staging import Staged, Staging
from beaver.memory.portability.writing import spans_of, write_page
from beaver.memory.users.store import ensure_namespace, find_namespace


class PortabilityService:
    """Memory as files. A file is read twice: nothing is written before all of it is known to be right."""

    def __init__(self, database: Database, clock: Clock, staging: Staging) -> None:
        self._database = database
        self._clock = clock
        self._staging = staging

    async def export(self, namespace: Namespace, target: IO[bytes], on_progress: Progress) -> Exported:
        """Write the namespace to a file."""
        return await export_namespace(self._database, namespace, target, on_progress)

    async def restore(self, namespace: Namespace, source: IO[bytes], on_progress: Progress) -> Merged:
        """Everything of a file into an empty namespace, at once for who reads it; nothing where it is there already, and no more.

        Written in short transactions, so that others can write meanwhile. Raises InvalidInput for a file that was changed or
        breaks a rule, Conflict for a namespace that holds something else, and when another import of it began meanwhile.
        """
        file = await _checked(namespace, source, on_progress)
        async with self._staging.opened(namespace) as staged:
            if staged is not None:
                async for page in _pages(source, file, on_progress):
                    await _write(staged, namespace.user_id, page)
                if await staged.publish():
                    return Merged(changed=file.lines)
        if await is_exported_as(self._database, namespace, file):
            return Merged(unchanged=file.lines)
        raise Conflict("this namespace holds memories: only a merging import adds to them")

    async def merge(self, namespace: Namespace, source: IO[bytes], on_progress: Progress) -> Merged:
        """What of a file the namespace does not have, page by page: the same file again goes on, and then changes nothing."""
        file, merged = await _checked(namespace, source, on_progress), Merged()
        await self._staging.clear(namespace)  # ids of a restore that was killed would be taken
        async for page in _pages(source, file, on_progress):
            merged += await self._merge(namespace, page)
        return merged

    async def _merge(self, namespace: Namespace, page: Sequence[Record]) -> Merged:
        """What takes long is done before others have to wait. What is known by then stays as it is, whatever is written since."""
        async with self._database.read() as tx:
            unknown = await unknown_lines(tx, await find_namespace(tx, namespace), page)
        outcome = Merged(unchanged=len(page) - len(unknown))
        if unknown:
            spans = await asyncio.to_thread(spans_of, unknown, namespace.user_id)
            async with self._database.write() as tx:
                namespace_id = await ensure_namespace(tx, namespace, self._clock())
                kept, written = await new_lines(tx, namespace_id, unknown)
                await write_page(tx, namespace_id, kept, spans)
            outcome += written
        return outcome


async def _write(staged: Staged, user_id: str, page: Sequence[Record]) -> None:
    """What takes long is done before others have to wait."""
    spans = await asyncio.to_thread(spans_of, page, user_id)
    async with staged.write() as tx:
        await write_page(tx, staged.namespace_id, page, spans)


async def _checked(namespace: Namespace, source: IO[bytes], on_progress: Progress) -> Verified:
    """Read the file once, which is half of the way."""
    steps = verify(source)
    while (step := await asyncio.to_thread(next, steps, None)) is not None:
        if step.header.namespace != namespace:
            raise InvalidInput("file", "must be an export of this user, app and project: ids belong to one memory")
        on_progress(step.lines, 2 * sum(step.header.counts.values()))
        file = step
    return file


async def _pages(source: IO[bytes], file: Verified, on_progress: Progress) -> AsyncIterator[Sequence[Record]]:
    """The lines of a file that was checked; what was given out before is done when more is asked for."""
    lines, done = records(source), file.lines
    while page := await asyncio.to_thread(_page, lines):
        yield page
        done += len(page)
        on_progress(done, 2 * file.lines)


def _page(lines: Iterator[Record]) -> list[Record]:
    page: list[Record] = []
    size = 0
    for record in islice(lines, store.PAGE_ROWS):
        page.append(record)
        size += record.size
        if size >= store.PAGE_SIZE:
            break
    return page
