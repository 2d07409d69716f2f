"""API keys of the chat server as values: how they are made, what is kept of them, and what they allow."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from beaver.errors import InvalidInput

KEY_PREFIX: Final = "bvr_"
KEY_BYTES: Final = 32
SHOWN_CHARACTERS: Final = len(KEY_PREFIX) + 6
NAME_LENGTH_MAX: Final = 100
SCOPES: Final = frozenset({"chat", "read", "admin"})
"""`chat`: completions, responses, runs. `read`: sessions and events. `admin`: deletion, metrics, detailed health."""


@dataclass(frozen=True)
class NewKey:
    """A fresh key. `secret` is the whole of it, shown once and never stored; the rest may be kept."""

    secret: str = field(repr=False)
    prefix: str
    hash: str = field(repr=False)


@dataclass(frozen=True)
class KeyRecord:
    """A stored key without its hash. Times are epoch milliseconds."""

    id: str
    name: str
    prefix: str
    scopes: frozenset[str]
    front_end: bool
    created_ms: int
    expires_ms: int | None
    revoked_ms: int | None
    used_ms: int | None


def make_key() -> NewKey:
    """A key of 256 random bits. What is shown of it later leaves at least 220 of them unknown."""
    secret = KEY_PREFIX + secrets.token_urlsafe(KEY_BYTES)
    return NewKey(secret, secret[:SHOWN_CHARACTERS], hash_key(secret))


def hash_key(secret: str) -> str:
    """SHA-256 in hex. A key is random, so no salt or slow hash is needed; lone surrogates do not break it."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def validate_name(name: str) -> str:
    """The name unchanged. Raises InvalidInput."""
    if not name.strip() or len(name) > NAME_LENGTH_MAX or not name.isprintable():
        raise InvalidInput("name", f"must be 1 to {NAME_LENGTH_MAX} printable characters and not blank")
    return name


def validate_scopes(scopes: Iterable[str]) -> frozenset[str]:
    """The scopes as a set. Raises InvalidInput for none, or for one that is not known."""
    wanted = frozenset(scopes)
    if not wanted or wanted - SCOPES:
        raise InvalidInput("scopes", f"must be one or more of {', '.join(sorted(SCOPES))}")
    return wanted
