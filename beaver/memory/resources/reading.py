"""A file's bytes into a document to store: Markdown, plain text, HTML or PDF into words, with a title."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import PurePath
from typing import Final

from beaver.errors import InvalidInput
from beaver.memory.records import NewDocument
from beaver.memory.resources.reading_html import read_html
from beaver.memory.resources.reading_pdf import read_pdf
from beaver.memory.stored_text import storable

FILE_BYTES_MAX: Final = 50_000_000
TEXT_CHARACTERS_MAX: Final = 10_000_000
TITLE_CHARACTERS_MAX: Final = 300

_HEADING: Final = re.compile(r"^#{1,6}[ \t]++(.+)$", re.MULTILINE)
_FENCED: Final = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class ReadText:
    """What a file says: its words, and its title where the file itself names one, else blank."""

    text: str
    title: str = ""


def read_file(data: bytes, name: str, uri: str) -> NewDocument:
    """The document in a file of this name. Slow for megabytes: not for the event loop.

    Without a title of its own it gets the file's name. Raises InvalidInput for a file that is too large, of another kind,
    broken, encrypted, not in UTF-8, or without words.
    """
    if len(data) > FILE_BYTES_MAX:
        raise InvalidInput("file", f"must be at most {FILE_BYTES_MAX} bytes")
    read = _reader(data, name)(data)
    text = storable(read.text)
    if not text.strip():
        raise InvalidInput("file", "must hold text (scanned pages must be made into text first)")
    if len(text) > TEXT_CHARACTERS_MAX:
        raise InvalidInput("file", f"must hold at most {TEXT_CHARACTERS_MAX} characters of text")
    title = " ".join(storable(read.title).split()) or PurePath(name).stem
    return NewDocument(uri, _without_controls(title)[:TITLE_CHARACTERS_MAX], text)


def _reader(data: bytes, name: str) -> Callable[[bytes], ReadText]:
    """By the file's ending; a PDF by its first bytes too, whatever it is called."""
    if data.startswith(b"%PDF-"):
        return _pdf
    suffix = PurePath(name).suffix.lower()
    if suffix not in _READERS:
        raise InvalidInput("file", f"must end in one of {', '.join(sorted(_READERS))}")
    return _READERS[suffix]


def _markdown(data: bytes) -> ReadText:
    text = _decoded(data)
    heading = _HEADING.search(_FENCED.sub("", text))
    return ReadText(text, heading[1].rstrip(" \t").rstrip("#").rstrip(" \t") if heading else "")


def _plain(data: bytes) -> ReadText:
    return ReadText(_decoded(data))


def _html(data: bytes) -> ReadText:
    text, title = read_html(_decoded(data))
    return ReadText(text, title)


def _pdf(data: bytes) -> ReadText:
    text, title = read_pdf(data)
    return ReadText(text, title)


def _decoded(data: bytes) -> str:
    encoding = "utf-16" if data.startswith((b"\xff\xfe", b"\xfe\xff")) else "utf-8-sig"
    try:
        return data.decode(encoding).replace("\r\n", "\n")
    except UnicodeDecodeError:
        raise InvalidInput("file", "must be text in UTF-8") from None


def _without_controls(title: str) -> str:
    return "".join(character for character in title if character.isprintable())


_READERS: Final[dict[str, Callable[[bytes], ReadText]]] = {
    ".md": _markdown,
    ".markdown": _markdown,
    ".txt": _plain,
    ".text": _plain,
    ".html": _html,
    ".htm": _html,
    ".xhtml": _html,
    ".pdf": _pdf,
}
