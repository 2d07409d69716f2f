"""What was taken back, for who looks for it, and held again when a person wants that."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from beaver.db.engine import Transaction
from beaver.errors import Conflict, NotFound
from beaver.ids import IdSource
from beaver.memory.observations.applying import described
from beaver.memory.observations.entries import content_hash, text_of
from beaver.memory.observations.history_store import append_history, blank_history
from beaver.memory.observations.people import mention_people
from beaver.memory.observations.records import Observation
from beaver.memory.observations.store import find_observation, find_same, remove_observation, replace_observation
from beaver.memory.retracting import store
from beaver.memory.retracting.meant import meant_by
from beaver.memory.retrieval.beside.taken_back_store import REQUEST_SOURCE
from beaver.memory.retrieval.words import index_text
from beaver.memory.summaries.summarising import summarise

REASON = "taken back"


async def search_taken_back(tx: Transaction, namespace_id: int, words: Collection[str]) -> list[Observation]:
    """What was taken back and holds all of these words, the last first."""
    rows = await store.taken_back_rows(tx, namespace_id)
    mine = [one for one in rows if one.source != REQUEST_SOURCE]
    return [one for one in mine if set(words) <= set(index_text(text_of(one)).split())]


async def hold_again(
    tx: Transaction, namespace_id: int, observation_id: str, new_id: IdSource, now_ms: int
) -> Observation:
    """Make what was taken back active again, and have its words be told. The transaction has rewritten the namespace.

    Raises NotFound for what was not taken back, Conflict when another says the same by now.
    """
    held = await find_observation(tx, namespace_id, observation_id)
    if held is None or held.end_reason != "deleted" or held.source == REQUEST_SOURCE:
        raise NotFound("no observation of that id is in the archive")
    same = await find_same(tx, namespace_id, held.store, held.type, content_hash(held.title, held.facts))
    if any(one.ended_ms is None for one in same):
        raise Conflict("another observation says the same by now")
    alive = replace(held, updated_ms=now_ms, expires_ms=None, ended_ms=None, end_reason=None)
    await replace_observation(tx, namespace_id, alive)
    await mention_people(tx, namespace_id, alive)
    await append_history(tx, namespace_id, alive.id, "ADD", after=described(alive), reason="restored", at_ms=now_ms)
    await _drop_requests(tx, namespace_id, alive)
    sources = {each.message_id for each in alive.evidence}
    for place in sorted(await store.conversations_of(tx, namespace_id, sources)):
        await summarise(tx, namespace_id, place, new_id, now_ms)
    return alive


async def _drop_requests(tx: Transaction, namespace_id: int, alive: Observation) -> None:
    """The requests that mean it stand no more: what else they took back keeps itself out."""
    rows = await store.taken_back_rows(tx, namespace_id)
    for one in [each for each in rows if each.source == REQUEST_SOURCE]:
        if any(meant_by(statement, alive, 0.0) for statement in one.facts):
            await remove_observation(tx, namespace_id, one.id)
            await blank_history(tx, namespace_id, one.id)
