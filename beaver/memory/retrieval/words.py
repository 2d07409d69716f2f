"""Text into searchable words, alike when it is stored and when it is asked for; stemming is left to the index."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from itertools import groupby, pairwise
from typing import Final

from beaver.text import is_unspaced

WORD_LENGTH_MAX: Final = 64

# The general combining marks: accents of Latin, Greek and Cyrillic. (Japanese and Indic marks lie elsewhere and are kept.)
_ACCENTS: Final = re.compile("[\u0300-\u036f]+")
_ASCII_WORD: Final = re.compile("[a-z0-9]+")
_ZERO_WIDTH_SPACE: Final = 0x200B
_WILL_NOT: Final = re.compile("\\bwon['\u2019]t\\b", re.IGNORECASE)
_NOT: Final = ("n't", "n\u2019t", "N'T", "N\u2019T")
_UMLAUTS: Final = {"ä": "ae", "ö": "oe", "ü": "ue"}


def index_text(text: str) -> str:
    """What the full-text index stores for a text: its words in order, one space apart.

    Scripts without spaces give every character and every pair of neighbours, so that any substring is found.
    """
    text = _without_contraction(text)
    if text.isascii():  # most text, and a fifth of the time
        words = _ASCII_WORD.findall(text.lower())
        return " ".join(words if max(map(len, words), default=0) <= WORD_LENGTH_MAX else _shortened(words))
    return " ".join(_indexed(text))


def _shortened(words: Iterable[str]) -> Iterator[str]:
    return (word[:WORD_LENGTH_MAX] for word in words)


def query_terms(text: str) -> Iterator[tuple[str, ...]]:
    """The words of a query in order; each as its spellings, of which any one may stand in a text."""
    for word in _raw_words(_without_contraction(text)):
        if is_unspaced(word[0]):
            yield from ((pair,) for pair in _pairs(word) or [word])
        else:
            yield _spellings(word)


def _without_contraction(text: str) -> str:
    """`won't` holds another word that says something, as no other contraction does."""
    return _WILL_NOT.sub("will not", text) if any(end in text for end in _NOT) else text


def fold(word: str) -> str:
    """The word without accents; `word` is lower case already."""
    return unicodedata.normalize("NFC", _ACCENTS.sub("", unicodedata.normalize("NFD", word)))


def _indexed(text: str) -> Iterator[str]:
    for word in _raw_words(text):
        if is_unspaced(word[0]):
            yield from word
            yield from _pairs(word)
        else:
            yield from _spellings(word)


def _raw_words(text: str) -> Iterator[str]:
    """Runs of letters, digits and marks, or of one unspaced script's characters, or one symbol (an emoji)."""
    plain = unicodedata.normalize("NFKC", text).casefold().translate(_SEPARATING)
    for piece in plain.split():
        if piece.isascii():
            yield piece[:WORD_LENGTH_MAX]
            continue
        for unspaced, characters in groupby(piece, is_unspaced):
            word = "".join(characters)
            yield word if unspaced else word[:WORD_LENGTH_MAX]


def _pairs(word: str) -> list[str]:
    return ["".join(pair) for pair in pairwise(word)]


def _spellings(word: str) -> tuple[str, ...]:
    """Folded, and for German umlauts also written out: `müller` is `muller` and `mueller`."""
    if word.isascii():
        return (word,)
    folded = fold(word)
    composed = unicodedata.normalize("NFC", word)
    written_out = fold("".join(_UMLAUTS.get(character, character) for character in composed))
    return (folded,) if written_out == folded else (folded, written_out)


def _separated(code: int) -> int | str | None:
    """What becomes of a character: part of a word, a word of its own, nothing (it is invisible), or a space."""
    kind = unicodedata.category(chr(code))
    if kind == "Cf" or 0xFE00 <= code <= 0xFE0F:  # joiners, soft hyphens, variation selectors
        return " " if code == _ZERO_WIDTH_SPACE else None
    if kind[0] in "LNM" or kind == "Co":
        return code
    return f" {chr(code)} " if kind == "So" else " "


class _Separating(dict[int, int | str | None]):
    """A table for str.translate that fills itself as characters are met."""

    def __missing__(self, code: int) -> int | str | None:
        self[code] = _separated(code)
        return self[code]


_SEPARATING: Final = _Separating()
