"""Query planning, pure: from a caller's words to what is looked for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from beaver.memory.retrieval.asking.irregular import with_forms
from beaver.memory.retrieval.asking.what_is_known import asks_what_is_known
from beaver.memory.retrieval.terms import Term
from beaver.memory.retrieval.words import query_terms
from beaver.memory.stopwords import STOP_WORDS

TERMS_MAX: Final = 64
CHARACTERS_READ_MAX: Final = 32_000


@dataclass(frozen=True)
class ForTerms:
    """Look for passages that hold at least one of the terms (1 to 64, no two alike)."""

    terms: tuple[Term, ...]


@dataclass(frozen=True)
class MostRecent:
    """No text was given: the newest in scope."""


@dataclass(frozen=True)
class NothingAsked:
    """Text without one word to look for (signs, or stop words only): nothing is found."""


@dataclass(frozen=True)
class WhatIsKnown:
    """Who they are, what is known of them: what was learned, the newest first. No word of it stands in what is looked for."""


Plan = ForTerms | MostRecent | WhatIsKnown | NothingAsked


def plan_query(text: str) -> Plan:
    """What to look for. Never raises, whatever the text: a term holds letters, digits, marks and symbols only."""
    if not text.strip():
        return MostRecent()
    if asks_what_is_known(text):
        return WhatIsKnown()
    said = (spellings for spellings in query_terms(_ends(text, CHARACTERS_READ_MAX)) if spellings[0] not in STOP_WORDS)
    asked: dict[frozenset[str], tuple[str, ...]] = {}
    for forms in map(with_forms, said):
        asked.setdefault(frozenset(forms), forms)
    terms = [Term(forms) for forms in asked.values()]
    return ForTerms(tuple(_first_and_last(terms))) if terms else NothingAsked()


def _ends(text: str, characters_max: int) -> str:
    """A long prompt asks at its beginning or at its end."""
    half = characters_max // 2
    return text if len(text) <= characters_max else f"{text[:half]} {text[-half:]}"


def _first_and_last(terms: list[Term]) -> list[Term]:
    half = TERMS_MAX // 2
    return terms if len(terms) <= TERMS_MAX else terms[:half] + terms[-half:]
