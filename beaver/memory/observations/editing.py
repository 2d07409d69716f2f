"""What a person does to observations: edit and pin; the note that one was used; and the act of forgetting one."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from beaver.clock import Clock
from beaver.db.engine import Database, Transaction
from beaver.errors import Conflict, NotFound
from beaver.memory.namespace import Namespace
from beaver.memory.observations.applying import described, rewrite, with_content
from beaver.memory.observations.archive_store import find_archived, remove_archived
from beaver.memory.observations.entries import clipped, content_hash, fact_hash
from beaver.memory.observations.history_store import (
    add_tombstones,
    append_history,
    blank_history,
    list_history,
)
from beaver.memory.observations.people import forget_people, unlearn_people
from beaver.memory.observations.reconcile import content_of
from beaver.memory.observations.records import Expiry, NewObservation, Observation, ObservationEdit
from beaver.memory.observations.store import (
    find_observation,
    find_same,
    pin_observation,
    remove_observation,
    use_observations,
)
from beaver.memory.users.store import ensure_namespace, replace_in_namespace


@dataclass(frozen=True)
class _Said:
    """What an observation said in one of its versions."""

    title: str
    facts: tuple[str, ...]
    people: tuple[str, ...]

    @classmethod
    def of(cls, description: Mapping[str, Any]) -> _Said:
        """As history or archive describes it: a file that was taken over may describe less."""
        told = description.get
        return cls(told("title", ""), tuple(told("facts", ())), tuple(told("related_people", ())))


class ObservationEditing:
    """Changes by the user whose memory it is. Ids of another namespace are not found."""

    def __init__(self, database: Database, clock: Clock) -> None:
        self._database = database
        self._clock = clock

    async def edit(self, namespace: Namespace, observation_id: str, edit: ObservationEdit) -> Observation:
        """Change the fields given. Returns the row as it is now.

        Raises InvalidInput as a write does, NotFound for an id that is none or has ended, Conflict when another row says
        the same.
        """
        async with self._database.write() as tx:
            namespace_id = await ensure_namespace(tx, namespace, self._clock())
            held = await _active(tx, namespace_id, observation_id)
            changed = _edited(held, edit, self._clock())
            if _is_as_it_was(changed, held):
                return held
            digest = content_hash(changed.title, changed.facts)
            same = await find_same(tx, namespace_id, changed.store, changed.type, digest)
            if any(one.ended_ms is None and one.id != held.id for one in same):
                raise Conflict("another observation says this already")
            await rewrite(tx, namespace_id, held, changed, "edited", self._clock())
            await replace_in_namespace(tx, namespace_id)  # the old words may be what must not stay, in memory neither
        return changed

    async def pin(self, namespace: Namespace, observation_id: str, pinned: bool) -> Observation:
        """Keep an observation from ageing, or let it age again. Raises NotFound for an id that is none or has ended."""
        async with self._database.write() as tx:
            namespace_id = await ensure_namespace(tx, namespace, self._clock())
            held = await _active(tx, namespace_id, observation_id)
            await pin_observation(tx, namespace_id, observation_id, pinned)
        return replace(held, pinned=pinned)

    async def mark_used(self, namespace: Namespace, observation_ids: Collection[str]) -> None:
        """Note that observations served a prompt now: what is used does not age. Unknown ids are left out."""
        if not observation_ids:
            return
        async with self._database.write() as tx:
            namespace_id = await ensure_namespace(tx, namespace, self._clock())
            await use_observations(tx, namespace_id, observation_ids, self._clock())


async def forget_observation(
    tx: Transaction,
    namespace_id: int,
    observation_id: str,
    now_ms: int,
    *,
    may_return: bool = False,
    reason: str = "forgotten",
) -> set[str]:
    """Remove an observation from rows, index, vectors, archive, people and its history's words; returns every title that it
    ever had.

    It leaves tombstones, unless it may be learned again. Works on ended and archived ones too. The transaction has the
    namespace's turn. Raises NotFound for an id that is none, the second time too.
    """
    held = await find_observation(tx, namespace_id, observation_id)
    archived = await find_archived(tx, namespace_id, observation_id)
    history = await list_history(tx, namespace_id, observation_id)
    told = [words for entry in history for words in (entry.before, entry.after) if words is not None]
    if held is None and archived is None and not told:
        raise NotFound("there is no such observation")
    last = [archived] if archived is not None else []
    said = [_Said.of(one) for one in (*told, *last, *([described(held)] if held is not None else []))]
    if not may_return:
        await _bury(tx, namespace_id, said, now_ms)
    await remove_archived(tx, namespace_id, observation_id)
    if held is not None:
        await remove_observation(tx, namespace_id, observation_id)
    await _forget_people(tx, namespace_id, said)
    await blank_history(tx, namespace_id, observation_id)
    await append_history(tx, namespace_id, observation_id, "DELETE", reason=reason, at_ms=now_ms)
    return {one.title for one in said}


async def _forget_people(tx: Transaction, namespace_id: int, said: Sequence[_Said]) -> None:
    """What it said last is known of nobody any more; and those whom it ever named are not, unless by others."""
    named = list(dict.fromkeys(name for one in said for name in one.people))
    await unlearn_people(tx, namespace_id, named, said[-1].facts)
    await forget_people(tx, namespace_id, named)


async def _bury(tx: Transaction, namespace_id: int, said: Sequence[_Said], now_ms: int) -> None:
    """Everything that the observation ever said must not come back, in whatever version."""
    wholes = {content_hash(one.title, one.facts) for one in said}
    facts = {fact_hash(fact) for one in said for fact in one.facts}
    await add_tombstones(tx, namespace_id, wholes, "observation", now_ms)
    await add_tombstones(tx, namespace_id, facts, "fact", now_ms)


async def _active(tx: Transaction, namespace_id: int, observation_id: str) -> Observation:
    held = await find_observation(tx, namespace_id, observation_id)
    if held is None or held.ended_ms is not None:
        raise NotFound("there is no such observation")
    return held


def _is_as_it_was(changed: Observation, held: Observation) -> bool:
    same = (changed.type, changed.expires_ms) == (held.type, held.expires_ms)
    return same and content_of(changed) == content_of(held)


def _edited(held: Observation, edit: ObservationEdit, now_ms: int) -> Observation:
    given = {name: value for name in edit.__dataclass_fields__ if (value := getattr(edit, name)) is not None}
    content = content_of(held)
    expiry = given.pop("expiry", Expiry(held.expires_ms))
    base = NewObservation(held.type, **{name: getattr(content, name) for name in content.__dataclass_fields__})
    kept = clipped(replace(base, **given, expires_ms=expiry.at_ms))
    return replace(
        with_content(held, content_of(kept)),
        type=kept.type,
        updated_ms=max(held.updated_ms, now_ms),
        expires_ms=kept.expires_ms,
    )
