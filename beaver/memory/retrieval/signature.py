"""A passage's signature, pure: all that ranking reads of its words, made once when it is stored.

A BLOB of a head (8 bytes: layout's version, flags, counts), then unsigned 32-bit numbers: stems in order, stems of proper
nouns; then signed 32-bit pairs: the days that the text names or implies. Little-endian.
"""

from __future__ import annotations

import re
import sys
from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from struct import Struct
from typing import Final

import numpy as np
from numpy.typing import NDArray

from beaver.memory.retrieval.dates import MONTHS, Days, date_of, named_days
from beaver.memory.retrieval.relative_dates import implied_days
from beaver.memory.retrieval.stems import stem_of, stems_of
from beaver.memory.retrieval.words import fold, index_text

VERSION: Final = 1
ASKS: Final = 1
"""Flag: the text ends with a question."""
TELLS_TIME: Final = 2
"""Flag: it has a time expression."""
COUNTS: Final = 4
"""Flag: it has a number."""

_STEMS_MAX: Final = 65_535
_NOUNS_MAX: Final = 6
_DAYS_MAX: Final = 16
_HEAD: Final = Struct("<BBBBHH")

# What stands after the last sentence does not hide that it asks: `… [shares a photo of a dog]`.
_ASKING: Final = re.compile(r"[?？]['\"”’)\s]*(?:\[[^\]]*\]\s*)*$")
_PROPER_NOUN: Final = re.compile(r"(?<=[a-z,] )[A-Z][a-z]+")
_UNAMBIGUOUS_MONTHS: Final = "|".join(name for name in MONTHS if name not in ("march", "may"))
_UNIT: Final = "day|week|month|year|hour"
_TELLING_TIME: Final = re.compile(
    r"\b(?:yesterday|today|tonight|tomorrow|ago|recently|the other day|years? old"
    r"|last (?:night|week|weekend|month|year|summer|winter|spring|fall|\w+day|mon|tues?|wed|thu(?:rs)?|fri|sat|sun|may)"
    r"|next (?:week|weekend|month|year|summer|\w+day)|this (?:week|weekend|month|year|morning|summer|past)"
    r"|(?:for|since|after|in) (?:\d+|an?|one|two|three|four|five|six|seven|eight|nine|ten|a few|the last|the past)"
    rf" ?(?:{_UNIT})s?"
    rf"|\d+ (?:{_UNIT})s?|(?:19|20)\d\d|{_UNAMBIGUOUS_MONTHS}|in may|in march|\d(?:st|nd|rd|th)|\w+day)\b"
)
_COUNTING: Final = re.compile(
    r"\b(?:\d+|two|three|four|five|six|seven|eight|nine|ten|twelve|twice|once|couple|dozen|several)\b"
)


@dataclass(frozen=True)
class Signatures:
    """Signatures of n passages as columns. Of the flat ones passage i has those from `…_from[i]` to `…_from[i + 1]`."""

    flags: NDArray[np.uint8]
    stems: NDArray[np.uint32]
    stems_from: NDArray[np.int64]
    nouns: NDArray[np.uint32]
    nouns_from: NDArray[np.int64]
    days: NDArray[np.int32]  # (days, 2): first and last
    days_from: NDArray[np.int64]


def sign(text: str, observed_ms: int, index_words: str | None = None) -> bytes:
    """The signature of a text that was said at a time (UTC epoch ms). `index_words`: its words, where they are known already."""
    words = index_text(text) if index_words is None else index_words
    lower, said = text.lower(), date_of(observed_ms)
    stems, nouns, days = stems_of(words)[:_STEMS_MAX], _nouns(text), _days(lower, said)
    numbers = array("I", [*stems, *nouns])
    pairs = array("i", [number for one in days for number in (one.first, one.last)])
    if sys.byteorder == "big":
        numbers.byteswap()
        pairs.byteswap()
    head = _HEAD.pack(VERSION, _flags(text, lower), len(nouns), len(days), len(stems), 0)
    return head + numbers.tobytes() + pairs.tobytes()


def read_signatures(blobs: Sequence[bytes | None]) -> Signatures:
    """Signatures as `sign` made them; a missing or damaged one, or one of another version, is a passage without words."""
    known = [blob if blob is not None and _is_sound(blob) else _NOTHING for blob in blobs]
    heads = np.frombuffer(b"".join(blob[: _HEAD.size] for blob in known), _HEAD_COLUMNS)
    stems, nouns, days = (heads[name].astype(np.int64) for name in ("stems", "nouns", "days"))
    body = np.frombuffer(b"".join(blob[_HEAD.size :] for blob in known), "<u4")
    part = np.repeat(np.tile([0, 1, 2], len(known)), np.column_stack([stems, nouns, 2 * days]).ravel())
    return Signatures(
        heads["flags"].copy(),
        body[part == 0].astype(np.uint32),
        _offsets(stems),
        body[part == 1].astype(np.uint32),
        _offsets(nouns),
        body[part == 2].astype(np.uint32).view(np.int32).reshape(-1, 2),
        _offsets(days),
    )


_NOTHING: Final = _HEAD.pack(VERSION, 0, 0, 0, 0, 0)
_HEAD_COLUMNS: Final = np.dtype(
    [("version", "u1"), ("flags", "u1"), ("nouns", "u1"), ("days", "u1"), ("stems", "<u2"), ("free", "<u2")]
)


def _is_sound(blob: bytes) -> bool:
    """Of our version, and as long as it says that it is."""
    if len(blob) < _HEAD.size or blob[0] != VERSION:
        return False
    _, _, nouns, days, stems, _ = _HEAD.unpack_from(blob)
    numbers: int = nouns + 2 * days + stems
    return len(blob) == _HEAD.size + 4 * numbers


def _offsets(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum(counts)])


def _flags(text: str, lower: str) -> int:
    asks = ASKS if _ASKING.search(text, max(0, len(text) - 200)) else 0
    tells_time = TELLS_TIME if _TELLING_TIME.search(lower) else 0
    return asks | tells_time | (COUNTS if _COUNTING.search(lower) else 0)


def _nouns(text: str) -> list[int]:
    """Names of people count too: who reads them knows which are speakers."""
    nouns = (stem_of(fold(noun.lower())) for noun in _PROPER_NOUN.findall(text)[:_NOUNS_MAX])
    return [noun for noun in nouns if noun is not None]


def _days(lower: str, said: date) -> list[Days]:
    return list(dict.fromkeys([*named_days(lower, said), *implied_days(lower, said)]))[:_DAYS_MAX]
