"""Where a restore writes until it is whole: a staged namespace, which then takes its place at once, or is removed."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from beaver.clock import Clock
from beaver.db.engine import Database, Transaction
from beaver.errors import Conflict, Unavailable
from beaver.memory.forgetting.purge import Purger
from beaver.memory.forgetting.removal_store import remove_some
from beaver.memory.namespace import Namespace
from beaver.memory.portability.store import is_used
from beaver.memory.users import staging_store
from beaver.memory.users.store import ensure_namespace, find_namespace, rewrite_namespace


class Staged:
    """What one restore writes to. Nobody sees any of it before it is published, in one transaction."""

    def __init__(self, database: Database, clock: Clock, namespace: Namespace, namespace_id: int) -> None:
        self.namespace_id = namespace_id
        self.is_published = False
        self._database = database
        self._clock = clock
        self._namespace = namespace

    @asynccontextmanager
    async def write(self) -> AsyncIterator[Transaction]:
        """A transaction that writes to it. Raises Conflict when another import of this memory has begun since, when it stood
        still for too long, or when its user was forgotten."""
        async with self._database.write() as tx:
            if not await staging_store.keep_staged(tx, self.namespace_id):
                raise _overtaken()
            yield tx

    async def publish(self) -> bool:
        """Let everybody see it; False where something else was stored there meanwhile. Raises Conflict as `write` does."""
        async with self._database.write() as tx:
            there = await ensure_namespace(tx, self._namespace, self._clock())
            if await is_used(tx, there):
                return False
            if not await staging_store.publish_staged(tx, self.namespace_id, self._namespace, there):
                raise _overtaken()
        self.is_published = True
        return True


def _overtaken() -> Conflict:
    return Conflict(
        "this import was given up: another one of this memory began, its user was forgotten, or it stood still for too long"
    )


class Staging:
    """Makes staged namespaces, one at most for a namespace: the last to begin has it. Removes them in short transactions."""

    def __init__(self, database: Database, clock: Clock, purger: Purger) -> None:
        self._database = database
        self._clock = clock
        self._purger = purger

    @asynccontextmanager
    async def opened(self, namespace: Namespace) -> AsyncIterator[Staged | None]:
        """For one restore; None where the namespace holds something. What is not published is removed at the end, from the file's
        bytes too. Raises NotFound without the user."""
        namespace_id = await self._begin(namespace)
        if namespace_id is None:
            yield None
            return
        staged = Staged(self._database, self._clock, namespace, namespace_id)
        try:
            yield staged
        finally:
            if not staged.is_published:
                with suppress(Unavailable):  # then the next import of this memory removes it, or maintenance
                    await self._give_up(namespace_id)

    async def clear(self, namespace: Namespace) -> None:
        """Remove what an earlier restore left, or writes to now: that one is given up."""
        async with self._database.write() as tx:
            left = await staging_store.void_staged_for(tx, namespace)
        if left is not None:
            await self._remove(left)

    async def remove_leftovers(self) -> int:
        """Remove what restores left that were killed; how many."""
        async with self._database.write() as tx:
            left = await staging_store.void_idle_staged(tx)
        for namespace_id in left:
            await self._remove(namespace_id)
        return len(left)

    async def _begin(self, namespace: Namespace) -> int | None:
        while True:
            await self.clear(namespace)
            async with self._database.write() as tx:
                begun = await staging_store.stage_namespace(tx, namespace, self._clock())
                if begun is None:
                    continue  # another one began since
                # Asked behind that: what was published before is seen now, and nothing else can be from here on.
                there = await find_namespace(tx, namespace)
                if there is None or not await is_used(tx, there):
                    return begun
                await staging_store.remove_staged(tx, begun)
                return None

    async def _give_up(self, namespace_id: int) -> None:
        """Remove it, and its traces; not if it was published and only the word of that was lost."""
        async with self._database.write() as tx:
            is_left = await staging_store.void_staged(tx, namespace_id)
        if is_left:
            await self._remove(namespace_id)
            await self._purger.wait_until_done()

    async def _remove(self, namespace_id: int) -> None:
        while await self._remove_some(namespace_id):
            await self._database.give_way()
        self._purger.start()

    async def _remove_some(self, namespace_id: int) -> bool:
        """Its next rows, and with the last ones itself; False then."""
        async with self._database.write() as tx:
            await rewrite_namespace(tx, namespace_id)
            is_left = await remove_some(tx, namespace_id)
            if not is_left:
                await staging_store.remove_staged(tx, namespace_id)
            await self._purger.note(tx)
        return is_left
