"""What other systems wrote, pure: files into turns and observations, each known again by a key made of its content.

Shapes: `conversations` (JSON Lines, a message a line: session_id, role, content, timestamp, sender_id), `curated` (bullets of
MEMORY.md or USER.md), `mem0` (what its get_all and export answer), `everos` (bodies of its add, episodes
and profiles of its get and search).
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterator
from typing import Any, Final

from beaver.errors import InvalidInput
from beaver.memory.portability.everos import everos
from beaver.memory.portability.items import Item, check_owner, list_of, message_of, object_of, observation_of, text_of
from beaver.memory.portability.lines import BAD_LINES_SHOWN_MAX, InvalidFile

FILE_BYTES_MAX: Final = 200_000_000
_BULLET: Final = re.compile(r"^\s*[-*+]\s+(.+)$")


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
    return [observation_of(bullet, "preference")]


def _conversation(value: Any, user_id: str) -> list[Item]:
    line = object_of(value)
    return [message_of(text_of(line, "session_id"), line, user_id)]


def _mem0(value: Any, user_id: str) -> list[Item]:
    memory = object_of(value)
    check_owner(memory, user_id)
    learned = memory.get("updated_at") or memory.get("created_at")
    tags = [one for one in list_of(memory, "categories") if isinstance(one, str)]
    return [observation_of(text_of(memory, "memory"), "event", at=learned, field="created_at", tags=tuple(tags))]


SHAPES: Final[dict[str, Callable[[Any, str], list[Item]]]] = {
    "conversations": _conversation,
    "curated": _curated,
    "mem0": _mem0,
    "everos": everos,
}
