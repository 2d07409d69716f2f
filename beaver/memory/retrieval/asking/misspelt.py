"""Slips of the keyboard in a question, pure: for a word that is none, and that nobody wrote, one near to it that somebody did."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from string import ascii_lowercase
from typing import Final

import numpy as np

from beaver.memory.inference.wordpiece import bert_vocabulary
from beaver.memory.retrieval.index.postings import Postings
from beaver.memory.retrieval.index.snapshot import Snapshot
from beaver.memory.retrieval.signature import ASKS
from beaver.memory.retrieval.stems import stem_of
from beaver.memory.retrieval.terms import Term
from beaver.memory.stopwords import STOP_WORDS

WORDS_MAX: Final = 2
"""So many words of a question are tried: each is some hundred spellings, which takes milliseconds."""
TERMS_MAX: Final = 16
"""A longer text was not typed in a hurry, or is in a language of which hardly a word is known."""
_LENGTH_MIN: Final = 5
_SWAPPED_LENGTH_MIN: Final = 4
"""A shorter word becomes another one by any slip."""
_LENGTH_MAX: Final = 16


def respelt(terms: Sequence[Term], snapshot: Snapshot) -> tuple[Term, ...]:
    """The terms; one that is misspelt has what may be meant as further spellings."""
    if len(terms) > TERMS_MAX:
        return tuple(terms)
    left, found = WORDS_MAX, []
    for term in terms:
        is_slip = left > 0 and _may_be_slip(term, snapshot, len(terms))
        left -= is_slip
        meant = _meant(term.spellings[0], snapshot.postings) if is_slip else ()
        found.append(Term((*term.spellings, *meant)))
    return tuple(found)


def _may_be_slip(term: Term, snapshot: Snapshot, terms: int) -> bool:
    """A word of Latin letters that no dictionary has, the encoder's vocabulary being dictionary enough, and that nobody wrote."""
    word = term.spellings[0]
    is_word = word.isascii() and word.isalpha() and _SWAPPED_LENGTH_MIN <= len(word) <= _LENGTH_MAX
    is_known = not is_word or len(term.spellings) > 1 or word in bert_vocabulary()
    return not is_known and not _is_told(word, snapshot, terms)


def _is_told(word: str, snapshot: Snapshot, terms: int) -> bool:
    """Whether it stands anywhere but in questions, and in what is as short as this question: that was asked before, misspelt."""
    stem = stem_of(word)
    if stem is None:
        return True
    rows, _ = snapshot.postings.of(stem)
    asks = (snapshot.flags[rows] & ASKS) != 0
    return bool(np.any(~asks & (snapshot.length[rows] > terms)))


def _meant(word: str, postings: Postings) -> list[str]:
    """What was written and is one slip away; nothing where that may be a word that says nothing (`wher`)."""
    near = list(dict.fromkeys(_swapped(word)))
    if any(one in STOP_WORDS for one in near):
        return []
    if swapped := _held(near, postings):
        return swapped
    others = list(dict.fromkeys(_others(word))) if len(word) >= _LENGTH_MIN else []
    return [] if any(one in STOP_WORDS for one in others) else _held(others, postings)


def _held(words: Sequence[str], postings: Postings) -> list[str]:
    """Those whose stems stand in the memory, the first of each stem."""
    by_stem: dict[int, str] = {}
    for word in words:
        if (stem := stem_of(word)) is not None:
            by_stem.setdefault(stem, word)
    there = postings.hold(np.array(list(by_stem), np.uint32))
    return [word for word, is_there in zip(by_stem.values(), there, strict=True) if is_there]


def _swapped(word: str) -> Iterator[str]:
    for at in range(len(word) - 1):
        yield f"{word[:at]}{word[at + 1]}{word[at]}{word[at + 2 :]}"


def _others(word: str) -> Iterator[str]:
    """A letter too many, another one, or one too few."""
    for at in range(len(word)):
        yield word[:at] + word[at + 1 :]
        yield from (f"{word[:at]}{letter}{word[at + 1 :]}" for letter in ascii_lowercase)
    for at in range(len(word) + 1):
        yield from (f"{word[:at]}{letter}{word[at:]}" for letter in ascii_lowercase)
