"""What the tools answer, as JSON: times in ISO 8601 UTC, nothing that is empty."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from beaver.memory.observations.records import HistoryEntry, Observation, Person, RelatedFile
from beaver.memory.summaries.records import SessionSummary


def shown_observation(observation: Observation) -> dict[str, Any]:
    """An observation in full."""
    return {
        "id": observation.id,
        "type": observation.type,
        "store": observation.store,
        **_present(
            {
                "title": observation.title,
                "narrative": observation.narrative,
                "facts": list(observation.facts),
                "tags": list(observation.tags),
                "related_files": list(observation.related_files),
                "related_people": list(observation.related_people),
                "session_id": observation.session_id,
                "pinned": observation.pinned,
            }
        ),
        "mention_count": observation.mention_count,
        "created_at": utc(observation.created_ms),
        "updated_at": utc(observation.updated_ms),
        **_ended(observation),
    }


def shown_history(entry: HistoryEntry) -> dict[str, Any]:
    """A change."""
    words = _present({"before": entry.before, "after": entry.after})
    return {"event": entry.event, "at": utc(entry.at_ms), "reason": entry.reason, **words}


def shown_person(person: Person) -> dict[str, Any]:
    """A person."""
    known = _present({"aliases": list(person.aliases), "facts": list(person.facts)})
    return {
        "name": person.name,
        **known,
        "mention_count": person.mention_count,
        "last_mentioned_at": utc(person.updated_ms),
    }


def shown_file(file: RelatedFile) -> dict[str, Any]:
    """A file."""
    return {"path": file.path, "observations": file.observations, "updated_at": utc(file.updated_ms)}


def shown_session(session: SessionSummary) -> dict[str, Any]:
    """A session's summary."""
    summary = session.summary
    return {
        "session_id": session.session_id,
        "request": summary.request,
        "outcome": summary.outcome,
        "decisions": list(summary.decisions),
        "open_items": list(summary.open_items),
        "observations": summary.observation_count,
        "updated_at": utc(session.updated_ms),
    }


def utc(time_ms: int) -> str:
    """ISO 8601 with its zone, to the millisecond."""
    return datetime.fromtimestamp(time_ms / 1000, UTC).isoformat(timespec="milliseconds")


def _ended(observation: Observation) -> dict[str, Any]:
    if observation.ended_ms is None:
        return {}
    successor = _present({"successor_id": observation.successor_id})
    return {"ended_at": utc(observation.ended_ms), "end_reason": observation.end_reason, **successor}


def _present(values: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if value}
