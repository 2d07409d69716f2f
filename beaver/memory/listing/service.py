"""Listing and reading a user's memories and resources."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from beaver.clock import Clock
from beaver.db.engine import Database, Transaction
from beaver.errors import InvalidInput, NotFound
from beaver.memory.listing import store
from beaver.memory.listing.records import Memory, MemoryFilter, MemoryPage, ResourcePage, Source
from beaver.memory.namespace import Namespace
from beaver.memory.observations.store import find_observation
from beaver.memory.users.store import find_namespace

INTEGER_DIGITS_MAX: Final = 18


class ListingService:
    """Reads. A namespace in which nothing was ever stored is empty; what it does not hold is not found."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def memories(
        self, namespace: Namespace, where: MemoryFilter, *, cursor: str | None, limit: int
    ) -> MemoryPage:
        """Messages and active observations, the newest first. Raises InvalidInput for a cursor that is none of ours."""
        after = None if cursor is None else _place(cursor)
        async with self._database.read() as tx:
            namespace_id = await find_namespace(tx, namespace)
            if namespace_id is None:
                return MemoryPage((), None)
            places = await store.page_of_memories(
                tx, namespace_id, where, after=after, limit=limit + 1, now_ms=self._clock()
            )
            memories = await _read(tx, namespace_id, places[:limit])
        _, at_ms, memory_id = places[limit - 1] if len(places) > limit else (None, 0, "")
        return MemoryPage(memories, f"{at_ms}:{memory_id}" if memory_id else None)

    async def memory(self, namespace: Namespace, memory_id: str) -> Memory:
        """One message or observation (an ended one too). Raises NotFound."""
        async with self._database.read() as tx:
            namespace_id = await find_namespace(tx, namespace)
            if namespace_id is not None:
                said = await store.read_messages(tx, namespace_id, [memory_id])
                found = said.get(memory_id) or await find_observation(tx, namespace_id, memory_id)
                if found is not None:
                    return found
        raise NotFound("there is no such memory")

    async def evidence(self, namespace: Namespace, observation_id: str) -> Sequence[Source]:
        """The messages that an observation (an ended one too) was learned from. Raises NotFound."""
        async with self._database.read() as tx:
            namespace_id = await find_namespace(tx, namespace)
            held = None if namespace_id is None else await find_observation(tx, namespace_id, observation_id)
            if namespace_id is None or held is None:
                raise NotFound("there is no such observation")
            said = await store.read_messages(tx, namespace_id, [one.message_id for one in held.evidence])
        return [Source(one, said.get(one.message_id)) for one in held.evidence]

    async def resources(self, namespace: Namespace, *, cursor: str | None, limit: int) -> ResourcePage:
        """Stored documents in the order of their URIs; the cursor is the last one's."""
        async with self._database.read() as tx:
            namespace_id = await find_namespace(tx, namespace)
            if namespace_id is None:
                return ResourcePage((), None)
            found = await store.page_of_resources(tx, namespace_id, after=cursor, limit=limit + 1)
        return ResourcePage(found[:limit], found[limit - 1].uri if len(found) > limit else None)


async def _read(tx: Transaction, namespace_id: int, places: Sequence[tuple[str, int, str]]) -> list[Memory]:
    said = await store.read_messages(
        tx, namespace_id, [memory_id for kind, _, memory_id in places if kind == "message"]
    )
    read = list[Memory]()
    for kind, _, memory_id in places:
        found = said.get(memory_id) if kind == "message" else await find_observation(tx, namespace_id, memory_id)
        if found is not None:
            read.append(found)
    return read


def _place(cursor: str) -> store.Place:
    at_ms, _, memory_id = cursor.partition(":")
    if not (at_ms.isascii() and at_ms.isdigit() and len(at_ms) <= INTEGER_DIGITS_MAX and memory_id):
        raise InvalidInput("cursor", "must be the next_cursor of a page before")
    return int(at_ms), memory_id
