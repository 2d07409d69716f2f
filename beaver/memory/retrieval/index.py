"""The index in memory: snapshots of namespaces, brought up to date from the database when a search needs them."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Final, TypeVar

from beaver.db.completion import to_its_end
from beaver.db.engine import Database, Transaction
from beaver.memory.allocator import give_memory_back
from beaver.memory.embedding.packing import measured_bytes
from beaver.memory.namespace import Namespace
from beaver.memory.retrieval import index_store
from beaver.memory.retrieval.growing import Growing
from beaver.memory.retrieval.index_store import PassageRow, Revision, VectorRow
from beaver.memory.retrieval.kept_pieces import KeptPieces
from beaver.memory.retrieval.place import Place
from beaver.memory.retrieval.retiring import is_noted, retired_since
from beaver.memory.retrieval.signature import sign
from beaver.memory.retrieval.snapshot import Snapshot
from beaver.memory.retrieval.store import read_passages
from beaver.schemas.gateway import ASSISTANT_SENDER

BYTES_MAX: Final = 128 * 1024 * 1024
PASSAGES_MAX: Final = 200_000
ROWS_AT_ONCE: Final = 1000
"""What the event loop turns into values in one go, about 10 ms."""
ROWS_ON_THE_LOOP_MAX: Final = 20
GIVEN_BACK_AFTER_ROWS: Final = 20_000
RETIRED_SHARE_MAX: Final = 0.2
RETIRED_MIN: Final = 500
"""Rows that were retired and take their places still: from so many on, and with this share, all is read anew."""

T = TypeVar("T")


@dataclass
class _Held:
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

    async def take_passages(self, rows: Sequence[PassageRow]) -> None:
        """To its end, whoever is cancelled meanwhile: half of it would be taken twice."""
        await _worked(self.growing.add_passages, rows)
        self.passage_id = rows[-1].id

    async def take_vectors(self, rows: Sequence[VectorRow]) -> None:
        """As `take_passages`."""
        await _worked(self.growing.add_vectors, rows)
        self.vector_id = rows[-1].id
        with_pieces = [row for row in rows if row.piece_ids]
        self.pieces.expect([row.passage_id for row in with_pieces], sum(map(_pieces_bytes, with_pieces)))


@dataclass(frozen=True)
class Indexed:
    """A namespace's snapshot; passages with ids up to `older_upto` are not in it, which are `older` in number. `pieces`: word
    pieces that need not be read; what a search reads it adds.
    """

    snapshot: Snapshot
    older_upto: int
    older: int
    pieces: KeptPieces


@dataclass(frozen=True)
class IndexFigures:
    """What an index holds, and how often it read a whole namespace, or what was new in one. Many whole ones, where few processes
    begin, say that the memories in use do not fit.
    """

    namespaces: int
    bytes: int
    read_whole: int
    read_new: int


class MemoryIndex:
    """Holds the namespaces that were searched last, within a bound of bytes. `model`: whose vectors it holds."""

    def __init__(self, model: str | None, *, bytes_max: int = BYTES_MAX, passages_max: int = PASSAGES_MAX) -> None:
        self.model: Final = model
        self._bytes_max = bytes_max
        self._passages_max = passages_max
        # What comes to the newest is kept for a while: to leave the oldest out means to read all anew.
        self._grown_max = passages_max * 5 // 4
        self._held: OrderedDict[int, _Held] = OrderedDict()
        self._read_whole = self._read_new = 0

    @property
    def figures(self) -> IndexFigures:
        """As they stand now."""
        held = self._held.values()
        return IndexFigures(len(held), sum(one.bytes for one in held), self._read_whole, self._read_new)

    async def snapshot(self, database: Database, place: Place) -> Indexed:
        """The namespace as it stood when the place was found, or later. To be called outside of transactions: one that waits
        here for another search's reading would be ended for being idle."""
        now = place.revision
        held = self._held_for(place.namespace_id, place.namespace, now)
        async with held.turn:
            if held.revision < now.revision:
                async with database.read() as tx:
                    await self._bring_up_to_date(tx, place.namespace_id, held)
                held.revision = now.revision
                held.growing_bytes = held.growing.bytes
        self._let_go()
        return Indexed(held.growing.snapshot, held.oldest_id, held.older, held.pieces)

    def _held_for(self, namespace_id: int, namespace: Namespace, now: Revision) -> _Held:
        held = self._held.get(namespace_id)
        if held is None or not held.serves(now) or held.growing.snapshot.rows > self._grown_max:
            held = _Held(Growing(frozenset({namespace.user_id, ASSISTANT_SENDER})), now)
            self._held[namespace_id] = held
        self._held.move_to_end(namespace_id)
        return held

    async def _bring_up_to_date(self, tx: Transaction, namespace_id: int, held: _Held) -> None:
        before = held.growing.snapshot.rows
        self._read_whole += not before
        self._read_new += bool(before)
        if not before:
            held.oldest_id = await index_store.id_before_newest(tx, namespace_id, self._passages_max)
            held.older = held.oldest_id and await index_store.count_upto(tx, namespace_id, held.oldest_id)
            held.passage_id = held.oldest_id
        async with aclosing(
            index_store.passages_after(tx, namespace_id, held.passage_id, at_once=ROWS_AT_ONCE)
        ) as passages:
            async for rows in passages:
                await to_its_end(held.take_passages(await _signed(tx, namespace_id, rows)))
        await self._read_vectors(tx, namespace_id, held)
        # Last: what was retired since the passages were read may be among them.
        retired = await retired_since(tx, namespace_id, held.settled)
        held.growing.retire(retired)
        held.pieces.drop(retired)
        if held.growing.snapshot.rows - before > GIVEN_BACK_AFTER_ROWS:
            await asyncio.to_thread(give_memory_back)

    async def _read_vectors(self, tx: Transaction, namespace_id: int, held: _Held) -> None:
        if self.model is None:
            return
        reading = index_store.vectors_after(
            tx, namespace_id, self.model, held.vector_id, at_once=ROWS_AT_ONCE, after_passage_id=held.oldest_id
        )
        async with aclosing(reading) as vectors:
            async for rows in vectors:
                await to_its_end(held.take_vectors(rows))

    def _let_go(self) -> None:
        """Drop what was not searched for longest, word pieces first; the last namespace stays, however large."""
        above = sum(held.bytes for held in self._held.values()) - self._bytes_max
        for held in list(self._held.values())[:-1]:
            if above > 0:
                above -= held.pieces.bytes
                held.pieces.clear()
        while above > 0 and len(self._held) > 1:
            _, held = self._held.popitem(last=False)
            above -= held.bytes


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
