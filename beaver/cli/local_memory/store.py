"""The port's local store over the memory engine: its observations, its index, its ways of forgetting."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final, assert_never

from beaver.agent.policy.stores import (
    ById,
    ByProject,
    BySession,
    ByTag,
    ByUser,
    Hit,
    MemoryItem,
    NewItem,
    Owner,
    Selection,
    WriteOutcome,
    Written,
)
from beaver.cli.local_memory.expiry import ExpiredItems
from beaver.cli.local_memory.mapping import (
    SESSION_SCOPE,
    again,
    as_item,
    as_observation,
    engine_user,
    namespaces,
    session_name,
    session_place,
    tags_of,
)
from beaver.errors import Conflict, NotFound
from beaver.memory.namespace import Namespace
from beaver.memory.observations.records import Expiry, Observation, ObservationEdit, ObservationFilter
from beaver.memory.observations.records import Written as EngineWritten
from beaver.memory.records import Found, Question
from beaver.memory.runtime import MemoryRuntime

PAGE: Final = 200
_LONG_OVER: Final = Expiry(1)
_SUPERSEDES: Final = "supersedes "
"""How the engine's history says what a new observation ended."""
_OUTCOMES: Final[Mapping[str, WriteOutcome]] = {
    "added": "added",
    "updated": "merged",
    "deleted": "superseded",
    "exact_dup": "unchanged",
}


class LocalItemStore:
    """An ItemStore. It owns the runtime, whose database holds nothing but items, and what erases the expired ones."""

    def __init__(self, runtime: MemoryRuntime, expired: ExpiredItems | None = None) -> None:
        self._runtime = runtime
        self._expired = expired
        self._known_users: set[str] = set()

    async def search(self, owner: Owner, text: str, *, limit: int) -> Sequence[Hit]:
        """What the owner may recall about a text, best first."""
        if not text.strip():
            return ()
        question = Question(text, owner.session or "-", ("all_user_memory",), limit)
        found = [await self._found(namespace, question) for namespace in namespaces(owner)]
        hits = [
            hit
            for part in found
            for hit in part
            if hit.item.scope != "session" or hit.item.session == session_name(owner.session)
        ]
        hits.sort(key=lambda hit: -max(hit.semantic or 0.0, hit.keyword or 0.0))
        return hits[:limit]

    async def recent(self, owner: Owner, *, limit: int) -> Sequence[MemoryItem]:
        """The owner's active items, the newest first."""
        pages = [await self._runtime.list_observations(each, limit=limit) for each in namespaces(owner)]
        newest = sorted((one for page in pages for one in page.observations), key=lambda one: (-one.created_ms, one.id))
        return [as_item(one) for one in newest[:limit]]

    async def count(self, owner: Owner) -> int:
        """How many active items the owner has."""
        return sum([await self._runtime.count_observations(namespace) for namespace in namespaces(owner)])

    async def find(self, owner: Owner, item_id: str) -> MemoryItem | None:
        """One active item."""
        held = await self._held(owner, item_id)
        return None if held is None else as_item(held[1])

    async def write(self, owner: Owner, new: NewItem) -> Written:
        """Keep an item, as far as it is new."""
        observation = as_observation(new, owner.session)
        await self._ensure_user(owner)
        place = _place(owner, new)
        written = await self._runtime.write_observation(place, observation)
        replaced_id = await self._replaced(place, written.observation_id) if written.outcome == "deleted" else None
        return Written(_outcome(written), written.observation_id, replaced_id)

    async def merge(self, owner: Owner, item_id: str) -> MemoryItem | None:
        """Count one more mention."""
        held = await self._held(owner, item_id)
        if held is None:
            return None
        await self._runtime.write_observation(held[0], again(held[1]))
        return await self.find(owner, item_id)

    async def supersede(self, owner: Owner, item_id: str, new: NewItem) -> Written:
        """Have an item say something else; where another says that already, this one goes."""
        held = await self._held(owner, item_id)
        if held is None:
            raise NotFound("there is no such item")
        said = as_observation(new, owner.session)
        expiry = Expiry(new.expires_ms)
        edit = ObservationEdit(said.type, said.title, said.narrative, said.facts, tags_of(new), expiry=expiry)
        try:
            await self._runtime.edit_observation(held[0], item_id, edit)
        except Conflict:
            return Written("unchanged", item_id)
        return Written("superseded", item_id, item_id)

    async def pin(self, owner: Owner, item_id: str, *, pinned: bool) -> MemoryItem | None:
        """Pin or unpin."""
        held = await self._held(owner, item_id)
        if held is None:
            return None
        return as_item(await self._runtime.pin_observation(held[0], item_id, pinned))

    async def select(self, owner: Owner, selection: Selection) -> Sequence[MemoryItem]:
        """What is selected."""
        return [as_item(observation) async for _, observation in self._selected(owner, selection)]

    async def forget(self, owner: Owner, selection: Selection) -> Sequence[MemoryItem]:
        """Erase what is selected; one that somebody else forgot meanwhile is not told."""
        forgotten = []
        for namespace, observation in [one async for one in self._selected(owner, selection)]:
            with suppress(NotFound):
                await self._runtime.forget_memory(namespace, observation.id)
                forgotten.append(as_item(observation))
        return forgotten

    async def end_session(self, owner: Owner) -> None:
        """Its items have expired, and are erased as such."""
        its_own = ObservationFilter(files=(session_place(owner.session),), tags=(SESSION_SCOPE,))
        for namespace in await self._runtime.namespaces_of(engine_user(owner)):
            for observation in [one async for one in self._all(namespace, its_own)]:
                with suppress(NotFound):
                    await self._runtime.edit_observation(namespace, observation.id, ObservationEdit(expiry=_LONG_OVER))
        while await self._runtime.forget_expired(rows_max=PAGE):
            pass

    async def erased(self) -> None:
        """Return when the bytes hold nothing of what was forgotten."""
        await self._runtime.wait_until_purged()

    async def generation(self, owner: Owner) -> str:
        """The revisions of both namespaces."""
        revisions = [await self._runtime.revision(namespace) for namespace in namespaces(owner)]
        return ".".join(map(str, revisions))

    async def close(self) -> None:
        """Close the engine; idempotent."""
        if self._expired is not None:
            await self._expired.close()
        await self._runtime.close()

    async def _found(self, namespace: Namespace, question: Question) -> list[Hit]:
        found = {one.id: one for one in await self._runtime.search(namespace, question)}
        if not found:
            return []
        observations = await self._runtime.read_observations(namespace, list(found))
        return [_hit(one, found[one.id]) for one in observations]

    async def _held(self, owner: Owner, item_id: str) -> tuple[Namespace, Observation] | None:
        """An active item, and where it lies."""
        for namespace in namespaces(owner):
            for observation in await self._runtime.read_observations(namespace, [item_id]):
                return namespace, observation
        return None

    async def _replaced(self, namespace: Namespace, observation_id: str | None) -> str | None:
        """What an observation took the place of, as its history begins."""
        if observation_id is None:
            return None
        first, *_ = await self._runtime.observation_history(namespace, observation_id)
        return first.reason.removeprefix(_SUPERSEDES) if first.reason.startswith(_SUPERSEDES) else None

    async def _selected(self, owner: Owner, selection: Selection) -> AsyncIterator[tuple[Namespace, Observation]]:
        where = ObservationFilter()
        places: tuple[Namespace, ...] = namespaces(owner)
        match selection:
            case ById(id=item_id):
                held = await self._held(owner, item_id)
                if held is not None:
                    yield held
                return
            case ByTag(tag=tag):
                where = ObservationFilter(tags=(tag,))
            case BySession(session=session):
                where = ObservationFilter(files=(session_place(session),))
            case ByProject():
                places = places[:1]
            case ByUser():
                places = tuple(await self._runtime.namespaces_of(engine_user(owner)))
            case _:
                assert_never(selection)
        for namespace in places:
            async for observation in self._all(namespace, where):
                yield namespace, observation

    async def _all(self, namespace: Namespace, where: ObservationFilter) -> AsyncIterator[Observation]:
        cursor = None
        while True:
            page = await self._runtime.list_observations(namespace, where, cursor=cursor, limit=PAGE)
            for observation in page.observations:
                yield observation
            cursor = page.next_cursor
            if cursor is None:
                return

    async def _ensure_user(self, owner: Owner) -> None:
        user_id = engine_user(owner)
        if user_id in self._known_users:
            return
        with suppress(Conflict):
            await self._runtime.create_user(user_id)
        self._known_users.add(user_id)


def _place(owner: Owner, new: NewItem) -> Namespace:
    project, everywhere = namespaces(owner)
    return everywhere if new.scope == "global" else project


def _hit(observation: Observation, found: Found) -> Hit:
    return Hit(as_item(observation), _share(found.why.get("vector")), _share(found.why.get("keyword")))


def _share(part: Any) -> float | None:
    return None if part is None else min(1.0, max(0.0, float(part)))


def _outcome(written: EngineWritten) -> WriteOutcome:
    if written.outcome == "skipped":
        return "forgotten" if written.observation_id is None else "merged"
    return _OUTCOMES[written.outcome]
