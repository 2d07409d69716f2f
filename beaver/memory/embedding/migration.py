"""From one encoder's vectors to another's, online: how far it is, who serves meanwhile, and the end of the old vectors."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from beaver.db.engine import Database
from beaver.logs import get_logger
from beaver.memory.embedding import store
from beaver.memory.inference.port import Encoder

FormerEncoders = Callable[[str], Encoder | None]
"""Opens the encoder of vectors stored under a model's name, where it can be had without its old settings. May read a file."""
REMOVED_IDS: Final = 5_000
"""How many ids one transaction looks at for old vectors."""


def no_former_encoders(_model: str) -> Encoder | None:
    """No encoder can be had without its settings."""
    return None


@dataclass(frozen=True)
class Coverage:
    """Of `passages` passages `embedded` have the model's vectors; `others`: how many have those of other models."""

    model: str
    embedded: int
    passages: int
    others: Mapping[str, int]


async def coverage_of(database: Database, model: str) -> Coverage:
    """How far the model's vectors are."""
    async with database.read() as tx:
        counted = await store.count_by_model(tx)
        passages = await store.count_passages(tx)
    return Coverage(model, counted.pop(model, 0), passages, counted)


def served_before(coverage: Coverage) -> str | None:
    """The other model that has more vectors than this one, if any: questions are better asked in its terms."""
    before = max(coverage.others, key=coverage.others.__getitem__, default=None)
    return before if before is not None and coverage.others[before] > coverage.embedded else None


class Migration:
    """From what other encoders made to what this one makes. `former`: an encoder whose vectors serve until then, if one does."""

    def __init__(self, database: Database, model: str, former_encoders: FormerEncoders) -> None:
        self.former: Encoder | None = None
        self._database = database
        self._model = model
        self._former_encoders = former_encoders
        self._is_over: bool | None = None

    async def begin(self) -> None:
        """See whether there is anything to migrate from, and say it. Once; nothing the next times."""
        if self._is_over is not None:
            return
        now = await coverage_of(self._database, self._model)
        self._is_over = not now.others
        if now.others:
            waiting = now.passages - now.embedded
            get_logger().info("embedding.migrates", to=self._model, others=dict(now.others), waiting=waiting)
        if (before := served_before(now)) is not None:
            self.former = await asyncio.to_thread(self._former_encoders, before)

    async def end(self) -> None:
        """Everything has the encoder's vectors: remove all others. Nothing the next times."""
        if self._is_over:
            return
        await self.close()
        removed = await _remove_other_models(self._database, self._model)
        self._is_over = True
        get_logger().info("embedding.migrated", to=self._model, removed=removed)

    async def close(self) -> None:
        """Close the former encoder. Can be repeated."""
        former, self.former = self.former, None
        if former is not None:
            await former.close()


async def _remove_other_models(database: Database, model: str) -> int:
    """In short transactions; returns how many."""
    async with database.read() as tx:
        newest_id = await store.newest_embedding_id(tx)
    removed = 0
    for after_id in range(0, newest_id, REMOVED_IDS):
        async with database.write() as tx:
            removed += await store.remove_other_models(tx, model, after_id, after_id + REMOVED_IDS)
    return removed
