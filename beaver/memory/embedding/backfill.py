"""One page of the back-fill: find what waits, encode it outside any transaction, write it in short ones."""

from __future__ import annotations

import asyncio
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Final

from beaver.clock import Clock
from beaver.db.engine import Database, Transaction
from beaver.errors import PeerFault
from beaver.logs import get_logger
from beaver.memory.embedding import store, waiting_store
from beaver.memory.embedding.progress import Progress
from beaver.memory.embedding.store import Packed
from beaver.memory.embedding.vectoriser import Vectoriser
from beaver.memory.embedding.waiting_store import Rested, Waiting
from beaver.memory.inference.port import Encoder

BATCH_MAX: Final = 32
TRIES_MAX: Final = 3
"""How often a text is tried that the encoder refuses; then it is left to full text until the next start."""
SET_ASIDE_MAX: Final = 1000
TRIED_WITHOUT_WORK: Final = 3
"""How many texts of a page an encoder that never took one is asked for one by one."""
SUMMARIES_REST_MS: Final = 30_000
"""A summary that changed less long ago waits: each turn writes it anew, and it is by far the longest text of a turn."""


class BackFill:
    """What of a database waits for an encoder's vectors, and how far it got. One page at a time: nothing is encoded twice.

    `encoded`: how many passages it gave vectors.
    """

    def __init__(self, database: Database, encoder: Encoder, clock: Clock) -> None:
        self._database = database
        self._model = encoder.model
        self._clock = clock
        self._vectoriser = Vectoriser(encoder)
        self._progress: Progress | None = None
        self._refusals: Counter[int] = Counter()
        self._has_worked = False
        self._tried = 0
        self.encoded = 0
        self._turn = asyncio.Lock()

    async def embed_page(self, *, thoroughly: bool) -> bool:
        """Give vectors to up to 32 passages, the newest first. False when none waits, but for what was set aside; and, unless it
        is done `thoroughly`, for summaries that change, and what was stored long after it got its ids, for ten seconds at most.

        Raises Unavailable when the encoder or the database cannot serve, PeerFault when the encoder refuses texts that are
        not set aside yet; the same page comes again then.
        """
        async with self._turn:
            waiting, progress = await self._next_page(thoroughly)
            await self._embed(waiting)
            self._progress = progress
        # A page that is not full was the last of what came lately; whether others wait is looked at when that is due.
        return len(waiting) == BATCH_MAX or (bool(waiting) and (thoroughly or progress.is_due(time.monotonic())))

    async def embed_conversation_page(self, conversation_id: int, since_ms: int) -> bool:
        """The same for up to 32 passages of a conversation, observed since then. False when no more of them wait. Raises what
        `embed_page` does."""
        async with self._turn:
            async with self._database.read_apart() as tx:
                waiting = await waiting_store.waiting_in_conversation(
                    tx, self._model, conversation_id, since_ms, limit=BATCH_MAX
                )
            await self._write(waiting, await self._vectoriser.vectors([one.text for one in waiting]))
        return len(waiting) == BATCH_MAX

    def set_aside(self) -> list[int]:
        """The ids of passages whose texts the encoder refuses."""
        return [passage_id for passage_id, tries in self._refusals.items() if tries >= TRIES_MAX]

    async def _next_page(self, thoroughly: bool) -> tuple[list[Waiting], Progress]:
        async with self._database.read_apart() as tx:
            newest_id, now_s = await waiting_store.newest_passage_id(tx), time.monotonic()
            progress = self._progress or Progress.at_start(newest_id, now_s)
            rested = self._rested(thoroughly)
            waiting = await self._between(tx, progress.quick_from, newest_id, rested)
            if not waiting and (thoroughly or progress.is_due(now_s)):
                waiting = await self._between(tx, progress.recent_from, newest_id, rested)
                progress = progress if waiting else progress.recent_done(newest_id, now_s)
        return (waiting, progress) if waiting else await self._older_page(progress.quick_done(newest_id), rested)

    async def _older_page(self, progress: Progress, rested: Rested) -> tuple[list[Waiting], Progress]:
        while (window := progress.older_window()) is not None:
            async with self._database.read_apart() as tx:
                waiting = await self._between(tx, window.after_id, window.upto_id, rested)
            full = len(waiting) == BATCH_MAX
            progress = progress.older_done_down_to(waiting[-1].passage_id if full else window.after_id + 1)
            if waiting:
                return waiting, progress
        return [], progress

    def _rested(self, thoroughly: bool) -> Rested:
        now_ms = self._clock()
        return Rested(now_ms if thoroughly else now_ms - SUMMARIES_REST_MS, now_ms)

    async def _between(self, tx: Transaction, after_id: int, upto_id: int, rested: Rested) -> list[Waiting]:
        return await waiting_store.waiting_between(
            tx, self._model, after_id, upto_id, rested, limit=BATCH_MAX, without=self.set_aside()
        )

    async def _embed(self, waiting: Sequence[Waiting]) -> None:
        texts = [one.text for one in waiting]
        try:
            await self._write(waiting, await self._vectoriser.vectors(texts))
            self._has_worked |= bool(waiting)
        except PeerFault:
            # One text may spoil it for all: each by itself, so that only that one waits. An encoder that never took any is set
            # up wrongly, more likely: a few are enough to see, since a service's answers cost something even so.
            some = waiting if self._has_worked else self._a_few(waiting)
            await self._write_or_refuse(some, await self._vectoriser.vectors_each([one.text for one in some]))

    def _a_few(self, waiting: Sequence[Waiting]) -> Sequence[Waiting]:
        """Others each time."""
        first, self._tried = self._tried % len(waiting), self._tried + TRIED_WITHOUT_WORK
        return [*waiting[first:], *waiting[:first]][:TRIED_WITHOUT_WORK]

    async def _write_or_refuse(self, waiting: Sequence[Waiting], made: Sequence[Packed | None]) -> None:
        """Raises PeerFault while a text may yet be taken: always, as long as the encoder has never taken one."""
        both = list(zip(waiting, made, strict=True))
        taken = [(one, packed) for one, packed in both if packed is not None]
        refused = [one.passage_id for one, packed in both if packed is None]
        await self._write([one for one, _ in taken], [packed for _, packed in taken])
        self._has_worked |= bool(taken)
        if self._has_worked:
            self._refusals.update(refused)
        if len(self._refusals) > SET_ASIDE_MAX or any(self._refusals[one] < TRIES_MAX for one in refused):
            raise PeerFault(f"the encoder refuses {len(refused)} of {len(waiting)} texts")
        if refused:
            get_logger().warning("embedding.set_aside", passages=len(refused), tries=TRIES_MAX)

    async def _write(self, waiting: Sequence[Waiting], made: Sequence[Packed]) -> None:
        by_namespace: dict[int, list[tuple[int, Packed]]] = defaultdict(list)
        for one, packed in zip(waiting, made, strict=True):
            by_namespace[one.namespace_id].append((one.passage_id, packed))
        for namespace_id, rows in by_namespace.items():
            async with self._database.write() as tx:
                stored = await store.add_vectors(tx, namespace_id, self._model, rows, self._clock())
            self.encoded += stored
