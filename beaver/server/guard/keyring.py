"""Looks keys up, with as few queries as may be.

A key that was looked up is believed for `BELIEVED_S` seconds, so that a request costs no query of its own; a key that
is revoked opens nothing after that time at the latest, on every server. Of an address that sends many wrong keys none is
looked up by itself: whether one is right is seen in a list of all, read once in `LIST_S`. So a right key is never locked
out by wrong ones beside it, and wrong ones cost the database next to nothing.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from time import monotonic
from typing import Final

from beaver.db.engine import Database
from beaver.errors import LimitExceeded, Unauthenticated
from beaver.server.guard.wrong_keys import WrongKeys
from beaver.sessions.key_store import KeyStore
from beaver.sessions.keys import KeyRecord, hash_key

BELIEVED_S: Final = 3.0
KEYS_BELIEVED_MAX: Final = 1000
LIST_S: Final = 1.0


class Keyring:
    """Active keys by their hash. A wrong key is never remembered: that would push out the right ones."""

    def __init__(self, database: Database, wrong: WrongKeys | None = None) -> None:
        self._database = database
        self._store = KeyStore(database.dialect)
        self._wrong = wrong or WrongKeys()
        self._believed: OrderedDict[str, tuple[KeyRecord, float]] = OrderedDict()
        self._listed: frozenset[str] = frozenset()
        self._listed_until = 0.0
        self._listing = asyncio.Lock()

    async def find(self, secret: str, address: str) -> KeyRecord:
        """The key with this secret, sent from this address.

        Raises Unauthenticated, for unknown, revoked and expired ones alike, and LimitExceeded where too many of these
        came from there.
        """
        wanted = hash_key(secret)
        record, until = self._believed.get(wanted, (None, 0.0))
        if record is not None and monotonic() < until:
            return record
        self._believed.pop(wanted, None)
        if self._wrong.were_too_many(address) and wanted not in await self._all():
            raise LimitExceeded("too many wrong API keys came from this address; try again in a moment")
        # From before the look: a key that is revoked during it is believed no longer than others.
        until = monotonic() + BELIEVED_S
        async with self._database.read() as tx:
            record = await self._store.find(tx, secret)
        if record is None:
            self._wrong.note(address)
            raise Unauthenticated("the API key is not known, or no longer active")
        return self._believe(wanted, record, until)

    async def _all(self) -> frozenset[str]:
        # Those that come meanwhile wait for the same list.
        async with self._listing:
            if monotonic() >= self._listed_until:
                async with self._database.read() as tx:
                    self._listed = await self._store.active_hashes(tx)
                self._listed_until = monotonic() + LIST_S
        return self._listed

    def _believe(self, wanted: str, record: KeyRecord, until: float) -> KeyRecord:
        self._believed[wanted] = (record, until)
        if len(self._believed) > KEYS_BELIEVED_MAX:
            self._believed.popitem(last=False)
        return record
