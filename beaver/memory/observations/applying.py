"""The acts of a write, each inside the caller's transaction, which has the namespace's turn: row, passage, history, people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from beaver.db.engine import Transaction
from beaver.ids import IdSource
from beaver.memory.observations.entries import Entry, content_hash, merged_evidence, text_of, token_count
from beaver.memory.observations.history_store import append_history
from beaver.memory.observations.people import mention_people, unlearn_people
from beaver.memory.observations.reconcile import content_of
from beaver.memory.observations.records import Content, EndReason, Evidence, HistoryEvent, Observation, Written
from beaver.memory.observations.store import (
    add_observation,
    end_observation,
    find_same,
    mention_observation,
    replace_observation,
)
from beaver.memory.observations.trust import parse_trust, weakest
from beaver.memory.transcripts.store import ensure_conversation


async def add(tx: Transaction, namespace_id: int, entry: Entry, new_id: IdSource) -> Written:
    """Store it as a new row."""
    observation = await _store(tx, namespace_id, entry, new_id("obs"), "written")
    await mention_people(tx, namespace_id, observation)
    return Written("added", observation.id)


async def mention(tx: Transaction, namespace_id: int, entry: Entry, held: Observation, *, touch: bool) -> None:
    """Count it once more, unless its evidence is held already: the same messages again say nothing new."""
    if is_known(entry.new.evidence, held):
        return
    evidence = merged_evidence(held.evidence, entry.new.evidence)
    updated_ms = max(held.updated_ms, entry.at_ms) if touch else held.updated_ms
    trust = weakest(parse_trust(held.min_trust), entry.trust)
    await mention_observation(tx, namespace_id, held.id, evidence, updated_ms, trust)


async def change(tx: Transaction, namespace_id: int, entry: Entry, held: Observation, content: Content) -> Written:
    """The row says `content` from now on; its session, its expiry and its place stay. Nothing happens where nothing differs."""
    if content_of(held) == content:
        await mention(tx, namespace_id, entry, held, touch=False)
        return Written("skipped", held.id)
    same = await _active_twin(tx, namespace_id, held, content)
    if same is not None:
        await mention(tx, namespace_id, entry, same, touch=False)
        return Written("skipped", same.id)
    again = is_known(entry.new.evidence, held)
    changed = replace(
        with_content(held, content),
        mention_count=held.mention_count + (0 if again else 1),
        evidence=merged_evidence(held.evidence, entry.new.evidence),
        updated_ms=max(held.updated_ms, entry.at_ms),
        min_trust=weakest(parse_trust(held.min_trust), entry.trust),
    )
    await rewrite(tx, namespace_id, held, changed, "reconciled", entry.now_ms)
    return Written("updated", held.id)


async def rewrite(
    tx: Transaction, namespace_id: int, held: Observation, changed: Observation, reason: str, now_ms: int
) -> None:
    """Store a row's new words, with history; people know what it says of them now."""
    await replace_observation(tx, namespace_id, changed)
    await append_history(
        tx,
        namespace_id,
        held.id,
        "UPDATE",
        before=described(held),
        after=described(changed),
        reason=reason,
        at_ms=now_ms,
    )
    await unlearn_people(tx, namespace_id, held.related_people, held.facts)
    await mention_people(tx, namespace_id, changed)


async def supersede(
    tx: Transaction, namespace_id: int, entry: Entry, held: Observation, content: Content | None, new_id: IdSource
) -> Written:
    """The row ends, marked with its successor and the time; the new one takes its place."""
    entry = entry if content is None else _with_words(entry, content)
    same = await find_same(tx, namespace_id, entry.store, entry.new.type, entry.hash)
    if same and same[0].ended_ms is None:
        if same[0].id == held.id:
            return await change(tx, namespace_id, entry, held, content_of(held))
        await end(tx, namespace_id, held, "superseded", entry.at_ms, entry.now_ms, same[0].id)
        await mention(tx, namespace_id, entry, same[0], touch=False)
        return Written("deleted", same[0].id)
    new = await _store(tx, namespace_id, entry, new_id("obs"), f"supersedes {held.id}")
    await end(tx, namespace_id, held, "superseded", entry.at_ms, entry.now_ms, new.id)
    await mention_people(tx, namespace_id, new)
    return Written("deleted", new.id)


async def end(
    tx: Transaction,
    namespace_id: int,
    held: Observation,
    reason: EndReason,
    at_ms: int,
    now_ms: int,
    successor_id: str | None = None,
    *,
    why: str | None = None,
) -> None:
    """End an active row, with history: COMPRESS for a compressed one, else DELETE. `why`: what history tells, not the reason."""
    await end_observation(tx, namespace_id, held.id, at_ms, reason, successor_id)
    event: HistoryEvent = "COMPRESS" if reason == "compressed" else "DELETE"
    said = why or (reason if successor_id is None else f"{reason} by {successor_id}")
    await append_history(tx, namespace_id, held.id, event, before=described(held), reason=said, at_ms=now_ms)
    if reason in {"superseded", "deleted"}:  # what is compressed or has aged is as true of people as before
        await unlearn_people(tx, namespace_id, held.related_people, held.facts)


async def _store(tx: Transaction, namespace_id: int, entry: Entry, observation_id: str, reason: str) -> Observation:
    observation = _new_row(entry, observation_id)
    if observation.session_id is not None:
        # A tool may note something before a turn of its session is stored: it belongs there, and goes with it.
        await ensure_conversation(tx, namespace_id, observation.session_id, entry.now_ms)
    await add_observation(tx, namespace_id, observation)
    said = described(observation)
    await append_history(tx, namespace_id, observation.id, "ADD", after=said, reason=reason, at_ms=entry.now_ms)
    return observation


def is_known(evidence: Sequence[Evidence], held: Observation) -> bool:
    """Whether the row was learned from all of these messages already; a write without evidence is always news."""
    return bool(evidence) and set(evidence) <= set(held.evidence)


def described(observation: Observation) -> Mapping[str, Any]:
    """A row as history keeps it."""
    held = {"type": observation.type, "store": observation.store, "mention_count": observation.mention_count}
    return {**held, **asdict(content_of(observation))}


def with_content(observation: Observation, content: Content) -> Observation:
    """The row with other words."""
    said = {name: getattr(content, name) for name in content.__dataclass_fields__}
    return replace(observation, **said, token_count=token_count(text_of(content)))


def _new_row(entry: Entry, observation_id: str) -> Observation:
    new = entry.new
    return Observation(
        id=observation_id,
        store=entry.store,
        type=new.type,
        title=new.title,
        narrative=new.narrative,
        facts=new.facts,
        tags=new.tags,
        related_files=new.related_files,
        related_people=new.related_people,
        evidence=new.evidence,
        source=new.source,
        min_trust=entry.trust,
        mention_count=1,
        token_count=token_count(text_of(new)),
        pinned=False,
        session_id=new.session_id,
        created_ms=entry.at_ms,
        updated_ms=entry.at_ms,
        # What was said long ago and is learned now, by an import or a late flush, has not been of no use for all that time.
        used_ms=entry.now_ms if entry.at_ms < entry.now_ms else None,
        expires_ms=new.expires_ms,
    )


def _with_words(entry: Entry, content: Content) -> Entry:
    said = {name: getattr(content, name) for name in content.__dataclass_fields__}
    return replace(entry, new=replace(entry.new, **said), hash=content_hash(content.title, content.facts))


async def _active_twin(tx: Transaction, namespace_id: int, held: Observation, content: Content) -> Observation | None:
    """Another active row that says this already."""
    same = await find_same(tx, namespace_id, held.store, held.type, content_hash(content.title, content.facts))
    return same[0] if same and same[0].ended_ms is None and same[0].id != held.id else None
