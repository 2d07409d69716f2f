"""Tells whether a request was sent before: who sends it, under which key, and a hash of all that it asks."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from typing import Final

from fastapi import Request

from beaver.errors import InvalidInput
from beaver.schemas.chat import SESSION_HEADER
from beaver.server.guard.auth import caller_of
from beaver.server.sessions.identity import OPEN_WEBUI_HEADER

KEY_HEADER: Final = "Idempotency-Key"
RETRY_HEADER: Final = "x-stainless-retry-count"
KEY_CHARS_MAX: Final = 255


@dataclass(frozen=True)
class Once:
    """A request that may come again. `retries` is how often OpenAI's client says that it has sent it before.

    With a key of its own (`is_keyed`) every copy is the same request; without, one that was not retried is a new one.
    """

    caller: str
    key: str
    body_hash: str
    is_keyed: bool
    retries: int = 0

    @property
    def may_be_known(self) -> bool:
        """Whether an earlier copy may have begun a run."""
        return self.is_keyed or self.retries > 0


async def once_of(request: Request) -> Once | None:
    """What tells copies of a request; None where nothing can. Raises InvalidInput for a key that breaks a rule."""
    key, retries = request.headers.get(KEY_HEADER), request.headers.get(RETRY_HEADER)
    if key is not None and not 0 < len(key) <= KEY_CHARS_MAX:
        raise InvalidInput(KEY_HEADER, f"must have 1 to {KEY_CHARS_MAX} characters")
    if key is None and retries is None:
        return None
    caller, body_hash = caller_of(request).key_id or "", await _hash_of(request)
    if key is not None:
        return Once(caller, f"key:{key}", body_hash, is_keyed=True)
    # Python refuses to read numbers of thousands of digits.
    count = int(retries) if retries and re.fullmatch(r"[0-9]{1,9}", retries) else 0
    return Once(caller, f"retry:{body_hash}", body_hash, is_keyed=False, retries=count)


async def _hash_of(request: Request) -> str:
    # Whatever may name the session belongs to what was asked: the same words in another one are another request.
    naming = (SESSION_HEADER, OPEN_WEBUI_HEADER, *request.app.state.session_headers)
    said = [request.url.path, *(request.headers.get(name, "") for name in naming)]
    return hashlib.sha256("\n".join(said).encode() + b"\n" + await request.body()).hexdigest()
