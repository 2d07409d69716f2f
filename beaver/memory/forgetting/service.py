"""Forgetting a memory, a session, a resource, a user: each touches one user's memory only."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from beaver.clock import Clock
from beaver.db.engine import Database, Transaction
from beaver.errors import InvalidInput, NotFound
from beaver.ids import IdSource
from beaver.memory.forgetting import observation_store, store
from beaver.memory.forgetting.moving_store import move_out
from beaver.memory.forgetting.observation_store import Learned
from beaver.memory.forgetting.purge import Purger
from beaver.memory.forgetting.quoting import quotes
from beaver.memory.forgetting.records import Forgotten
from beaver.memory.forgetting.removal_store import remove_some
from beaver.memory.forgetting.tombstones import message_hash, resource_hash
from beaver.memory.namespace import Namespace
from beaver.memory.observations.editing import forget_observation
from beaver.memory.observations.history_store import add_tombstones
from beaver.memory.retrieval.store import remove_passages
from beaver.memory.summaries.summarising import summarise
from beaver.memory.tables import passages
from beaver.memory.transcripts.store import find_conversation
from beaver.memory.users import store as users
from beaver.memory.users.staging_store import void_staged_of_user
from beaver.memory.users.store import advance_namespace, find_namespace, replace_in_namespace, rewrite_namespace


class ForgettingService:
    """Deletes. What a call deleted cannot be read, searched or listed once it returns; the purger clears the file's bytes."""

    def __init__(self, database: Database, clock: Clock, new_id: IdSource, purger: Purger) -> None:
        self._database = database
        self._clock = clock
        self._new_id = new_id
        self._purger = purger

    async def forget_memory(self, namespace: Namespace, memory_id: str) -> Forgotten:
        """Forget a message, with what was learned from it alone; or an observation, with its older wordings.

        What was learned from others too, but tells what only this one said, goes as well and is learned anew by the next
        flush. Summaries are written anew. Raises NotFound, and InvalidInput for a passage of a resource.
        """
        async with self._database.write() as tx:
            namespace_id = await _turn(tx, namespace, "memory")
            said = await store.find_message(tx, namespace_id, memory_id)
            if said is not None:
                await rewrite_namespace(tx, namespace_id)
                place: int | None = said.conversation_id
                forgotten = await self._forget_message(tx, namespace_id, said)
            else:
                await replace_in_namespace(tx, namespace_id)
                place = await store.conversation_of(tx, namespace_id, memory_id)
                forgotten = await self._forget_observation(tx, namespace_id, memory_id)
            if place is not None:
                await store.forget_if_empty(tx, namespace_id, place)
            await self._purger.note(tx)
        self._purger.start()
        return forgotten

    async def forget_session(self, namespace: Namespace, session_id: str) -> Forgotten:
        """Forget a session: its messages, its summary, and what was learned in it alone. Raises NotFound."""
        async with self._database.write() as tx:
            namespace_id = await _turn(tx, namespace, "session")
            await rewrite_namespace(tx, namespace_id)
            conversation_id = await find_conversation(tx, namespace_id, session_id)
            if conversation_id is None:
                raise NotFound("there is no such session")
            said = await store.messages_of(tx, conversation_id)
            forgotten, titles = await self._forget_messages(tx, namespace_id, said, session_id)
            summaries = await store.forget_summary(tx, namespace_id, conversation_id)
            homes = await move_out(tx, namespace_id, conversation_id, session_id)
            await store.forget_conversation(tx, namespace_id, conversation_id)
            forgotten += Forgotten(summaries=summaries + await self._summarise(tx, namespace_id, set(), titles))
            for home in homes:
                await summarise(tx, namespace_id, home, self._new_id, self._clock())
            await self._purger.note(tx)
        self._purger.start()
        return forgotten + Forgotten(sessions=1)

    async def forget_resource(self, namespace: Namespace, uri: str) -> Forgotten:
        """Forget the document under a URI. Raises NotFound."""
        async with self._database.write() as tx:
            namespace_id = await _turn(tx, namespace, "resource")
            found = await store.find_resource(tx, namespace_id, uri)
            if found is None:
                raise NotFound("there is no such resource")
            document_id, content = found
            await store.forget_resource(tx, namespace_id, document_id)
            await add_tombstones(tx, namespace_id, [resource_hash(uri, content)], "resource", self._clock())
            await self._purger.note(tx)
        self._purger.start()
        return Forgotten(resources=1)

    async def forget_expired(self, *, rows_max: int) -> int:
        """Erase observations of one namespace whose time is over, at most so many; how many there were, 0 where none is left.

        Unlike what was forgotten they leave no tombstones: said again, they are learned again.
        """
        now_ms = self._clock()
        async with self._database.read() as tx:
            namespace_id = await observation_store.place_with_expired(tx, now_ms)
        if namespace_id is None:
            return 0
        async with self._database.write() as tx:
            await replace_in_namespace(tx, namespace_id)
            due = await observation_store.expired_in(tx, namespace_id, now_ms, rows_max)
            _, titles = await self._forget_learned(tx, namespace_id, due, may_return=True)
            await self._summarise(tx, namespace_id, set(), titles)
            await self._purger.note(tx)
        self._purger.start()
        return len(due)

    async def forget_user(self, user_id: str) -> None:
        """Forget a user: every namespace, key and receipt. Can be repeated after a failure. Raises NotFound.

        What has many rows goes in many transactions, so that nobody waits for long; the user goes with the last one. A restore
        that is under way is given up.
        """
        async with self._database.write() as tx:
            await void_staged_of_user(tx, user_id)
        while await self._forget_some(user_id):
            await self._database.give_way()
        async with self._database.write() as tx:
            for namespace_id in await users.namespaces_of(tx, user_id):
                await rewrite_namespace(tx, namespace_id)
                await remove_passages(tx, passages.c.namespace_id == namespace_id)
            if not await users.remove_user(tx, user_id):
                raise NotFound("there is no such user")
            await self._purger.note(tx)
        self._purger.start()

    async def _forget_some(self, user_id: str) -> bool:
        """Remove the next rows of a user; False when there are none left."""
        async with self._database.write() as tx:
            for namespace_id in await users.namespaces_of(tx, user_id):
                await rewrite_namespace(tx, namespace_id)
                if await remove_some(tx, namespace_id):
                    return True
        return False

    async def _forget_observation(self, tx: Transaction, namespace_id: int, memory_id: str) -> Forgotten:
        if await store.is_resource(tx, namespace_id, memory_id):
            raise InvalidInput("memory_id", "is a passage of a resource: delete the resource by its uri")
        ids = await observation_store.with_hidden_copies(tx, namespace_id, memory_id)
        forgotten, titles = await self._forget_learned(tx, namespace_id, ids)
        return forgotten + Forgotten(summaries=await self._summarise(tx, namespace_id, set(), titles))

    async def _forget_message(self, tx: Transaction, namespace_id: int, said: store.SaidOnce) -> Forgotten:
        forgotten, titles = await self._forget_messages(tx, namespace_id, [said], None)
        await store.forget_message(tx, namespace_id, said)
        return forgotten + Forgotten(summaries=await self._summarise(tx, namespace_id, {said.conversation_id}, titles))

    async def _forget_messages(
        self, tx: Transaction, namespace_id: int, said: Sequence[store.SaidOnce], session_id: str | None
    ) -> tuple[Forgotten, set[str]]:
        """Forget what was made of these messages, and set their tombstones; the messages themselves, and the summaries, are
        the caller's. Returns the titles that summaries may still list."""
        learned = await observation_store.learned_from(tx, namespace_id, {one.id for one in said}, session_id)
        alone = [one.id for one in learned if not one.left]
        forgotten, titles = await self._forget_learned(tx, namespace_id, alone)
        again, more = await self._lessen(tx, namespace_id, said, [one for one in learned if one.left])
        stones = {message_hash(one.session_id, one.speaker, one.observed_ms, one.content) for one in said}
        await add_tombstones(tx, namespace_id, stones, "message", self._clock())
        return forgotten + again + Forgotten(messages=len(said)), titles | more

    async def _lessen(
        self, tx: Transaction, namespace_id: int, said: Sequence[store.SaidOnce], learned: Sequence[Learned]
    ) -> tuple[Forgotten, set[str]]:
        """What was learned from other messages too stays without these, or, where it tells of these, is learned anew."""
        told = await observation_store.words_told(tx, namespace_id, [one.id for one in learned])
        left = {source["message_id"] for one in learned for source in one.left}
        contents = await observation_store.contents_of(tx, namespace_id, left)
        gone, again = list[str](), set[str]()
        for one in learned:
            others = [contents[source["message_id"]] for source in one.left if source["message_id"] in contents]
            if quotes(told[one.id], [each.content for each in said], others):
                gone.append(one.id)
                again |= {source["turn_id"] for source in one.left}
            else:
                await observation_store.keep_evidence(tx, namespace_id, one)
        await observation_store.stage_again(tx, namespace_id, again)
        return await self._forget_learned(tx, namespace_id, gone, may_return=True)

    async def _forget_learned(
        self, tx: Transaction, namespace_id: int, ids: Sequence[str], *, may_return: bool = False
    ) -> tuple[Forgotten, set[str]]:
        gone, titles = await observation_store.with_origins(tx, namespace_id, ids), set[str]()
        for observation_id in gone:
            titles |= await forget_observation(tx, namespace_id, observation_id, self._clock(), may_return=may_return)
        return Forgotten(observations=len(gone)), titles

    async def _summarise(
        self, tx: Transaction, namespace_id: int, conversation_ids: Collection[int], titles: Collection[str]
    ) -> int:
        """Write anew what summarises these conversations or lists these titles; returns how many summaries are gone."""
        naming = await store.conversations_naming(tx, namespace_id, titles) if titles else set()
        had = naming | await store.summarised(tx, namespace_id, conversation_ids)
        for conversation_id in had:
            await summarise(tx, namespace_id, conversation_id, self._new_id, self._clock())
        return len(had - await store.summarised(tx, namespace_id, had))


async def _turn(tx: Transaction, namespace: Namespace, what: str) -> int:
    namespace_id = await find_namespace(tx, namespace)
    if namespace_id is None:
        raise NotFound(f"there is no such {what}")
    await advance_namespace(tx, namespace_id)
    return namespace_id
