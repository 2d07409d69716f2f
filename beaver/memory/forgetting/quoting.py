"""Whether what was learned from several messages tells something that one of them alone said, pure."""

from __future__ import annotations

from collections.abc import Iterable

from beaver.memory.retrieval.words import query_terms
from beaver.memory.stopwords import STOP_WORDS


def quotes(told: str, gone: Iterable[str], left: Iterable[str]) -> bool:
    """Whether `told` holds a telling word (a pair of characters, where words are not spaced) of the messages that go which
    none of those that are left has."""
    return not _words(told).isdisjoint(_words(*gone) - _words(*left))


def _words(*texts: str) -> set[str]:
    return {word for text in texts for spellings in query_terms(text) for word in spellings} - STOP_WORDS
