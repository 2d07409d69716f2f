"""WordPiece as BERT's uncased models want it, pure: text into the numbers of pieces of words."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping
from functools import lru_cache
from importlib.resources import files
from itertools import islice
from typing import Final

UNKNOWN: Final = "[UNK]"
FIRST: Final = "[CLS]"
LAST: Final = "[SEP]"
MARKS: Final = frozenset({"[PAD]", UNKNOWN, FIRST, LAST, "[MASK]"})
INSIDE: Final = "##"
"""How a piece begins that goes on with a word."""
WORD_LENGTH_MAX: Final = 100

_ASCII_SIGNS: Final = frozenset("$+<=>^`|~")
"""ASCII signs that split words though Unicode does not call them punctuation."""
_IDEOGRAPHS: Final = (
    (0x4E00, 0x9FFF),
    (0x3400, 0x4DBF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F),
    (0x2B920, 0x2CEAF),
    (0xF900, 0xFAFF),
    (0x2F800, 0x2FA1F),
)


@lru_cache(maxsize=1)
def bert_vocabulary() -> Mapping[str, int]:
    """Every piece of bert-base-uncased with its number, 30,522 of them."""
    text = (files("beaver.memory.inference") / "vocabularies" / "bert_base_uncased.txt").read_text(encoding="utf-8")
    return {piece: number for number, piece in enumerate(text.removesuffix("\n").split("\n"))}


def piece_ids(text: str, vocabulary: Mapping[str, int], *, pieces_max: int) -> list[int]:
    """The text between the model's first and last mark, at most `pieces_max` (marks included): what is beyond is left out."""
    found = islice(_pieces(text, vocabulary), pieces_max - 2)
    return [vocabulary[FIRST], *found, vocabulary[LAST]]


def _pieces(text: str, vocabulary: Mapping[str, int]) -> Iterator[int]:
    for word in _plain(text).split():
        yield from _of_word(word, vocabulary)


def _plain(text: str) -> str:
    """Lower case, without accents and invisible characters; each sign and each ideograph stands alone."""
    decomposed = unicodedata.normalize("NFD", text.translate(_SEPARATING))
    return "".join(map(str.lower, decomposed)).translate(_STRIPPING)


def _of_word(word: str, vocabulary: Mapping[str, int]) -> list[int]:
    """The longest piece that the word begins with, and so on; a word that cannot be made of pieces is one unknown."""
    found: list[int] = []
    start = 0
    if len(word) > WORD_LENGTH_MAX:
        return [vocabulary[UNKNOWN]]
    while start < len(word):
        length, number = _longest(word, start, vocabulary)
        if not length:
            return [vocabulary[UNKNOWN]]
        found.append(number)
        start += length
    return found


def _longest(word: str, start: int, vocabulary: Mapping[str, int]) -> tuple[int, int]:
    prefix = INSIDE if start else ""
    for end in range(len(word), start, -1):
        number = vocabulary.get(prefix + word[start:end])
        if number is not None:
            return end - start, number
    return 0, 0


class _Separating(dict[int, str | None]):
    """A table for str.translate that fills itself as characters are met: nothing for what cannot be seen, room around signs."""

    def __missing__(self, code: int) -> str | None:
        self[code] = _separated(chr(code), code)
        return self[code]


def _separated(character: str, code: int) -> str | None:
    kind = unicodedata.category(character)
    if character in "\t\n\r" or kind in {"Zs", "Zl", "Zp"}:
        return " "
    if code == 0xFFFD or kind in {"Cc", "Cf", "Co", "Cs"}:
        return None
    alone = kind[0] == "P" or character in _ASCII_SIGNS or any(low <= code <= high for low, high in _IDEOGRAPHS)
    return f" {character} " if alone else character


class _Stripping(dict[int, str | None]):
    """The same for what decomposition and lower case leave: accents go, and signs that were part of another character."""

    def __missing__(self, code: int) -> str | None:
        character = chr(code)
        self[code] = None if unicodedata.category(character) == "Mn" else _separated(character, code)
        return self[code]


_SEPARATING: Final = _Separating()
_STRIPPING: Final = _Stripping()
