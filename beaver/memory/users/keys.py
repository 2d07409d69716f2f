"""User keys, pure: 256 random bits behind a visible prefix; kept and compared as SHA-256."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Callable, Iterable
from typing import Final

KEY_PREFIX: Final = "uk_"
KEY_BYTES: Final = 32

KeySource = Callable[[], str]
"""Makes a fresh key."""


def new_key() -> str:
    """A fresh key from the system's randomness."""
    return KEY_PREFIX + secrets.token_urlsafe(KEY_BYTES)


def key_hash(key: str) -> str:
    """What is stored of a key. Plain SHA-256 is enough for 256 random bits: there is nothing to guess."""
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()


def is_one_of(key: str, hashes: Iterable[str]) -> bool:
    """Whether the key's hash is among these. Looks at every one of them, each in constant time."""
    given = key_hash(key)
    matches = [hmac.compare_digest(given, known) for known in hashes]
    return any(matches)
