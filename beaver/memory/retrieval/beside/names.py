"""Whoever is asked for is asked for by every name that they have, pure: `Bob` finds what was said of `Robert`."""

from __future__ import annotations

from collections.abc import Sequence

Names = tuple[tuple[str, ...], ...]
"""All names of one person, each as its words."""


def by_all_names(terms: Sequence[tuple[str, ...]], people: Sequence[Names]) -> list[tuple[str, ...]]:
    """The terms, each as its spellings; where one is somebody's name of one word, the words of their other names are further
    spellings of it. Names are read as terms are."""
    if not people:
        return list(terms)
    return [tuple(dict.fromkeys((*spellings, *_others(spellings, people)))) for spellings in terms]


def _others(spellings: tuple[str, ...], people: Sequence[Names]) -> list[str]:
    return [
        word
        for names in people
        if any(len(name) == 1 and name[0] in spellings for name in names)
        for name in names
        for word in name
    ]
