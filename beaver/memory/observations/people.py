"""People: who was mentioned, by which names, and what is known of them. Kept in step with the observations they come from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from beaver.clock import Clock
from beaver.db.engine import Database, Transaction
from beaver.errors import Conflict, InvalidInput, NotFound
from beaver.memory.namespace import Namespace
from beaver.memory.observations.entries import FACT_LENGTH_MAX, PERSON_LENGTH_MAX, clip, clipped_list, folded
from beaver.memory.observations.listing_store import is_person_related
from beaver.memory.observations.people_store import (
    add_person,
    find_person,
    list_people,
    remove_person,
    replace_person,
)
from beaver.memory.observations.records import Observation, Person, Trust
from beaver.memory.observations.trust import is_readable_within, readable_stores
from beaver.memory.users.store import ensure_namespace, find_namespace

PEOPLE_MAX: Final = 200


class PeopleService:
    """Looks people up and gives them further names."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def list(self, namespace: Namespace, trust: Trust, *, limit: int = PEOPLE_MAX) -> list[Person]:
        """People whom this trust may see, the last mentioned first."""
        async with self._database.read() as tx:
            namespace_id = await find_namespace(tx, namespace)
            if namespace_id is None:
                return []
            return await list_people(tx, namespace_id, readable_stores(trust), limit=limit)

    async def find(self, namespace: Namespace, name: str, trust: Trust) -> Person | None:
        """Somebody by any of their names; None for whom this trust may not see."""
        async with self._database.read() as tx:
            namespace_id = await find_namespace(tx, namespace)
            person = None if namespace_id is None else await find_person(tx, namespace_id, name)
        return person if person is not None and person.store in readable_stores(trust) else None

    async def add_alias(self, namespace: Namespace, name: str, alias: str, trust: Trust) -> Person:
        """Give somebody one more name. Raises NotFound for whom this trust may not see, Conflict for another's name."""
        new = clip(alias, PERSON_LENGTH_MAX)
        if not new:
            raise InvalidInput("alias", "must not be blank")
        async with self._database.write() as tx:
            namespace_id = await ensure_namespace(tx, namespace, self._clock())
            person = await find_person(tx, namespace_id, name)
            if person is None or person.store not in readable_stores(trust):
                raise NotFound("there is no person of that name that this trust can see")
            holder = await find_person(tx, namespace_id, new)
            if holder is not None and holder.name != person.name:
                raise Conflict("the alias is another person's name")
            if holder is None:
                aliases = clipped_list((*person.aliases, new), PERSON_LENGTH_MAX)
                person = replace(person, aliases=aliases, updated_ms=self._clock())
                await replace_person(tx, namespace_id, person)
        return person


async def names_of(tx: Transaction, namespace_id: int, names: Sequence[str]) -> tuple[str, ...]:
    """The names with every other name of the same people."""
    known = [(name, await find_person(tx, namespace_id, name)) for name in names]
    return tuple(
        dict.fromkeys(
            other for name, person in known for other in ((name, person.name, *person.aliases) if person else (name,))
        )
    )


async def mention_people(tx: Transaction, namespace_id: int, observation: Observation) -> None:
    """Whom the observation is about is known from now on, and what it says of one person alone is known of them."""
    for name in observation.related_people:
        known = await find_person(tx, namespace_id, name)
        at_ms = observation.updated_ms
        if known is None:
            known = Person(name, observation.store, (), (), 0, at_ms, at_ms)
            await add_person(tx, namespace_id, known)
        facts = (*known.facts, *_facts_about(observation, known))
        mentioned = replace(
            known,
            facts=clipped_list(facts, FACT_LENGTH_MAX),
            mention_count=known.mention_count + 1,
            updated_ms=max(known.updated_ms, at_ms),
        )
        await replace_person(tx, namespace_id, mentioned)


async def unlearn_people(tx: Transaction, namespace_id: int, names: Sequence[str], facts: Sequence[str]) -> None:
    """Take from people what an observation said of them: it says so no longer."""
    gone = set(map(folded, facts))
    for name in names:
        known = await find_person(tx, namespace_id, name)
        if known is not None:
            kept = tuple(fact for fact in known.facts if folded(fact) not in gone)
            await replace_person(tx, namespace_id, replace(known, facts=kept))


async def forget_people(tx: Transaction, namespace_id: int, names: Sequence[str]) -> None:
    """Forget those of them whom no active observation is about any more, with all their names."""
    for name in names:
        known = await find_person(tx, namespace_id, name)
        if known is None:
            continue
        if not [one for one in (known.name, *known.aliases) if await is_person_related(tx, namespace_id, one)]:
            await remove_person(tx, namespace_id, known.name)


def _facts_about(observation: Observation, person: Person) -> tuple[str, ...]:
    """None of a row that fewer may read than the person's."""
    alone = observation.type == "person" and len(observation.related_people) == 1
    return observation.facts if alone and is_readable_within(observation.store, person.store) else ()
