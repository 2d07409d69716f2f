"""Forgetting a memory, a session, a resource, a user: each touches one user's memory only."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from beaver.clock import Clock
from beaver.db.engine import Database, Transaction
from beaver.errors import InvalidInput, NotFound
from beaver.memory.forgetting import observation_store, store
from beaver.memory.forgetting.purge import Purger
from beaver.memory.forgetting.records import Forgotten
from beaver.memory.forgetting.tombstones import message_hash, resource_hash
from beaver.memory.namespace import Namespace
from beaver.memory.observations.editing import forget_observation
from beaver.memory.observations.history_store import add_tombstones
from beaver.memory.retrieval.store import remove_passages
from beaver.memory.tables import passages
from beaver.memory.transcripts.store import find_conversation
from beaver.memory.users import store as users
from beaver.memory.users.store import find_namespace, rewrite_namespace

PASSAGES_A_TRANSACTION_MAX: Final = 2_000


class ForgettingService:
    """Deletes. What a call deleted cannot be read, searched or listed once it returns; the purger clears the file's bytes."""

    def __init__(self, database: Database, clock: Clock, purger: Purger) -> None:
        self._database = database
        self._clock = clock
        self._purger = purger

    async def forget_memory(self, namespace: Namespace, memory_id: str) -> Forgotten:
        """Forget a message, with what was learned from it alone; or an observation, with its older wordings.

        Raises NotFound, and InvalidInput for a passage of a resource.
        """
        async with self._database.write() as tx:
            namespace_id = await _turn_to_rewrite(tx, namespace, "memory")
            said = await store.find_message(tx, namespace_id, memory_id)
            if said is not None:
                forgotten = await self._forget_messages(tx, namespace_id, [said])
                await store.forget_message(tx, namespace_id, said)
            else:
                forgotten = await self._forget_observation(tx, namespace_id, memory_id)
            await self._purger.note(tx)
        self._purger.start()
        return forgotten

    async def forget_session(self, namespace: Namespace, session_id: str) -> Forgotten:
        """Forget a session: its messages, its summary, and what was learned in it alone. Raises NotFound."""
        async with self._database.write() as tx:
            namespace_id = await _turn_to_rewrite(tx, namespace, "session")
            conversation_id = await find_conversation(tx, namespace_id, session_id)
            if conversation_id is None:
                raise NotFound("there is no such session")
            said = await store.messages_of(tx, conversation_id)
            forgotten = await self._forget_messages(tx, namespace_id, said, conversation_id)
            await store.forget_conversation(tx, namespace_id, conversation_id)
            await self._purger.note(tx)
        self._purger.start()
        return forgotten + Forgotten(sessions=1)

    async def forget_resource(self, namespace: Namespace, uri: str) -> Forgotten:
        """Forget the document under a URI. Raises NotFound."""
        async with self._database.write() as tx:
            namespace_id = await _turn_to_rewrite(tx, namespace, "resource")
            found = await store.find_resource(tx, namespace_id, uri)
            if found is None:
                raise NotFound("there is no such resource")
            document_id, content = found
            await store.forget_resource(tx, namespace_id, document_id)
            await add_tombstones(tx, namespace_id, [resource_hash(uri, content)], "resource", self._clock())
            await self._purger.note(tx)
        self._purger.start()
        return Forgotten(resources=1)

    async def forget_user(self, user_id: str) -> None:
        """Forget a user: every namespace, key and receipt. Can be repeated after a failure. Raises NotFound.

        What has many rows goes in many transactions, so that nobody waits for long; the user goes with the last one.
        """
        while await self._forget_some(user_id):
            pass
        async with self._database.write() as tx:
            for namespace_id in await users.namespaces_of(tx, user_id):
                await rewrite_namespace(tx, namespace_id)
                await remove_passages(tx, passages.c.namespace_id == namespace_id)
            if not await users.remove_user(tx, user_id):
                raise NotFound("there is no such user")
            await self._purger.note(tx)
        self._purger.start()

    async def _forget_some(self, user_id: str) -> bool:
        """Remove the next passages of a user; False when there are few left."""
        async with self._database.write() as tx:
            for namespace_id in await users.namespaces_of(tx, user_id):
                await rewrite_namespace(tx, namespace_id)
                some = await store.some_passages(tx, namespace_id, PASSAGES_A_TRANSACTION_MAX)
                await remove_passages(tx, passages.c.id.in_(some))
                if len(some) == PASSAGES_A_TRANSACTION_MAX:
                    return True
        return False

    async def _forget_observation(self, tx: Transaction, namespace_id: int, memory_id: str) -> Forgotten:
        if await store.is_resource(tx, namespace_id, memory_id):
            raise InvalidInput("memory_id", "is a passage of a resource: delete the resource by its uri")
        return await self._forget_learned(tx, namespace_id, [memory_id])

    async def _forget_messages(
        self, tx: Transaction, namespace_id: int, said: Sequence[store.SaidOnce], conversation_id: int | None = None
    ) -> Forgotten:
        """Forget what was made of these messages, and set their tombstones; the messages themselves are the caller's."""
        ids = {one.id for one in said}
        learned, lessened = await observation_store.learned_only_from(tx, namespace_id, ids, conversation_id)
        await observation_store.lessen_evidence(tx, lessened)
        forgotten = await self._forget_learned(tx, namespace_id, learned)
        touched = {one.conversation_id for one in said} | ({conversation_id} if conversation_id is not None else set())
        summaries = sum([await store.forget_summary(tx, namespace_id, one) for one in touched])
        stones = {message_hash(one.session_id, one.speaker, one.observed_ms, one.content) for one in said}
        await add_tombstones(tx, namespace_id, stones, "message", self._clock())
        return forgotten + Forgotten(messages=len(said), summaries=summaries)

    async def _forget_learned(self, tx: Transaction, namespace_id: int, ids: Sequence[str]) -> Forgotten:
        gone = await observation_store.with_origins(tx, namespace_id, ids)
        for observation_id in gone:
            await forget_observation(tx, namespace_id, observation_id, self._clock())
        return Forgotten(observations=len(gone))


async def _turn_to_rewrite(tx: Transaction, namespace: Namespace, what: str) -> int:
    namespace_id = await find_namespace(tx, namespace)
    if namespace_id is None:
        raise NotFound(f"there is no such {what}")
    await rewrite_namespace(tx, namespace_id)
    return namespace_id
