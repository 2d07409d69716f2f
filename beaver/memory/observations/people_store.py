"""SQL of people."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, Final

from sqlalchemy import delete, insert, select, update

from beaver.db.engine import Transaction
from beaver.memory.observations.entries import folded
from beaver.memory.observations.records import Person, Store
from beaver.memory.tables import people

_READ: Final = tuple(people.c[name] for name in Person.__dataclass_fields__)


async def find_person(tx: Transaction, namespace_id: int, name: str) -> Person | None:
    """The person of that name or alias, however it is spelled in capitals and spaces."""
    key = folded(name)
    known = select(*_READ).where(people.c.namespace_id == namespace_id, people.c.name_key == key)
    row = (await tx.execute(known)).mappings().one_or_none()
    if row is not None:
        return _as_person(row)
    aliased = await tx.execute(select(*_READ).where(people.c.namespace_id == namespace_id).order_by(people.c.id))
    return next((_as_person(row) for row in aliased.mappings() if key in map(folded, row["aliases"])), None)


async def list_people(tx: Transaction, namespace_id: int, stores: Collection[Store], *, limit: int) -> list[Person]:
    """The people of these stores, the last mentioned first."""
    readable = (
        select(*_READ)
        .where(people.c.namespace_id == namespace_id, people.c.store.in_(stores))
        .order_by(people.c.updated_ms.desc(), people.c.id.desc())
        .limit(limit)
    )
    return [_as_person(row) for row in (await tx.execute(readable)).mappings()]


async def add_person(tx: Transaction, namespace_id: int, person: Person) -> None:
    """Store somebody who is not known yet."""
    await tx.execute(
        insert(people).values(
            namespace_id=namespace_id,
            name_key=folded(person.name),
            **_changeable(person),
            name=person.name,
            store=person.store,
            created_ms=person.created_ms,
        )
    )


async def replace_person(tx: Transaction, namespace_id: int, person: Person) -> None:
    """Store what is known of them now; name, store and first mention stay."""
    await tx.execute(update(people).where(*_is(namespace_id, person.name)).values(_changeable(person)))


async def remove_person(tx: Transaction, namespace_id: int, name: str) -> None:
    """Remove somebody, by their own name."""
    await tx.execute(delete(people).where(*_is(namespace_id, name)))


def _is(namespace_id: int, name: str) -> Sequence[Any]:
    return people.c.namespace_id == namespace_id, people.c.name_key == folded(name)


def _changeable(person: Person) -> dict[str, Any]:
    return {
        "aliases": list(person.aliases),
        "facts": list(person.facts),
        "mention_count": person.mention_count,
        "updated_ms": person.updated_ms,
    }


def _as_person(row: Any) -> Person:
    return Person(**{**row, "aliases": tuple(row["aliases"]), "facts": tuple(row["facts"])})
