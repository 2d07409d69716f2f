"""The privacy gate, pure: credentials and personal data out of a text before it is hashed, encoded, stored, told or recalled.

Credentials are found by `beaver.redaction`; what is added here is private to a person and no business of a log's: cards, mail
addresses, telephone numbers, a password told in plain words, and long strings that look random. Every repetition is bounded.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Final

from beaver.redaction import Redactor

_PLACEHOLDER: Final = re.compile(r"\[REDACTED:([a-z_]{1,40})\]")
_CREDENTIALS: Final = Redactor()

# Words that follow "the password is" in speech about passwords.
_SAID_OF_PASSWORDS: Final = (
    r"(?:required|optional|expired|invalid|missing|wrong|incorrect|correct|rejected|denied|refused|hidden|secret|changed|"
    r"revoked|rotated|stored|hashed|encrypted|known|unknown|weak|strong|secure|insecure|safe|unsafe|long|short|gone|lost|"
    r"forgotten|saved|shared|public|private|unique|personal|stupid|easy|hard|difficult|simple|complicated|ready|old|new|"
    r"empty|blank|set|unset|fine|okay|good|bad|everything|nothing|something|mine|yours|theirs|there|here|enough|needed|"
    r"case-sensitive|confidential|compromised|leaked|visible|valid|ok|due|back|redacted|now|important|required)\b"
)
_SPOKEN: Final = re.compile(
    r"\b(?:password|passphrase|passcode)\s{1,3}(?:is|was)\s{1,3}(?:now\s)?"
    rf"(?!{_SAID_OF_PASSWORDS})(?P<value>[\"'“]?[^\s,;.!?\[]{{4,128}})(?=[.!?,;]?\s*$|[.!?,;]\s)"
    r"|\bpin(?:\s(?:code|number))?\s{0,3}(?:is|was|:|=)\s{0,3}(?P<pin>\d{4,12})\b"
    r"|(?:密码|密碼|口令)\s{0,3}(?:是|为|為|：|:)\s{0,3}(?P<han>[!-~]{4,128})",
    re.IGNORECASE | re.MULTILINE,
)
_CARD: Final = re.compile(r"(?<![A-Za-z0-9_.-])[2-6]\d{3}(?:[ -]?\d{2,6}){2,4}(?![A-Za-z0-9_-])")
_EMAIL: Final = re.compile(
    r"(?<![A-Za-z0-9.%+_-])(?!git@)[A-Za-z0-9.%+_-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){0,8}\.[A-Za-z]{2,24}"
    r"(?![A-Za-z0-9])"
)
_PHONE: Final = re.compile(
    r"(?<![A-Za-z0-9_+.])\+\d{1,3}(?:[ .-]?\(\d{1,4}\))?(?:[ .-]?\d{1,4}){2,6}(?![A-Za-z0-9_-])"  # as one calls from abroad
    r"|(?<![A-Za-z0-9_.-])(?:\(\d{3}\) ?|\d{3}[ .-])\d{3}[ .-]\d{4}(?![A-Za-z0-9_-])"  # North America
    r"|(?<![A-Za-z0-9_.-])1[3-9]\d(?:[ -]?\d{4}){2}(?![A-Za-z0-9_-])"  # a mobile in China
    r"|(?i:\b(?:phone|mobile|telephone|tel|cell|call\sme|reach\sme|telefon|handy)\b|电话|電話|手机|手機)"
    r"[^\d\n+]{0,20}(?P<number>\(?\d(?:[ ()./-]{0,2}\d){5,14})(?![A-Za-z0-9_-])"
)
_WORD: Final = re.compile(r"[A-Za-z0-9+/_=-]+")
_UUID: Final = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}", re.IGNORECASE)
_HEX: Final = re.compile(r"[0-9a-f]+", re.IGNORECASE)
_PIECE: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|\d+")

ENTROPY_MIN: Final = 4.0
"""Bits a character."""
RANDOM_LENGTH_MIN: Final = 24
PIECE_LENGTH_MAX: Final = 2.8
"""Mean length of a random string's pieces (a word, capitals, digits); in names that people give, pieces are longer."""
PHONE_DIGITS_MIN: Final = 7


@dataclass(frozen=True)
class Redacted:
    """A text with `[REDACTED:kind]` for what is private. `refused`: more than half of it was, so what is left says nothing."""

    text: str
    kinds: tuple[str, ...]
    refused: bool


def redact(text: str, credentials: Redactor = _CREDENTIALS) -> Redacted:
    """The text as it may be kept, each kind of what it lost named once. In time proportional to its length.

    `credentials` knows the process's own secrets. What is redacted already stays as it is.
    """
    clean = credentials.text(text)
    for kind, pattern, is_private in _PERSONAL:
        clean = pattern.sub(partial(_judged, kind, is_private), clean)
    kinds = tuple(dict.fromkeys(_PLACEHOLDER.findall(clean)))
    return Redacted(clean, kinds, _said(clean) * 2 < _said(text))


def _said(text: str) -> int:
    """How many characters are neither space nor placeholder."""
    return len("".join(_PLACEHOLDER.sub("", text).split()))


def _judged(kind: str, is_private: Callable[[re.Match[str]], bool], match: re.Match[str]) -> str:
    return _without(match, kind) if is_private(match) else match[0]


def _without(match: re.Match[str], kind: str) -> str:
    """The match without its value, where one is named, else without all of it."""
    start = next((match.start(name) for name, value in match.groupdict().items() if value), match.start())
    return f"{match[0][: start - match.start()]}[REDACTED:{kind}]"


def _always(_match: re.Match[str]) -> bool:
    return True


def _is_card(match: re.Match[str]) -> bool:
    """13 to 19 digits whose check digit is right (ISO/IEC 7812)."""
    digits = [int(character) for character in match[0] if character.isdigit()]
    doubled: list[int] = [sum(divmod(2 * digit, 10)) for digit in digits[-2::-2]]
    checked = sum(doubled) + sum(digits[-1::-2])
    return 13 <= len(digits) <= 19 and checked % 10 == 0


def _is_phone(match: re.Match[str]) -> bool:
    digits: int = sum(character.isdigit() for character in match["number"] or match[0])
    return PHONE_DIGITS_MIN <= digits <= 15


def _is_random(match: re.Match[str]) -> bool:
    """Long, in capitals and small letters, of high entropy, and no digest, no UUID, no name made of words."""
    word = match[0]
    if len(word) < RANDOM_LENGTH_MIN or word.lower() == word or word.upper() == word:
        return False
    if _UUID.fullmatch(word) or _HEX.fullmatch(word):
        return False
    return entropy(word) >= ENTROPY_MIN and len(word) < PIECE_LENGTH_MAX * len(_PIECE.findall(word))


def entropy(word: str) -> float:
    """Shannon's, in bits a character, of the word's own characters; 0 for none."""
    counts = Counter(word).values()
    return -sum(count / len(word) * math.log2(count / len(word)) for count in counts)


# In this order: a card would pass for a telephone number.
_PERSONAL: Final[tuple[tuple[str, re.Pattern[str], Callable[[re.Match[str]], bool]], ...]] = (
    ("password", _SPOKEN, _always),
    ("card", _CARD, _is_card),
    ("email", _EMAIL, _always),
    ("phone", _PHONE, _is_phone),
    ("random", _WORD, _is_random),
)
