"""What other systems wrote, pure: files into turns and observations, each known again by a key made of its content.

Shapes: `conversations` (JSON Lines, a message a line: session_id, role, content, timestamp, sender_id), `curated` (bullets of
MEMORY.md or USER.md, or entries that lines of § part, as Beaver's own files have them), `mem0` (what its get_all and export
answer), `everos` (bodies of its add, episodes and profiles of its get and search), `chatgpt` and `claude` (the
conversations.json of what these give their users).
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import IO, Any, Final

from beaver.errors import InvalidInput
from beaver.memory.portability.chat_exports import chatgpt, claude
from beaver.memory.portability.everos import everos
from beaver.memory.portability.items import Item, check_item, message_of, object_of, observation_of, text_of
from beaver.memory.portability.lines import BAD_LINES_SHOWN_MAX, InvalidFile
from beaver.memory.portability.mem0 import mem0

VALUE_BYTES_MAX: Final = 200_000_000
"""Of a line, and of a file that is one JSON value: these are held in memory as a whole."""
_PARTING: Final = "§"
_BULLET: Final = re.compile(r"\s*(?:[-*+]|\d{1,3}[.)])\s+(?:\[[ xX]\](?:\s+|$))?(.*)")
_NO_MORE_OF_IT: Final = re.compile(r"\s*(?:$|#|```|~~~|---|\|)")


def key_of(item: Item) -> str:
    """The same item has the same key, whichever file it comes from."""
    return hashlib.sha256(repr(item).encode("utf-8", "surrogatepass")).hexdigest()


def count_items(source: IO[bytes], shape: str, user_id: str) -> int:
    """Read all of a file, and say how many items it has.

    Raises InvalidFile with number, field and rule of what is wrong, InvalidInput for the file as a whole.
    """
    bad: list[tuple[int, str, str]] = []
    count = 0
    for number, entry in _entries(source, shape):
        try:
            items = SHAPES[shape](entry, user_id)
            for item in items:
                check_item(item)
            count += len(items)
        except InvalidInput as error:
            bad.append((number, error.field, error.rule))
            if len(bad) == BAD_LINES_SHOWN_MAX:
                break
    if bad:
        raise InvalidFile(tuple(bad))
    return count


def read_items(source: IO[bytes], shape: str, user_id: str) -> Iterator[Item]:
    """The items of a file that was counted, one after the other. Raises InvalidInput where it is not right any more."""
    for _, entry in _entries(source, shape):
        yield from SHAPES[shape](entry, user_id)


def _entries(source: IO[bytes], shape: str) -> Iterator[tuple[int, Any]]:
    if shape not in SHAPES:
        raise InvalidInput("--from", f"must be one of {', '.join(SHAPES)}")
    return _notes(source) if shape == "curated" else _values(source)


def _notes(source: IO[bytes]) -> Iterator[tuple[int, str]]:
    """Entries by the lines they begin at. Raises InvalidInput for a file without any."""
    lines = _whole(source).splitlines()
    notes = list(_parted(lines) if _PARTING in map(str.strip, lines) else _bullets(lines))
    if not notes:
        raise InvalidInput("file", "must have bullets, or entries that lines of § part")
    yield from notes


def _bullets(lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Each with the lines that go on with it, as Markdown reads them."""
    begin, entry = 0, list[str]()
    for number, line in enumerate([*lines, ""], start=1):
        bullet = _BULLET.match(line)
        if entry and not bullet and not _NO_MORE_OF_IT.match(line):
            entry.append(line)
            continue
        if said := " ".join(" ".join(entry).split()):
            yield begin, said
        begin, entry = (number, [bullet[1]]) if bullet else (0, [])


def _parted(lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    begin, entry = 1, list[str]()
    for number, line in enumerate([*lines, _PARTING], start=1):
        if line.strip() != _PARTING:
            entry.append(line)
            continue
        if said := " ".join(" ".join(entry).split()):
            yield begin, said
        begin, entry = number + 1, []


def _values(source: IO[bytes]) -> Iterator[tuple[int, Any]]:
    """The members of one JSON list or answer, numbered from 1; else of JSON Lines, by line."""
    begin = [_parsed(line) for _, line in islice(_lines(source), 2)]
    is_lines = len(begin) == 2 and begin[0] is not None
    whole = None if is_lines else _parsed(_whole(source))
    if whole is None:
        yield from ((number, _parsed(line)) for number, line in _lines(source))
        return
    members = whole.get("results", whole.get("memories", [whole])) if isinstance(whole, dict) else whole
    yield from enumerate(members if isinstance(members, list) else [members], start=1)


def _lines(source: IO[bytes]) -> Iterator[tuple[int, str]]:
    """Lines that are not blank, by number."""
    source.seek(0)
    for number, line in enumerate(iter(lambda: source.readline(VALUE_BYTES_MAX + 1), b""), start=1):
        if len(line) > VALUE_BYTES_MAX:
            raise InvalidInput("file", f"must have lines of at most {VALUE_BYTES_MAX} bytes")
        text = _decoded(line)
        if text.strip():
            yield number, text


def _whole(source: IO[bytes]) -> str:
    source.seek(0)
    data = source.read(VALUE_BYTES_MAX + 1)
    if len(data) > VALUE_BYTES_MAX:
        raise InvalidInput("file", f"must be at most {VALUE_BYTES_MAX} bytes, or one JSON object a line")
    return _decoded(data)


def _decoded(data: bytes) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InvalidInput("file", "must be text in UTF-8") from None


def _parsed(text: str) -> Any:
    """None for what is no JSON."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _curated(bullet: str, _user_id: str) -> list[Item]:
    return [observation_of(bullet, "preference")]


def _conversation(value: Any, user_id: str) -> list[Item]:
    line = object_of(value)
    return [message_of(text_of(line, "session_id"), line, user_id)]


SHAPES: Final[dict[str, Callable[[Any, str], list[Item]]]] = {
    "conversations": _conversation,
    "curated": _curated,
    "mem0": mem0,
    "everos": everos,
    "chatgpt": chatgpt,
    "claude": claude,
}
