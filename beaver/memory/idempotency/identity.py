"""What makes two requests the same, pure."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from beaver.errors import InvalidInput

KEY_LENGTH_MAX: Final = 255
ADMIN_PRINCIPAL: Final = "admin"
"""Who makes users and removes them."""


@dataclass(frozen=True)
class RequestIdentity:
    """A key chosen by the caller, within the principal's own; and the SHA-256 of what is asked under it."""

    principal: str
    key: str
    request_hash: str


def user_principal(user_id: str) -> str:
    """A user, as whom requests are made."""
    return f"user:{user_id}"


def identify(principal: str, key: str, operation: str, request: Mapping[str, Any]) -> RequestIdentity:
    """The identity of a request, given as JSON without credentials. Raises InvalidInput for a key that is none."""
    if not 1 <= len(key) <= KEY_LENGTH_MAX or not (key.isascii() and key.isprintable()) or not key.strip():
        raise InvalidInput("Idempotency-Key", f"must be 1 to {KEY_LENGTH_MAX} printable ASCII characters")
    canonical = json.dumps([operation, request], sort_keys=True, separators=(",", ":"))
    return RequestIdentity(principal, key, hashlib.sha256(canonical.encode()).hexdigest())
