"""Items of other systems' files, pure: values into turns and observations. Each raises InvalidInput with field and rule."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from beaver.errors import InvalidInput
from beaver.memory.observations.entries import FACT_LENGTH_MAX, NARRATIVE_LENGTH_MAX, TITLE_LENGTH_MAX, clipped
from beaver.memory.observations.records import NewObservation
from beaver.memory.records import NewMessage
from beaver.memory.transcripts.turns import OBSERVED_MS_MAX, checked_messages

SOURCE: Final = "import"
SECONDS_MAX: Final = 10**11
_TEXT_PARTS: Final = frozenset({"text", "input_text", "output_text"})
_SENTENCE_END: Final = re.compile(r"[.!?…][\"'”’)\]]*\s|[。！？]|\n")


@dataclass(frozen=True)
class ForeignMessage:
    """A message of a session, to be stored as a turn of its own."""

    session_id: str
    message: NewMessage


Item = ForeignMessage | NewObservation


def check_item(item: Item) -> None:
    """Raise InvalidInput, with field and rule, for what could not be stored."""
    if not isinstance(item, ForeignMessage):
        clipped(item)
        return
    try:
        checked_messages(item.session_id, [item.message])
    except InvalidInput as error:
        raise InvalidInput(error.field.removeprefix("messages.0."), error.rule) from None


def check_owner(value: Mapping[str, Any], user_id: str) -> None:
    """One user's memory never becomes another's by an import."""
    if value.get("user_id") not in (None, user_id):
        raise InvalidInput("user_id", "must be that of the user whose memory this is")


def message_of(session_id: str, line: Mapping[str, Any], user_id: str) -> ForeignMessage:
    """A message in the common shape: role, content (a string, or text parts), timestamp, perhaps sender_id."""
    role = line.get("role")
    if role not in ("user", "assistant"):
        raise InvalidInput("role", "must be user or assistant")
    content = words_of(line.get("content"))
    if not content:
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
    expires_ms: int | None = None,
) -> NewObservation:
    """What is longer than a title is told in full by the narrative, and what is longer than that by facts."""
    told = narrative or (said if len(said) > TITLE_LENGTH_MAX else "")
    begin, *rest = _pieces(told, NARRATIVE_LENGTH_MAX) or [""]
    more = [piece for one in rest for piece in _pieces(one, FACT_LENGTH_MAX)]
    stated = facts or ((said,) if len(said) <= FACT_LENGTH_MAX or narrative else tuple(_pieces(begin, FACT_LENGTH_MAX)))
    return NewObservation(
        type_,
        said,
        begin,
        facts=(*stated, *more),
        tags=tags,
        source=SOURCE,
        observed_ms=None if at is None else time_of(at, field),
        expires_ms=expires_ms,
    )


def _pieces(text: str, length_max: int) -> list[str]:
    """The text in pieces of at most so many characters, which end with a sentence, else with a word, where they can."""
    pieces: list[str] = []
    text = text.strip()
    while len(text) > length_max:
        ends = [found.end() for found in _SENTENCE_END.finditer(text, 0, length_max)]
        space = text.rfind(" ", length_max // 2, length_max)
        end = ends[-1] if ends and ends[-1] >= length_max // 3 else space if space > 0 else length_max
        pieces.append(text[:end].strip())
        text = text[end:].strip()
    return [*pieces, text] if text else pieces


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


def words_of(content: Any) -> str:
    """The words of a message's content: a string, or what its parts of text hold. Blank where it has none."""
    if isinstance(content, str):
        return content if content.strip() else ""
    if not isinstance(content, list):
        return ""
    parts = [part.get("text") for part in map(object_of, content) if part.get("type") in _TEXT_PARTS]
    return "\n".join(part for part in parts if isinstance(part, str) and part.strip())


def time_of(value: Any, field: str) -> int:
    """Epoch seconds or milliseconds, or an ISO 8601 time with its zone, as epoch milliseconds.

    Which of the first two it is its size tells: seconds go to the year 5138, milliseconds begin with March 1973.
    """
    time_ms = _epoch_ms(value) if isinstance(value, int | float) and not isinstance(value, bool) else _moment_ms(value)
    if time_ms is None or not 0 < time_ms <= OBSERVED_MS_MAX:
        raise InvalidInput(field, "must be epoch seconds or milliseconds, or an ISO 8601 time with its zone")
    return time_ms


def _epoch_ms(value: float) -> int | None:
    if not math.isfinite(value):
        return None
    return round(value * 1000) if value < SECONDS_MAX else round(value)


def _moment_ms(value: Any) -> int | None:
    try:
        moment = datetime.fromisoformat(value)
        return None if moment.tzinfo is None else round(moment.timestamp() * 1000)
    except (TypeError, ValueError, OverflowError):
        return None
