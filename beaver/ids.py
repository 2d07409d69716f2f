"""Identifiers: how they are made, and the rule every session id must keep at the edge and at the sink."""

from __future__ import annotations

import secrets
import time
import unicodedata
from collections.abc import Callable
from typing import Final

from beaver.errors import InvalidInput

IdSource = Callable[[str], str]
"""Makes a fresh id with the given prefix, such as `run`."""

SESSION_ID_LENGTH_MAX: Final = 256
# Control, format, surrogate, private and unassigned characters, and the two separators that break lines.
_REFUSED_CATEGORIES: Final = ("C", "Zl", "Zp")


def new_id(prefix: str) -> str:
    """`prefix_` + 12 hex digits of epoch milliseconds + 16 random hex digits; sorts by time of birth."""
    return f"{prefix}_{time.time_ns() // 1_000_000:012x}{secrets.token_hex(8)}"


def validate_session_id(session_id: str, field: str = "session_id") -> str:
    """Return the id unchanged, or raise InvalidInput naming the rule it breaks."""
    if not session_id.strip():
        raise InvalidInput(field, "must not be blank")
    if len(session_id) > SESSION_ID_LENGTH_MAX:
        raise InvalidInput(field, f"must be at most {SESSION_ID_LENGTH_MAX} characters")
    if any(unicodedata.category(character).startswith(_REFUSED_CATEGORIES) for character in session_id):
        raise InvalidInput(field, "must not hold control, format or unassigned characters")
    if "/" in session_id or "\\" in session_id or session_id in {".", ".."}:
        raise InvalidInput(field, "must not hold path parts")
    return session_id
