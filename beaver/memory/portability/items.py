"""Items of other systems' files, pure: values into turns and observations. Each raises InvalidInput with field and rule."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from beaver.errors import InvalidInput
from beaver.memory.observations.records import NewObservation
from beaver.memory.records import NewMessage

SOURCE: Final = "import"


@dataclass(frozen=True)
class ForeignMessage:
    """A message of a session, to be stored as a turn of its own."""

    session_id: str
    message: NewMessage


Item = ForeignMessage | NewObservation


def check_owner(value: Mapping[str, Any], user_id: str) -> None:
    """One user's memory never becomes another's by an import."""
    if value.get("user_id") not in (None, user_id):
        raise InvalidInput("user_id", "must be that of the user whose memory this is")


def message_of(session_id: str, line: Mapping[str, Any], user_id: str) -> ForeignMessage:
    """A message in the common shape: role, content (a string, or text parts), timestamp, perhaps sender_id."""
    role = line.get("role")
    if role not in ("user", "assistant"):
        raise InvalidInput("role", "must be user or assistant")
    content = line.get("content")
    if isinstance(content, list):
        content = "\n".join(text_of(part, "text") for part in map(object_of, content) if part.get("type") == "text")
    if not isinstance(content, str) or not content.strip():
        raise InvalidInput("content", "must be a string that is not blank")
    speaker = line.get("sender_id") or (user_id if role == "user" else "beaver")
    if not isinstance(speaker, str):
        raise InvalidInput("sender_id", "must be a string")
    if line.get("timestamp") is None:
        raise InvalidInput("timestamp", "is required")
    return ForeignMessage(session_id, NewMessage(role, speaker, time_of(line["timestamp"], "timestamp"), content))


def observation_of(
    said: str,
    type_: Any,
    narrative: str = "",
    *,
    at: Any = None,
    field: str = "timestamp",
    facts: tuple[str, ...] = (),
    tags: tuple[str, ...] = (),
) -> NewObservation:
    """A title holds 80 characters; what is longer is told in full by the narrative."""
    return NewObservation(
        type_,
        said,
        narrative or (said if len(said) > 80 else ""),
        facts=facts or (said,),
        tags=tags,
        source=SOURCE,
        observed_ms=None if at is None else time_of(at, field),
    )


def object_of(value: Any) -> Mapping[str, Any]:
    """The value, if it is an object."""
    if not isinstance(value, dict):
        raise InvalidInput("line", "must be one JSON object")
    return value


def list_of(value: Mapping[str, Any], field: str) -> list[Any]:
    """A field that holds a list, where it is there."""
    found = value.get(field) or []
    if not isinstance(found, list):
        raise InvalidInput(field, "must be a list")
    return found


def text_of(value: Mapping[str, Any], field: str) -> str:
    """A field that must hold words."""
    found = value.get(field)
    if not isinstance(found, str) or not found.strip():
        raise InvalidInput(field, "must be a string that is not blank")
    return found


def time_of(value: Any, field: str) -> int:
    """Epoch milliseconds, or an ISO 8601 time with its zone."""
    if isinstance(value, int) and not isinstance(value, bool) and value > 0:
        return value
    try:
        moment = datetime.fromisoformat(value)
    except (TypeError, ValueError):
        moment = None
    if moment is None or moment.tzinfo is None:
        raise InvalidInput(field, "must be epoch milliseconds, or an ISO 8601 time with its zone")
    return round(moment.timestamp() * 1000)
