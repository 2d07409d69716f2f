"""Reading observations: by id, as a list, around a moment, by a question; and their history. Trust decides what is seen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from beaver.clock import Clock
from beaver.db.engine import Database
from beaver.errors import InvalidInput, NotFound
from beaver.memory.inference.port import Serving, no_encoder
from beaver.memory.namespace import Namespace
from beaver.memory.observations.finding import answering, wanted_by
from beaver.memory.observations.history_store import list_history
from beaver.memory.observations.listing_store import (
    Wanted,
    count_wanted,
    earlier,
    later,
    newest,
    read_active,
    related_files,
)
from beaver.memory.observations.meaning import meaning_of
from beaver.memory.observations.records import (
    FoundObservation,
    HistoryEntry,
    Observation,
    ObservationFilter,
    ObservationPage,
    ObservationQuestion,
    RelatedFile,
    Timeline,
    Trust,
)
from beaver.memory.observations.store import find_observation
from beaver.memory.observations.trust import readable_stores
from beaver.memory.users.store import find_namespace

PAGE_MAX: Final = 200
_NONE_READABLE: Final = "there is no such observation that this trust can read"


class ObservationReading:
    """Reads. `trust` is the effective one: what it may not read is as if it were not there."""

    def __init__(self, database: Database, clock: Clock, *, serving: Serving = no_encoder) -> None:
        self._database = database
        self._clock = clock
        self._serving = serving

    async def get(self, namespace: Namespace, observation_id: str, trust: Trust = "owner") -> Observation:
        """One observation, ended ones too. Raises NotFound."""
        async with self._database.read() as tx:
            namespace_id = await find_namespace(tx, namespace)
            held = None if namespace_id is None else await find_observation(tx, namespace_id, observation_id)
        if held is None or held.store not in readable_stores(trust):
            raise NotFound(_NONE_READABLE)
        return held

    async def several(self, namespace: Namespace, observation_ids: Sequence[str]) -> Sequence[Observation]:
        """Those of the ids that are active, in any order."""
        async with self._database.read() as tx:
            namespace_id = await find_namespace(tx, namespace)
            if namespace_id is None:
                return []
            return await read_active(tx, namespace_id, observation_ids, self._clock())

    async def count(self, namespace: Namespace) -> int:
        """How many observations are active and have time left."""
        async with self._database.read() as tx:
            namespace_id = await find_namespace(tx, namespace)
            if namespace_id is None:
                return 0
            return await count_wanted(tx, Wanted(namespace_id, ObservationFilter(), self._clock()))

    async def list(
        self,
        namespace: Namespace,
        where: ObservationFilter = ObservationFilter(),  # noqa: B008 - frozen
        *,
        cursor: str | None = None,
        limit: int = 50,
        trust: Trust = "owner",
    ) -> ObservationPage:
        """Active observations, the newest first, at most 200 a page. Raises InvalidInput for a cursor that is none of ours."""
        place = None if cursor is None else _place(cursor)
        size = min(max(1, limit), PAGE_MAX)
        async with self._database.read() as tx:
            namespace_id = await find_namespace(tx, namespace)
            if namespace_id is None:
                return ObservationPage((), None)
            wanted = await wanted_by(tx, namespace_id, readable(where, trust), self._clock())
            found = await newest(tx, wanted, limit=size + 1, after=place)
        page = tuple(found[:size])
        return ObservationPage(page, _cursor(page[-1]) if len(found) > size else None)

    async def search(
        self, namespace: Namespace, question: ObservationQuestion, trust: Trust = "owner"
    ) -> Sequence[FoundObservation]:
        """The observations that answer, best first; none when nothing is relevant."""
        meaning = await meaning_of(self._serving(), question.text)
        asked = replace(question, where=readable(question.where, trust))
        async with self._database.read() as tx:
            namespace_id = await find_namespace(tx, namespace)
            if namespace_id is None:
                return []
            return await answering(tx, namespace_id, asked, meaning, self._clock())

    async def timeline(
        self, namespace: Namespace, observation_id: str, *, before: int = 5, after: int = 5, trust: Trust = "owner"
    ) -> Timeline:
        """What was learned strictly before and strictly after an observation, at most so many of each. Raises NotFound."""
        anchor = await self.get(namespace, observation_id, trust)
        async with self._database.read() as tx:
            namespace_id = await find_namespace(tx, namespace)
            if namespace_id is None:
                raise NotFound(_NONE_READABLE)
            wanted = await wanted_by(tx, namespace_id, readable(ObservationFilter(), trust), self._clock())
            return Timeline(
                tuple(await earlier(tx, wanted, anchor, limit=before)),
                anchor,
                tuple(await later(tx, wanted, anchor, limit=after)),
            )

    async def history(
        self, namespace: Namespace, observation_id: str, trust: Trust = "owner"
    ) -> Sequence[HistoryEntry]:
        """What happened to an observation, the first first, after its end too. Raises NotFound for an id that never was."""
        async with self._database.read() as tx:
            namespace_id = await find_namespace(tx, namespace)
            found = [] if namespace_id is None else await list_history(tx, namespace_id, observation_id)
        stores = {words["store"] for entry in found for words in (entry.before, entry.after) if words is not None}
        if not found or not stores <= set(readable_stores(trust)):
            raise NotFound(_NONE_READABLE)
        return found

    async def files(self, namespace: Namespace, *, limit: int = 50, trust: Trust = "owner") -> Sequence[RelatedFile]:
        """The files that observations speak of, the last changed first."""
        async with self._database.read() as tx:
            namespace_id = await find_namespace(tx, namespace)
            if namespace_id is None:
                return []
            return await related_files(tx, namespace_id, readable_stores(trust), self._clock(), limit=limit)


def readable(where: ObservationFilter, trust: Trust) -> ObservationFilter:
    """The filter within what this trust may read."""
    return replace(where, stores=tuple(store for store in where.stores if store in readable_stores(trust)))


def _cursor(last: Observation) -> str:
    return f"{last.created_ms}:{last.id}"


def _place(cursor: str) -> tuple[int, str]:
    created, _, observation_id = cursor.partition(":")
    if not (created.isascii() and created.isdigit() and len(created) <= 15 and observation_id):
        raise InvalidInput("cursor", "must be the next_cursor of an earlier page")
    return int(created), observation_id
