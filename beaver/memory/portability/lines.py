"""The export file as bytes, pure: JSON Lines in one spelling, a header first, the SHA-256 of all before it last."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import IO, Any, Final

from beaver.errors import InvalidInput
from beaver.memory.namespace import Namespace
from beaver.memory.portability.kinds import LINES, TOMBSTONE, Fields, Kind, check

FORMAT: Final = "beaver-memory"
VERSION: Final = 1
LINE_BYTES_MAX: Final = 64_000_000
BAD_LINES_SHOWN_MAX: Final = 20
LINES_A_STEP: Final = 1_000
_OF: Final = "of"
_TOMBSTONE_FIELDS: Final = set(TOMBSTONE.columns) - {"kind"}
NO_EXPORT: Final = (
    "must begin with the header of an export; what another system wrote is taken over with --from conversations, curated, "
    "mem0, everos, chatgpt or claude"
)


class InvalidFile(InvalidInput):
    """A file that cannot be imported, of which nothing was. `lines`: the first bad ones as (number, field, rule)."""

    def __init__(self, lines: tuple[tuple[int, str, str], ...]) -> None:
        number, field, rule = lines[0]
        more = f" (and {len(lines) - 1} more such lines)" if len(lines) > 1 else ""
        super().__init__(f"line {number}: {field}", f"{rule}{more}")
        self.lines = lines


@dataclass(frozen=True)
class Header:
    """Whose memory a file holds, and how many lines of each kind."""

    namespace: Namespace
    counts: Mapping[str, int]


@dataclass(frozen=True)
class Record:
    """One line of memory, and how many bytes it is."""

    line: int
    kind: Kind
    fields: Fields
    size: int


@dataclass(frozen=True)
class Verified:
    """How far a file is read, and of a whole one the fingerprint."""

    header: Header
    lines: int
    sha256: str | None = None


def encoded(value: Mapping[str, Any]) -> bytes:
    """A line. The same value is the same bytes."""
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return text.encode() + b"\n"


def record_line(kind: Kind, fields: Fields) -> bytes:
    """A line of memory. A tombstone says by `of` what kind of thing was forgotten: `kind` is the line's."""
    return encoded({_OF if name == "kind" else name: value for name, value in fields.items()} | {"kind": kind.name})


def header_line(header: Header) -> bytes:
    """The first line."""
    whose = header.namespace
    named = {"app_id": whose.app_id, "project_id": whose.project_id, "user_id": whose.user_id}
    return encoded({"kind": "header", "format": FORMAT, "version": VERSION, **named, "counts": dict(header.counts)})


def end_line(sha256: str) -> bytes:
    """The last line: the SHA-256 of all the bytes before it."""
    return encoded({"kind": "end", "sha256": sha256})


def verify(source: IO[bytes]) -> Iterator[Verified]:
    """Read a whole file from its start and tell now and then how far that is, so too at the end.

    Raises InvalidFile for lines that break a rule, InvalidInput for a broken fingerprint, which goes first: one bad byte
    explains every bad line.
    """
    source.seek(0)
    reading = _Reading(source)
    bad: list[tuple[int, str, str]] = []
    while (line := reading.next_line()) is not None:
        try:
            reading.record(line)
        except InvalidInput as error:
            if reading.header is None:
                raise
            bad.append((reading.number, error.field, error.rule))
            if len(bad) == BAD_LINES_SHOWN_MAX:
                break
        if reading.header is not None and reading.number % LINES_A_STEP == 0 and not bad:
            yield Verified(reading.header, reading.lines)
    if len(bad) < BAD_LINES_SHOWN_MAX:
        reading.check_end()
    if bad:
        raise InvalidFile(tuple(bad))
    yield Verified(reading.whole_header(), reading.lines, reading.sha256)


def records(source: IO[bytes]) -> Iterator[Record]:
    """The lines of a file that was verified. Raises InvalidInput at its end when it is not the same any more."""
    source.seek(0)
    reading = _Reading(source)
    while (line := reading.next_line()) is not None:
        record = reading.record(line)
        if record is not None:
            yield record
    reading.check_end()


class _Reading:
    """One way through a file: what it has seen, to be compared with what the file says of itself."""

    def __init__(self, source: IO[bytes]) -> None:
        self._source = source
        self._seen = hashlib.sha256()
        self._counts = dict.fromkeys(LINES, 0)
        self._claimed: str | None = None
        self.header: Header | None = None
        self.number = 0

    @property
    def sha256(self) -> str:
        """Of what was read, but for the end."""
        return self._seen.hexdigest()

    @property
    def lines(self) -> int:
        """How many lines of memory were read."""
        return sum(self._counts.values())

    def next_line(self) -> bytes | None:
        line = self._source.readline(LINE_BYTES_MAX + 1)
        self.number += 1
        return line or None

    def record(self, line: bytes) -> Record | None:
        """None for the header and the end."""
        if len(line) > LINE_BYTES_MAX:
            raise InvalidInput("line", f"must be at most {LINE_BYTES_MAX} bytes")
        if self._claimed is not None:
            raise InvalidInput("kind", "must not follow the end")
        if self.header is None:
            self.header = _header(line)
            self._seen.update(line)
            return None
        value = _parsed(line)
        name, value = _named(value)
        if name == "end":
            self._claimed = str(value.get("sha256"))
            return None
        self._seen.update(line)
        if name not in LINES:
            raise InvalidInput("kind", f"must be one of {', '.join(LINES)}")
        self._counts[name] += 1
        check(LINES[name], value)
        return Record(self.number, LINES[name], value, len(line))

    def check_end(self) -> None:
        header = self.whole_header()
        if self._claimed is None:
            raise InvalidInput("file", "ends too early: its last line must be its fingerprint")
        if self._claimed != self.sha256:
            raise InvalidInput("file", "must have the fingerprint that it ends with: it was changed or damaged")
        if self._counts != dict(header.counts):
            raise InvalidInput("file", "must hold as many lines as its header says")

    def whole_header(self) -> Header:
        if self.header is None:
            raise InvalidInput("file", NO_EXPORT)
        return self.header


def _parsed(line: bytes) -> Fields:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        raise InvalidInput("line", "must be one JSON object in UTF-8") from None
    if not isinstance(value, dict):
        raise InvalidInput("line", "must be one JSON object in UTF-8")
    return value


def _named(value: Fields) -> tuple[Any, Fields]:
    """The line's kind, and its fields by the names of columns.

    Earlier releases wrote a tombstone's own kind in the place of the line's.
    """
    fields = {name: one for name, one in value.items() if name != "kind"}
    name = value.get("kind")
    if fields.keys() == _TOMBSTONE_FIELDS and name != TOMBSTONE.name:
        return TOMBSTONE.name, {**fields, "kind": name}
    if name == TOMBSTONE.name and _OF in fields:
        fields["kind"] = fields.pop(_OF)
    return name, fields


def _header(line: bytes) -> Header:
    try:
        value = _parsed(line)
    except InvalidInput:
        raise InvalidInput("file", NO_EXPORT) from None
    if value.get("kind") != "header" or value.get("format") != FORMAT:
        raise InvalidInput("file", NO_EXPORT)
    if value.get("version") != VERSION:
        raise InvalidInput("version", f"must be {VERSION}")
    counts = value.get("counts")
    if not isinstance(counts, dict) or not all(type(count) is int for count in counts.values()):
        raise InvalidInput("counts", "must be an object of whole numbers")
    app_id, project_id, user_id = (str(value.get(part, "")) for part in ("app_id", "project_id", "user_id"))
    return Header(Namespace(app_id, project_id, user_id), {**dict.fromkeys(LINES, 0), **counts})
