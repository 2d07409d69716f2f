"""SQL that lists and finds observations: every filter stands inside the statement, before its limit."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from sqlalchemy import ColumnElement, Select, and_, bindparam, case, exists, func, or_, select, tuple_, union_all

from beaver.db.dialect import SqlDialect, dialect_of
from beaver.db.engine import Transaction
from beaver.memory.embedding.store import whole_vectors_of
from beaver.memory.observations.entries import folded
from beaver.memory.observations.records import Observation, ObservationFilter, RelatedFile, Store
from beaver.memory.observations.store import FILE, PERSON, TAG, WORD, as_observation, selected
from beaver.memory.tables import conversations, is_in, observation_labels, observations, passages

COUNTED_MAX: Final = 10_000
HOLDERS_MAX: Final = 500
"""A word that more hold is common: of them the newest so many are looked at by a write."""


@dataclass(frozen=True)
class Wanted:
    """Active rows of a namespace that a filter lets through. Names of people are looked up as they are given here."""

    namespace_id: int
    where: ObservationFilter
    now_ms: int

    def all(self) -> ColumnElement[bool]:
        """Whether a row is one of them."""
        return and_(observations.c.namespace_id == self.namespace_id, *self._conditions())

    def by_id(self) -> ColumnElement[bool]:
        """Whether a row that is looked up by its id is one of them."""
        return and_(is_in(observations, self.namespace_id), *self._conditions())

    def among(self, observation_ids: Sequence[str]) -> ColumnElement[bool]:
        """Whether a row is one of them and of these, which are few."""
        return and_(observations.c.id.in_(observation_ids), self.by_id())

    def _conditions(self) -> list[ColumnElement[bool]]:
        rows, where = observations.c, self.where
        conditions = [*_active(self.now_ms), rows.store.in_(where.stores)]
        if where.types:
            conditions.append(rows.type.in_(where.types))
        if where.session_id is not None:
            conditions.append(_in_session(self.namespace_id, where.session_id))
        if where.since_ms is not None:
            conditions.append(rows.created_ms >= where.since_ms)
        if where.until_ms is not None:
            conditions.append(rows.created_ms < where.until_ms)
        labelled = ((PERSON, [folded(name) for name in where.people]), (FILE, where.files), (TAG, where.tags))
        conditions += [_has_label(self.namespace_id, kind, labels) for kind, labels in labelled if labels]
        return conditions


async def newest(
    tx: Transaction, wanted: Wanted, *, limit: int, after: tuple[int, str] | None = None
) -> list[Observation]:
    """The newest of the wanted; `after` names the (created_ms, id) behind which to go on."""
    page = selected().where(wanted.all())
    if after is not None:
        page = page.where(_order() < tuple_(*after))
    return await _read(tx, page.order_by(observations.c.created_ms.desc(), observations.c.id.desc()).limit(limit))


async def count_wanted(tx: Transaction, wanted: Wanted) -> int:
    """How many there are, however many."""
    return await tx.scalar(select(func.count()).select_from(observations).where(wanted.all())) or 0


async def earlier(tx: Transaction, wanted: Wanted, anchor: Observation, *, limit: int) -> list[Observation]:
    """The nearest strictly before the anchor, in the order of time."""
    return (await newest(tx, wanted, limit=limit, after=(anchor.created_ms, anchor.id)))[::-1]


async def later(tx: Transaction, wanted: Wanted, anchor: Observation, *, limit: int) -> list[Observation]:
    """The nearest strictly after the anchor, in the order of time."""
    following = selected().where(wanted.all(), _order() > tuple_(anchor.created_ms, anchor.id))
    return await _read(tx, following.order_by(observations.c.created_ms, observations.c.id).limit(limit))


async def recent_and_mentioned(tx: Transaction, wanted: Wanted, *, limit: int) -> list[Observation]:
    """The last updated and the most mentioned, `limit` of each, in any order."""
    rows = observations.c
    orders = ((rows.updated_ms.desc(), rows.id.desc()), (rows.mention_count.desc(), rows.updated_ms.desc(), rows.id))
    found = [await _read(tx, selected().where(wanted.all()).order_by(*order).limit(limit)) for order in orders]
    return list({one.id: one for some in found for one in some}.values())


async def count_active(tx: Transaction, namespace_id: int) -> int:
    """How many active observations the namespace has; counting stops at 10,000."""
    return await tx.scalar(_ACTIVE, {"namespace": namespace_id}) or 0


# Made once: to build a statement costs as much as to run it. The hash stands in the index of active ones.
_ACTIVE: Final = select(func.count()).select_from(
    select(observations.c.hash)
    .where(observations.c.namespace_id == bindparam("namespace"), observations.c.ended_ms.is_(None))
    .limit(COUNTED_MAX)
    .subquery()
)


async def holding(tx: Transaction, namespace_id: int, words: Sequence[str], active: int) -> dict[str, int]:
    """How many of so many active observations hold each of the words, up to 10,000; words that none holds are left out."""
    if active >= COUNTED_MAX:
        some = [_holders(namespace_id, [word]).limit(COUNTED_MAX).subquery() for word in words]
        each = [select(func.count()).select_from(one).scalar_subquery() for one in some]
        counts = (await tx.execute(select(*each))).one()
        return {word: count for word, count in zip(words, counts, strict=True) if count}
    labels = observation_labels.c
    counted = (
        select(labels.label, func.count())
        .where(labels.namespace_id == namespace_id, labels.kind == WORD, labels.label.in_(words))
        .group_by(labels.label)
    )
    return {row[0]: row[1] for row in await tx.execute(counted)}


async def heaviest(tx: Transaction, wanted: Wanted, weights: Mapping[str, float], *, limit: int) -> list[Observation]:
    """The wanted that hold the most of the words' weight, the newest of equals first; none without any of the words."""
    mine = observation_labels.c.namespace_id == wanted.namespace_id
    return await _heaviest(tx, weights, and_(mine, wanted.all()), limit)


async def heaviest_of_newest(
    tx: Transaction, wanted: Wanted, weights: Mapping[str, float], common: Collection[str], *, limit: int
) -> list[Observation]:
    """`heaviest`, where each of the `common` words leads to the newest that hold it alone; of these it counts as ever."""
    label = observation_labels.c
    newest_of = [
        _holders(wanted.namespace_id, [word]).order_by(label.observation_id.desc()).limit(HOLDERS_MAX).subquery()
        for word in common
    ]
    others = _holders(wanted.namespace_id, [word for word in weights if word not in common])
    some = set(await tx.scalars(union_all(others, *(select(each.c.observation_id) for each in newest_of))))
    # In two statements: as one, PostgreSQL goes through all that hold any of the words.
    dialect = dialect_of(tx)
    mine = and_(dialect.is_one_of(label.observation_id, "some"), is_in(observation_labels, wanted.namespace_id))
    return await _heaviest(tx, weights, and_(mine, wanted.by_id()), limit, {"some": dialect.many(some)})


def _holders(namespace_id: int, words: Collection[str]) -> Select[Any]:
    label = observation_labels.c
    mine = (label.namespace_id == namespace_id, label.kind == WORD, label.label.in_(words))
    return select(label.observation_id).where(*mine)


async def _heaviest(
    tx: Transaction,
    weights: Mapping[str, float],
    mine: ColumnElement[bool],
    limit: int,
    asked: Mapping[str, Any] | None = None,
) -> list[Observation]:
    label = observation_labels.c
    held = func.sum(case(weights, value=label.label, else_=0.0))
    weighed = (
        select(label.observation_id, held.label("held"))
        .join(observations, observations.c.id == label.observation_id)
        .where(label.kind == WORD, label.label.in_(list(weights)), mine)
        .group_by(label.observation_id)
        .order_by(held.desc(), func.max(observations.c.updated_ms).desc(), label.observation_id.desc())
        .limit(limit)
        .subquery()
    )
    return await _read(tx, selected().join(weighed, weighed.c.observation_id == observations.c.id), asked)


async def vectors_of(tx: Transaction, model: str, wanted: Wanted, *, limit: int) -> list[tuple[str, bytes]]:
    """(observation id, packed vector) of the last updated of the wanted, as far as they have one.

    The wanted first, which are few: in one statement PostgreSQL began with all vectors, and SQLite with all of the namespace.
    """
    newest = (
        select(passages.c.id, observations.c.id)
        .join(passages, passages.c.observation_id == observations.c.id)
        .where(wanted.all())
        .order_by(observations.c.updated_ms.desc(), observations.c.id.desc())
        .limit(limit)
    )
    of_passage = {row[0]: row[1] for row in await tx.execute(newest)}
    found = await whole_vectors_of(tx, model, of_passage)
    return [(of_passage[passage_id], vector) for passage_id, vector in found]


async def read_wanted(tx: Transaction, wanted: Wanted, observation_ids: Sequence[str]) -> list[Observation]:
    """Those of the ids that are wanted, in any order."""
    return await _read(tx, selected().where(wanted.among(observation_ids)))


async def read_active(
    tx: Transaction, namespace_id: int, observation_ids: Sequence[str], now_ms: int
) -> list[Observation]:
    """Those of the ids that are active in the namespace, in any order."""
    dialect = dialect_of(tx)
    asked = {"namespace_id": namespace_id, "ids": dialect.many(observation_ids), "now_ms": now_ms}
    return [as_observation(row) for row in (await tx.execute(_active_ones(dialect), asked)).mappings()]


@cache
def _active_ones(dialect: SqlDialect) -> Select[Any]:
    """Made once a dialect: every recall asks it, and to build it costs more than to run it."""
    mine = (is_in(observations, bindparam("namespace_id")), dialect.is_one_of(observations.c.id, "ids"))
    return selected().where(*mine, *_active(bindparam("now_ms")))


async def related_files(
    tx: Transaction, namespace_id: int, stores: Iterable[Store], now_ms: int, *, limit: int
) -> list[RelatedFile]:
    """The files that active observations of the stores speak of, the last changed first."""
    labels, last = observation_labels.c, func.max(observations.c.updated_ms)
    wanted = Wanted(namespace_id, ObservationFilter(stores=tuple(stores)), now_ms)
    counted = (
        select(labels.label, func.count(), last)
        .join(observations, observations.c.id == labels.observation_id)
        .where(labels.kind == FILE, wanted.all())
        .group_by(labels.label)
        .order_by(last.desc(), labels.label)
        .limit(limit)
    )
    return [RelatedFile(*row) for row in await tx.execute(counted)]


async def is_person_related(tx: Transaction, namespace_id: int, name: str) -> bool:
    """Whether any active observation of the namespace is about the person."""
    label = observation_labels.c
    about = (label.namespace_id == namespace_id, label.kind == PERSON, label.label == folded(name))
    return await tx.scalar(select(label.observation_id).where(*about).limit(1)) is not None


async def _read(tx: Transaction, statement: Select[Any], asked: Mapping[str, Any] | None = None) -> list[Observation]:
    return [as_observation(row) for row in (await tx.execute(statement, asked)).mappings()]


def _active(now_ms: Any) -> tuple[ColumnElement[bool], ...]:
    rows = observations.c
    return rows.ended_ms.is_(None), or_(rows.expires_ms.is_(None), rows.expires_ms > now_ms)


def _order() -> Any:
    return tuple_(observations.c.created_ms, observations.c.id)


def _in_session(namespace_id: int, session_id: str) -> ColumnElement[bool]:
    session = select(conversations.c.id).where(
        conversations.c.namespace_id == namespace_id, conversations.c.session_id == session_id
    )
    return observations.c.conversation_id == session.scalar_subquery()


def _has_label(namespace_id: int, kind: str, labels: Collection[str]) -> ColumnElement[bool]:
    label = observation_labels.c
    return (
        exists()
        .where(
            label.observation_id == observations.c.id,
            label.namespace_id == namespace_id,
            label.kind == kind,
            label.label.in_(labels),
        )
        .correlate(observations)
    )
