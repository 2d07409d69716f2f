"""Taking over what other systems wrote: the whole file is read and checked first, then each of its items once."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import IO, Final

from beaver.memory.namespace import Namespace
from beaver.memory.observations.records import Evidence
from beaver.memory.observations.service import ObservationService
from beaver.memory.portability.export import Progress
from beaver.memory.portability.foreign import count_items, key_of, read_items
from beaver.memory.portability.items import ForeignMessage, Item
from beaver.memory.portability.merging import FORGOTTEN, KNOWN, NEW, Merged
from beaver.memory.records import TurnOrigin
from beaver.memory.transcripts.service import TURNS_A_COMMIT_MAX, TranscriptService, is_large

PAGE_ITEMS: Final = 4 * TURNS_A_COMMIT_MAX
"""Short messages asked for at once: what is one commit's is made ready while another is written."""


class TakingOver:
    """An import that was interrupted is repeated: what is known already stays as it is."""

    def __init__(self, transcripts: TranscriptService, observations: ObservationService) -> None:
        self._transcripts = transcripts
        self._observations = observations

    async def take_over(self, namespace: Namespace, source: IO[bytes], shape: str, on_progress: Progress) -> Merged:
        """Store the items of a file. Raises InvalidFile, before anything is stored, for a file with a bad line."""
        total = await asyncio.to_thread(count_items, source, shape, namespace.user_id)
        pages = _pages(read_items(source, shape, namespace.user_id))
        merged, done = Merged(), 0
        while (page := await asyncio.to_thread(next, pages, None)) is not None:
            # Short messages that are asked for together share commits, in their order.
            for outcome in await asyncio.gather(*(self._take(namespace, item) for item in page)):
                merged += outcome
            done += len(page)
            on_progress(done, total)
        return merged

    async def _take(self, namespace: Namespace, item: Item) -> Merged:
        key = f"import:{key_of(item)}"
        if isinstance(item, ForeignMessage):
            origin = TurnOrigin(turn_key=key, source="import")
            turn = await self._transcripts.add(namespace, item.session_id, [item.message], None, origin)
            return KNOWN if turn.duplicated else NEW
        # As evidence, the key tells a repetition from a second mention.
        told = replace(item, evidence=(Evidence(key, key),))
        written = await self._observations.write(namespace, told)
        if written.observation_id is None:
            return FORGOTTEN
        return NEW if written.outcome in ("added", "updated", "deleted") else KNOWN


def _pages(items: Iterable[Item]) -> Iterator[list[Item]]:
    """Runs of short messages; everything else by itself."""
    page: list[Item] = []
    for item in items:
        is_short = isinstance(item, ForeignMessage) and not is_large([item.message])
        if page and (not is_short or len(page) == PAGE_ITEMS):
            yield page
            page = []
        page.append(item)
        if not is_short:
            yield page
            page = []
    if page:
        yield page
