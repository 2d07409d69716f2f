"""Stems of words as numbers, pure: what ranking compares in place of words."""

from __future__ import annotations

import threading
import zlib
from functools import lru_cache
from typing import Final

from snowballstemmer import stemmer

from beaver.memory.stopwords import STOP_WORDS

_KNOWN_MAX: Final = 65_536
_PORTER: Final = stemmer("porter")  # the full-text index's own stemmer is Porter's too
_ONE_AT_A_TIME: Final = threading.Lock()


def stems_of(index_words: str) -> list[int]:
    """The stems of words.index_text in order, each as an unsigned 32-bit number; words that say nothing are left out."""
    return [stem for stem in map(stem_of, index_words.split(" ")) if stem is not None]


@lru_cache(_KNOWN_MAX)
def stem_of(word: str) -> int | None:
    """The stem of a word of words.py; None for one that says nothing."""
    if not word or word in STOP_WORDS:
        return None
    # Two words in hundreds of thousands share a number: a passage may then be found by a word that it does not hold.
    return zlib.crc32(stem_word(word).encode("utf-8", "surrogatepass"))


@lru_cache(_KNOWN_MAX)
def stem_word(word: str) -> str:
    """Porter's stem of a word. Any thread may ask: the stemmer keeps the word that it is at in itself."""
    with _ONE_AT_A_TIME:
        stemmed: str = _PORTER.stemWord(word)
    return stemmed
