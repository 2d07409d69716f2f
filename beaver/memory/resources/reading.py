"""A file's bytes into a document to store: Markdown, plain text, HTML or PDF into words, with a title."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import PurePath
from typing import Final

from beaver.errors import InvalidInput
from beaver.memory.records import NewDocument
from beaver.memory.resources.outline import title_of, without_comments
from beaver.memory.resources.reading_html import read_html
from beaver.memory.resources.reading_pdf import read_pdf
from beaver.memory.resources.reading_text import decoded, decoded_page
from beaver.memory.stored_text import storable

FILE_BYTES_MAX: Final = 50_000_000
TEXT_CHARACTERS_MAX: Final = 10_000_000
TITLE_CHARACTERS_MAX: Final = 300
# As programs for notes and for writing export them: a picture is a hundred passages of letters that say nothing.
_PICTURE: Final = re.compile(r"data:[\w.+-]{1,40}/[\w.+-]{1,80}(?:;[\w=.-]{1,80}){0,4};base64,[A-Za-z0-9+/=]{64,}+")


@dataclass(frozen=True)
class ReadText:
    """What a file says: its words, and its title where the file itself names one, else blank."""

    text: str
    title: str = ""


Reader = Callable[[bytes, str | None], ReadText]


def read_file(data: bytes, name: str, uri: str, *, encoding: str | None = None) -> NewDocument:
    """The document in a file of this name. Slow for megabytes: not for the event loop.

    Without a title of its own it gets the file's name. `encoding`: that of a text or a page, where it is not UTF-8. Raises
    InvalidInput for a file that is too large, of another kind, broken, encrypted, in another encoding, or without words.
    """
    if len(data) > FILE_BYTES_MAX:
        raise InvalidInput("file", f"must be at most {FILE_BYTES_MAX} bytes")
    reader = _reader(data, name)
    if encoding is not None and reader is _pdf:
        raise InvalidInput("--encoding", "must not be named for a PDF")
    read = reader(data, encoding)
    text = storable(read.text)
    if not text.strip():
        raise InvalidInput("file", f"must hold text{_WHERE_ELSE.get(reader, '')}")
    if len(text) > TEXT_CHARACTERS_MAX:
        raise InvalidInput("file", f"must hold at most {TEXT_CHARACTERS_MAX} characters of text")
    title = " ".join(storable(read.title).split()) or PurePath(name).stem
    return NewDocument(uri, _without_controls(title)[:TITLE_CHARACTERS_MAX], text)


def _reader(data: bytes, name: str) -> Reader:
    """By the file's ending; a PDF by its first bytes too, whatever it is called."""
    if data.startswith(b"%PDF-"):
        return _pdf
    suffix = PurePath(name).suffix.lower()
    if suffix not in _READERS:
        raise InvalidInput("file", f"must end in one of {', '.join(sorted(_READERS))}")
    return _READERS[suffix]


def _markdown(data: bytes, encoding: str | None) -> ReadText:
    text = without_comments(_PICTURE.sub("data:", decoded(data, encoding)))
    return ReadText(text, title_of(text))


def _plain(data: bytes, encoding: str | None) -> ReadText:
    return ReadText(decoded(data, encoding))


def _html(data: bytes, encoding: str | None) -> ReadText:
    text, title = read_html(decoded_page(data, encoding))
    return ReadText(text, title)


def _pdf(data: bytes, _encoding: str | None) -> ReadText:
    text, title = read_pdf(data)
    return ReadText(text, title)


def _without_controls(title: str) -> str:
    return "".join(character for character in title if character.isprintable())


_WHERE_ELSE: Final[dict[Reader, str]] = {
    _pdf: " (pages that are scanned, or whose fonts tell no characters, must be made into text first)",
    _html: " (what frames or scripts show is not in the file)",
}
_READERS: Final[dict[str, Reader]] = {
    ".md": _markdown,
    ".markdown": _markdown,
    ".txt": _plain,
    ".text": _plain,
    ".html": _html,
    ".htm": _html,
    ".xhtml": _html,
    ".pdf": _pdf,
}
