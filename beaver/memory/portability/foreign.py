"""What other systems wrote, pure: files into turns and observations, each known again by a key made of its content.

Shapes: `conversations` (JSON Lines, a message a line: session_id, role, content, timestamp, sender_id), `curated` (bullets of
MEMORY.md or USER.md), `mem0` (what its get_all and export answer), `everos` (bodies of its add, answers of its get and search).
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from beaver.errors import InvalidInput
from beaver.memory.observations.records import NewObservation
from beaver.memory.portability.lines import BAD_LINES_SHOWN_MAX, InvalidFile
from beaver.memory.records import NewMessage

FILE_BYTES_MAX: Final = 200_000_000
SOURCE: Final = "import"
_BULLET: Final = re.compile(r"^\s*[-*+]\s+(.+)$")


@dataclass(frozen=True)
class ForeignMessage:
    """A message of a session, to be stored as a turn of its own."""

    session_id: str
    message: NewMessage


Item = ForeignMessage | NewObservation


def key_of(item: Item) -> str:
    """The same item has the same key, whichever file it comes from."""
    return hashlib.sha256(repr(item).encode("utf-8", "surrogatepass")).hexdigest()


def read_items(data: bytes, shape: str, user_id: str) -> list[Item]:
    """All of a file. Raises InvalidFile with number, field and rule of what is wrong, InvalidInput for the file as a whole."""
    if shape not in SHAPES:
        raise InvalidInput("--from", f"must be one of {', '.join(SHAPES)}")
    if len(data) > FILE_BYTES_MAX:
        raise InvalidInput("file", f"must be at most {FILE_BYTES_MAX} bytes")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InvalidInput("file", "must be text in UTF-8") from None
    items: list[Item] = []
    bad: list[tuple[int, str, str]] = []
    for number, entry in _curated_lines(text) if shape == "curated" else _values(text):
        try:
            items += SHAPES[shape](entry, user_id)
        except InvalidInput as error:
            bad.append((number, error.field, error.rule))
    if bad:
        raise InvalidFile(tuple(bad[:BAD_LINES_SHOWN_MAX]))
    return items


def _curated_lines(text: str) -> Iterator[tuple[int, Any]]:
    for number, line in enumerate(text.splitlines(), start=1):
        bullet = _BULLET.match(line)
        if bullet:
            yield number, bullet[1].strip()


def _values(text: str) -> Iterator[tuple[int, Any]]:
    """The members of one JSON list or answer, numbered from 1; else of JSON Lines, by line."""
    try:
        whole = json.loads(text)
    except (ValueError, RecursionError):
        yield from _lines(text)
        return
    members = whole.get("results", whole.get("memories", [whole])) if isinstance(whole, dict) else whole
    yield from enumerate(members if isinstance(members, list) else [members], start=1)


def _lines(text: str) -> Iterator[tuple[int, Any]]:
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            try:
                yield number, json.loads(line)
            except (ValueError, RecursionError):
                yield number, None


def _curated(bullet: str, _user_id: str) -> list[Item]:
    return [_observation(bullet, "preference")]


def _conversation(value: Any, user_id: str) -> list[Item]:
    line = _object(value)
    return [_message(_text(line, "session_id"), line, user_id)]


def _mem0(value: Any, user_id: str) -> list[Item]:
    memory = _object(value)
    _check_owner(memory, user_id)
    learned = memory.get("updated_at") or memory.get("created_at")
    tags = [one for one in memory.get("categories") or [] if isinstance(one, str)]
    return [_observation(_text(memory, "memory"), "event", at=learned, field="created_at", tags=tuple(tags))]


def _everos(value: Any, user_id: str) -> list[Item]:
    body = _object(value)
    if "messages" in body:
        session_id, messages = _text(body, "session_id"), body["messages"]
        if not isinstance(messages, list):
            raise InvalidInput("messages", "must be a list")
        kept = [_object(one) for one in messages]
        return [_message(session_id, one, user_id) for one in kept if one.get("role") != "tool"]
    data = _object(body.get("data", body))
    items: list[Item] = []
    for episode in map(_object, data.get("episodes") or []):
        _check_owner(episode, user_id)
        told = episode.get("episode") or episode.get("summary")
        narrative = told if isinstance(told, str) else ""
        facts = [_text(_object(fact), "content") for fact in episode.get("atomic_facts") or []]
        items.append(
            _observation(_text(episode, "subject"), "event", narrative, at=episode.get("timestamp"), facts=tuple(facts))
        )
    return items


def _check_owner(value: Mapping[str, Any], user_id: str) -> None:
    """One user's memory never becomes another's by an import."""
    if value.get("user_id") not in (None, user_id):
        raise InvalidInput("user_id", "must be that of the user whose memory this is")


def _message(session_id: str, line: Mapping[str, Any], user_id: str) -> ForeignMessage:
    role = line.get("role")
    if role not in ("user", "assistant"):
        raise InvalidInput("role", "must be user or assistant")
    content = line.get("content")
    if isinstance(content, list):
        content = "\n".join(_text(part, "text") for part in map(_object, content) if part.get("type") == "text")
    if not isinstance(content, str) or not content.strip():
        raise InvalidInput("content", "must be a string that is not blank")
    speaker = line.get("sender_id") or (user_id if role == "user" else "beaver")
    if not isinstance(speaker, str):
        raise InvalidInput("sender_id", "must be a string")
    if line.get("timestamp") is None:
        raise InvalidInput("timestamp", "is required")
    return ForeignMessage(session_id, NewMessage(role, speaker, _time(line["timestamp"], "timestamp"), content))


def _observation(
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
        observed_ms=None if at is None else _time(at, field),
    )


def _object(value: Any) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise InvalidInput("line", "must be one JSON object")
    return value


def _text(value: Mapping[str, Any], field: str) -> str:
    found = value.get(field)
    if not isinstance(found, str) or not found.strip():
        raise InvalidInput(field, "must be a string that is not blank")
    return found


def _time(value: Any, field: str) -> int:
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


SHAPES: Final[dict[str, Callable[[Any, str], list[Item]]]] = {
    "conversations": _conversation,
    "curated": _curated,
    "mem0": _mem0,
    "everos": _everos,
}
