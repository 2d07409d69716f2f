"""What a process holds of one namespace for its searches, and how that is brought up to date from the database."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Final, TypeVar

from beaver.db.completion import to_its_end
from beaver.db.engine import Transaction
from beaver.memory.allocator import give_memory_back
from beaver.memory.embedding.packing import measured_bytes
from beaver.memory.retrieval.beside.beside import Beside, read_beside
from beaver.memory.retrieval.index import index_store
from beaver.memory.retrieval.index.growing import Growing
from beaver.memory.retrieval.index.index_store import PassageRow, Revision, VectorRow
from beaver.memory.retrieval.index.kept_pieces import KeptPieces
from beaver.memory.retrieval.index.retiring import is_noted, retired_since
from beaver.memory.retrieval.signature import sign
from beaver.memory.retrieval.store import read_passages

ROWS_AT_ONCE: Final = 1000
"""What the event loop turns into values in one go, about 10 ms."""
ROWS_ON_THE_LOOP_MAX: Final = 20
GIVEN_BACK_AFTER_ROWS: Final = 20_000
RETIRED_SHARE_MAX: Final = 0.2
RETIRED_MIN: Final = 500
"""Rows that were retired and take their places still: from so many on, and with this share, all is read anew."""

T = TypeVar("T")


@dataclass
class Held:
    """A namespace's index and up to where it has been read; `begun` is the place that was read from first."""

    growing: Growing
    begun: Revision
    revision: int = -1
    oldest_id: int = 0
    older: int = 0
    passage_id: int = 0
    vector_id: int = 0
    turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    pieces: KeptPieces = field(default_factory=KeptPieces)
    growing_bytes: int = 0
    beside: Beside = field(default_factory=Beside)

    @property
    def settled(self) -> int:
        """The revision up to which nothing is in it that was retired."""
        return max(self.revision, self.begun.revision)

    def serves(self, now: Revision) -> bool:
        """Whether it can be brought up to date, rather than being read anew."""
        snapshot = self.growing.snapshot
        full = snapshot.retired > max(RETIRED_MIN, RETIRED_SHARE_MAX * snapshot.rows)
        return self.begun.rewrites == now.rewrites and is_noted(self.settled, now.revision) and not full

    @property
    def bytes(self) -> int:
        """What it takes in memory."""
        return self.growing_bytes + self.pieces.bytes

    async def read(self, tx: Transaction, namespace_id: int, model: str | None, *, passages_max: int) -> None:
        """What the transaction sees and this lacks: passages, at first the newest so many, and their vectors by the model; and
        what a search heeds beside these."""
        before = self.growing.snapshot.rows
        if not before:
            self.oldest_id = await index_store.id_before_newest(tx, namespace_id, passages_max)
            self.older = self.oldest_id and await index_store.count_upto(tx, namespace_id, self.oldest_id)
            self.passage_id = self.oldest_id
        # First: a document that was put anew is there no more before its new passages come.
        retired = await retired_since(tx, namespace_id, self.settled)
        self.growing.retire(retired)
        self.pieces.drop(retired)
        await self._read_passages(tx, namespace_id)
        if model is not None:
            await self._read_vectors(tx, namespace_id, model)
        self.beside = await read_beside(tx, namespace_id)
        if self.growing.snapshot.rows - before > GIVEN_BACK_AFTER_ROWS:
            await asyncio.to_thread(give_memory_back)

    async def _read_passages(self, tx: Transaction, namespace_id: int) -> None:
        reading = index_store.passages_after(tx, namespace_id, self.passage_id, at_once=ROWS_AT_ONCE)
        async with aclosing(reading) as passages:
            async for rows in passages:
                await to_its_end(self._take_passages(await _signed(tx, namespace_id, rows)))

    async def _read_vectors(self, tx: Transaction, namespace_id: int, model: str) -> None:
        reading = index_store.vectors_after(
            tx, namespace_id, model, self.vector_id, at_once=ROWS_AT_ONCE, after_passage_id=self.oldest_id
        )
        async with aclosing(reading) as vectors:
            async for rows in vectors:
                await to_its_end(self._take_vectors(rows))

    async def _take_passages(self, rows: Sequence[PassageRow]) -> None:
        """To its end, whoever is cancelled meanwhile: half of it would be taken twice."""
        await _worked(self.growing.add_passages, rows)
        self.passage_id = rows[-1].id

    async def _take_vectors(self, rows: Sequence[VectorRow]) -> None:
        """As `_take_passages`."""
        await _worked(self.growing.add_vectors, rows)
        self.vector_id = rows[-1].id
        with_pieces = [row for row in rows if row.piece_ids]
        self.pieces.expect([row.passage_id for row in with_pieces], sum(map(_pieces_bytes, with_pieces)))


def _pieces_bytes(row: VectorRow) -> int:
    """What a passage's pieces take."""
    return measured_bytes(len(row.piece_ids or b""), len(row.vector))


async def _worked(work: Callable[[Sequence[T]], None], rows: Sequence[T]) -> None:
    """Off the event loop, but for a few rows: a thread costs more than these."""
    if len(rows) <= ROWS_ON_THE_LOOP_MAX:
        work(rows)
    else:
        await asyncio.to_thread(work, rows)


async def _signed(tx: Transaction, namespace_id: int, rows: Sequence[PassageRow]) -> Sequence[PassageRow]:
    """Rows that were stored before there were signatures get theirs here."""
    bare = [row.id for row in rows if row.signature is None]
    if not bare:
        return rows
    read = await read_passages(tx, namespace_id, bare)
    texts = {passage_id: passage.text or "" for passage_id, passage in read.items()}
    return [
        row._replace(signature=sign(texts.get(row.id, ""), row.observed_ms)) if row.signature is None else row
        for row in rows
    ]
