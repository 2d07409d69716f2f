"""Terms and filters as a full-text index is asked for them, pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from beaver.schemas.gateway import Scope


@dataclass(frozen=True)
class Term:
    """One thing asked for; any of its spellings and forms will do, the first of which was said."""

    spellings: tuple[str, ...]


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
