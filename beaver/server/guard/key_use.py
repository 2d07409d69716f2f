"""When a key was last used: written behind the request's back, at most once a minute a key, whichever server it comes to."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from time import monotonic
from typing import Final

from beaver.db.engine import Database
from beaver.errors import BeaverError
from beaver.logs import get_logger
from beaver.sessions.key_store import KeyStore

NOTED_EVERY_S: Final = 60.0
KEYS_MAX: Final = 1000


class KeyUse:
    """Notes uses. Owns the tasks that write them: `aclose` before the database is closed."""

    def __init__(self, database: Database, *, clock: Callable[[], float] = monotonic) -> None:
        self._database = database
        self._store = KeyStore(database.dialect)
        self._clock = clock
        self._noted: OrderedDict[str, float] = OrderedDict()
        self._writing: set[asyncio.Task[None]] = set()

    def note(self, key_id: str) -> None:
        """A key was used now. Returns at once."""
        now = self._clock()
        if key_id in self._noted and now < self._noted[key_id] + NOTED_EVERY_S:
            return
        self._noted[key_id] = now
        self._noted.move_to_end(key_id)
        if len(self._noted) > KEYS_MAX:
            self._noted.popitem(last=False)
        task = asyncio.create_task(self._write(key_id))
        self._writing.add(task)
        task.add_done_callback(self._writing.discard)

    async def aclose(self) -> None:
        """See what is under way written; idempotent."""
        if self._writing:
            await asyncio.wait(self._writing)

    async def _write(self, key_id: str) -> None:
        try:
            async with self._database.write() as tx:
                await self._store.note_use(tx, key_id, every_ms=round(NOTED_EVERY_S * 1000))
        except BeaverError as error:
            get_logger().warning("key.use_not_noted", key_id=key_id, code=error.code)
