"""`/memory why`: what was recalled for a session's last answer, and from where, out of the run's hidden events."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from beaver.agent.policy.stores import ItemStore, Owner
from beaver.db.engine import Database
from beaver.errors import Unavailable
from beaver.schemas.audit import AuditEvent
from beaver.sessions.recalls import RecallEvent, last_recall

_REASONS: Final[Mapping[str, str]] = {
    "always": "every turn recalls",
    "session_start": "the session began, or went on after a silence",
    "explicit_ref": "you referred to something earlier",
    "topic_change": "the topic changed",
    "window_expired": "what was found for the topic had become old, or something was kept or forgotten since",
    "cache_hit": "the same was asked a moment ago",
    "topic_reuse": "the topic is still the same",
    "off": "memory is off in this session",
    "denied": "this project is on the denylist",
    "machine_turn": "nobody typed that message",
    "ack": "it only acknowledged",
}


@dataclass(frozen=True)
class Recollected:
    """One memory that stood before the model.

    `kind`: an item's type and scope, or the Gateway's scope. `text`: a local item's words now, None once it is forgotten, and for
    the Gateway's, which are not kept here.
    """

    store: str
    id: str | None
    kind: str
    session: str | None
    learned_ms: int | None
    score: float | None
    why: str | None
    text: str | None


@dataclass(frozen=True)
class Why:
    """What was recalled for an answer. `reason` is the gate's; None where no gate was asked. `gateway`: how its search ended."""

    run_id: str | None
    at_ms: int
    decision: str
    reason: str | None
    tokens: int
    memories: tuple[Recollected, ...]
    gateway: str | None
    gateway_count: int


async def why(database: Database, items: ItemStore | None, owner: Owner) -> Why | None:
    """Of the last answer in the owner's session; None where nothing is known of any recall. Raises Unavailable."""
    async with database.read() as tx:
        told = await last_recall(tx, owner.session)
    if not told:
        return None
    decided = next((event.payload for event in told if event.kind == AuditEvent.RECALL_DECIDED), {})
    local = [await _item(one, items, owner) for one in decided.get("local", ())]
    outcome, count = _gateway(told)
    remote = [_memory(one) for one in _brought_by_gateway(decided, told)]
    return Why(
        run_id=told[-1].run_id,
        at_ms=told[-1].at_ms,
        decision=decided.get("decision", "run"),
        reason=decided.get("reason"),
        tokens=decided.get("tokens", 0),
        memories=(*local, *remote),
        gateway=outcome,
        gateway_count=count,
    )


def in_words(told: Why | None) -> list[str]:
    """The same for people, a line each."""
    if told is None:
        return ["Nothing was recalled in this session yet."]
    reason = "" if told.reason is None else f": {_REASONS.get(told.reason, told.reason)}"
    found = [f"- {_line(one)}" for one in told.memories]
    return [f"{_head(told)}{reason}.", *found, *_about_the_rest(told)]


def _head(told: Why) -> str:
    if told.decision == "skip":
        return "Recalled nothing"
    if told.decision == "reuse":
        return "Used again what was found before"
    return "Recalled" if told.memories or told.gateway_count else "Searched"


def _about_the_rest(told: Why) -> list[str]:
    """What no line tells: of runs before the Gateway's memories were noted one by one, how many they were."""
    if told.gateway == "failed":
        return ["The Memory Gateway did not answer."]
    if told.gateway == "succeeded" and not any(one.store == "gateway" for one in told.memories):
        return [f"The Memory Gateway brought {told.gateway_count} memories."]
    return [] if told.memories or told.decision == "skip" else ["Nothing was found that has to do with the message."]


def _brought_by_gateway(decided: Mapping[str, Any], told: Sequence[RecallEvent]) -> list[Mapping[str, Any]]:
    """What of the Gateway's stood before the model: what a gate chose, or all that the run's own search brought."""
    if "remote" not in decided.get("stores", {}):
        searched = [event.payload for event in told if event.kind == AuditEvent.RECALL_SUCCEEDED]
        if searched:
            return list(searched[-1].get("memories", ()))
    return list(decided.get("remote", ()))


async def _item(one: Mapping[str, Any], items: ItemStore | None, owner: Owner) -> Recollected:
    held = None
    if items is not None:
        try:
            held = await items.find(owner, one["id"])
        except Unavailable:
            held = None
    return Recollected(
        store="local",
        id=one["id"],
        kind=f"{one['type']}/{one['scope']}",
        session=one.get("session"),
        learned_ms=one.get("learned_ms"),
        score=one.get("score"),
        why=one.get("why"),
        text=None if held is None else held.text,
    )


def _memory(one: Mapping[str, Any]) -> Recollected:
    return Recollected(
        store="gateway",
        id=one.get("id"),
        kind=one.get("scope", ""),
        session=one.get("session"),
        learned_ms=None,
        score=one.get("score"),
        why=None,
        text=None,
    )


def _gateway(told: Sequence[RecallEvent]) -> tuple[str | None, int]:
    for event in told:
        if event.kind == AuditEvent.RECALL_SUCCEEDED:
            return "succeeded", int(event.payload.get("result_count", 0))
        if event.kind == AuditEvent.RECALL_FAILED:
            return "failed", 0
    return None, 0


def _line(one: Recollected) -> str:
    name = " ".join(filter(None, (one.store, one.kind, one.id or "(no id)")))
    words = "" if one.store == "gateway" else f": {one.text}" if one.text is not None else ": (forgotten)"
    return f"{name} ({_origin(one)}){words}"


def _origin(one: Recollected) -> str:
    """Where it is from, and what earned it its place."""
    parts = [f"session {one.session}" if one.session else "no session"]
    if one.learned_ms is not None:
        parts.append(datetime.fromtimestamp(one.learned_ms / 1000, UTC).date().isoformat())
    if one.why is not None:
        parts.append(f"by {one.why}")
    if one.score is not None:
        parts.append(f"score {one.score:.2f}")
    return ", ".join(parts)
