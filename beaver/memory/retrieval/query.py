"""Query planning, pure: from a caller's words to the terms and the expression that the full-text index is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from beaver.memory.retrieval.irregular import with_forms
from beaver.memory.retrieval.what_is_known import asks_what_is_known
from beaver.memory.retrieval.words import query_terms
from beaver.memory.stopwords import STOP_WORDS
from beaver.schemas.gateway import Scope

TERMS_MAX: Final = 64
CHARACTERS_READ_MAX: Final = 32_000


@dataclass(frozen=True)
class Term:
    """One thing asked for; any of its spellings and forms will do, the first of which was said."""

    spellings: tuple[str, ...]


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


def scope_tokens(namespace_id: int, conversation_id: int | None) -> str:
    """The filter tokens of a passage. A letter, then digits: no stemmer touches that."""
    if conversation_id is None:
        return f"n{namespace_id} r{namespace_id}"
    return f"n{namespace_id} m{namespace_id} c{conversation_id}"


def scope_expression(namespace_id: int, conversation_id: int | None, scopes: Sequence[Scope]) -> str | None:
    """The filter as the index reads it: always the namespace, and one of the scopes. None when no scope can hold anything."""
    wanted: dict[Scope, str | None] = {
        "current_chat": None if conversation_id is None else f"c{conversation_id}",
        "resources": f"r{namespace_id}",
        "all_user_memory": f"m{namespace_id}",
    }
    tokens = [token for scope in scopes if (token := wanted[scope]) is not None]
    return f"scope : (n{namespace_id} AND ({' OR '.join(tokens)}))" if tokens else None


def match_expression(scope: str, terms: Sequence[Term]) -> str:
    """Scope AND (any term). Quoted, so that no word is taken for an operator."""
    quoted = " OR ".join(f'"{spelling}"' for term in terms for spelling in term.spellings)
    return f"{scope} AND text : ({quoted})"


def _ends(text: str, characters_max: int) -> str:
    """A long prompt asks at its beginning or at its end."""
    half = characters_max // 2
    return text if len(text) <= characters_max else f"{text[:half]} {text[-half:]}"


def _first_and_last(terms: list[Term]) -> list[Term]:
    half = TERMS_MAX // 2
    return terms if len(terms) <= TERMS_MAX else terms[:half] + terms[-half:]
