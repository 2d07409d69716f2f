"""What the learned part sees in a sentence, pure: its words and pairs of words, or its characters and pairs of them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from beaver.text import has_unspaced

BEGIN: Final = "<"
END: Final = ">"
NUMBER: Final = "0"
"""Any number: which one says nothing of whether a sentence is worth keeping."""
_WORD: Final = re.compile(r"[a-z']+|[?!:,]|\d+")
_LAST: Final = "。.！!"
_DIGITS: Final = re.compile(r"\d+")


def marks_of(plain: str) -> frozenset[str]:
    """The marks of a sentence whose quotations are blotted out, each once: single ones, and pairs of neighbours with its ends
    among them."""
    if has_unspaced(plain):
        characters = _DIGITS.sub(NUMBER, "".join(plain.lower().split()).rstrip(_LAST))
        return frozenset(characters) | frozenset(_pairs(characters, ""))
    words = [NUMBER if word.isdigit() else word for word in _WORD.findall(plain.lower())]
    return frozenset(words) | frozenset(_pairs(words, " "))


def _pairs(units: Sequence[str], between: str) -> list[str]:
    return [f"{one}{between}{other}" for one, other in zip((BEGIN, *units), (*units, END), strict=True)]
