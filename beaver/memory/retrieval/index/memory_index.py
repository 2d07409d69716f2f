"""The index in memory: snapshots of namespaces, brought up to date from the database when a search needs them."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from typing import Final

from beaver.db.engine import Database
from beaver.memory.namespace import Namespace
from beaver.memory.retrieval.beside.beside import Beside
from beaver.memory.retrieval.index.growing import Growing
from beaver.memory.retrieval.index.held import Held
from beaver.memory.retrieval.index.index_store import Revision
from beaver.memory.retrieval.index.kept_pieces import KeptPieces
from beaver.memory.retrieval.index.place import Place
from beaver.memory.retrieval.index.snapshot import Snapshot
from beaver.schemas.gateway import ASSISTANT_SENDER

BYTES_MAX: Final = 128 * 1024 * 1024
PASSAGES_MAX: Final = 200_000


@dataclass(frozen=True)
class Indexed:
    """A namespace's snapshot; passages with ids up to `older_upto` are not in it, which are `older` in number. `pieces`: word
    pieces that need not be read; what a search reads it adds. `beside`: what it heeds beside passages.
    """

    snapshot: Snapshot
    older_upto: int
    older: int
    pieces: KeptPieces
    beside: Beside


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
        self._held: OrderedDict[int, Held] = OrderedDict()
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
                self._count(held)
                async with database.read() as tx:
                    await held.read(tx, place.namespace_id, self.model, passages_max=self._passages_max)
                held.revision = now.revision
                held.growing_bytes = held.growing.bytes
        self._let_go()
        return Indexed(held.growing.snapshot, held.oldest_id, held.older, held.pieces, held.beside)

    def _count(self, held: Held) -> None:
        is_new = not held.growing.snapshot.rows
        self._read_whole += is_new
        self._read_new += not is_new

    def _held_for(self, namespace_id: int, namespace: Namespace, now: Revision) -> Held:
        held = self._held.get(namespace_id)
        if held is None or not held.serves(now) or held.growing.snapshot.rows > self._grown_max:
            held = Held(Growing(frozenset({namespace.user_id, ASSISTANT_SENDER})), now)
            self._held[namespace_id] = held
        self._held.move_to_end(namespace_id)
        return held

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
