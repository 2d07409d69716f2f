"""The prompt index as text, pure: which observations, in which order, and as many lines as the budget holds."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from beaver.memory.observations.entries import token_count
from beaver.memory.observations.records import FoundObservation, Observation
from beaver.memory.summaries.records import SessionSummary

TRUNCATED: Final = "(cut: the budget holds no more)"


@dataclass(frozen=True)
class Listed:
    """An observation in the index; `score` is None for one that is there because it is recent."""

    observation: Observation
    score: float | None = None


@dataclass(frozen=True)
class Rendered:
    """The index's text, how many of the observations are in it, and whether the budget cut something."""

    text: str
    observations: int
    truncated: bool


def merged(recent: Sequence[Observation], relevant: Sequence[FoundObservation], *, limit: int) -> list[Listed]:
    """Recent ones first, in at most half of the places, then relevant ones; no observation twice."""
    listed = {one.id: Listed(one) for one in recent[: limit // 2]}
    for found in relevant:
        listed.setdefault(found.observation.id, Listed(found.observation, found.score))
    return list(listed.values())[:limit]


def rendered(listed: Sequence[Listed], sessions: Sequence[SessionSummary], *, tokens_max: int) -> Rendered:
    """A line of JSON an observation, then one a session: reference data, which nobody has to obey. Where the budget ends, a last
    line says so; below that line's own size there is no text at all.
    """
    lines = [*map(_observation_line, listed), *map(_session_line, sessions)]
    if _tokens(lines) <= tokens_max:
        return Rendered("\n".join(lines), len(listed), truncated=False)
    kept = len(lines)
    while kept and _tokens([*lines[:kept], TRUNCATED]) > tokens_max:
        kept -= 1
    fits = _tokens([TRUNCATED]) <= tokens_max
    text = "\n".join([*lines[:kept], TRUNCATED]) if fits else ""
    return Rendered(text, min(kept, len(listed)), truncated=True)


def _tokens(lines: Sequence[str]) -> int:
    return token_count("\n".join(lines))


def _observation_line(listed: Listed) -> str:
    one = listed.observation
    score = {} if listed.score is None else {"score": round(listed.score, 2)}
    created, changed = _day(one.created_ms), _day(one.updated_ms)
    return _line(
        {
            "id": one.id,
            "store": one.store,
            "type": one.type,
            "title": one.title,
            **score,
            "mention": one.mention_count,
            "created": created,
            **({"changed": changed} if changed != created else {}),
        }
    )


def _session_line(session: SessionSummary) -> str:
    said = session.summary
    return _line({"session": session.session_id, "request": said.request, "changed": _day(session.updated_ms)})


def _line(entry: dict[str, Any]) -> str:
    """No angle brackets: no fence, tag or chat-template token can stand in it."""
    encoded = json.dumps(entry, ensure_ascii=False)
    return encoded.replace("<", "\\u003c").replace(">", "\\u003e")


def _day(at_ms: int) -> str:
    return datetime.fromtimestamp(at_ms / 1000, UTC).date().isoformat()
