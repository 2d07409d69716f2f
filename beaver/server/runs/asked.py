"""Tells whether a request was sent before: who sends it, under which key, and a hash of all that it asks."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from typing import Final, Literal

from fastapi import Request

from beaver.errors import InvalidInput
from beaver.schemas.chat import SESSION_HEADER
from beaver.server.guard.auth import caller_of
from beaver.server.sessions.identity import OPEN_WEBUI_HEADER

KEY_HEADER: Final = "Idempotency-Key"
RETRY_HEADER: Final = "x-stainless-retry-count"
KEY_CHARS_MAX: Final = 255


Copy = Literal["keyed", "first_try", "retry", "late"]
"""Which copy of a request: one of many under a key of its own, or what OpenAI's client says of it.

A first try that comes after its own retry is `late`, as is found out from what the retry has left.
"""


@dataclass(frozen=True)
class Once:
    """A request that may come again."""

    caller: str
    key: str
    body_hash: str
    copy: Copy

    @property
    def may_be_known(self) -> bool:
        """Whether another copy may have begun a run; else this is a new request."""
        return self.copy != "first_try"

    @property
    def first_try(self) -> str:
        """The key under which a retry leaves word for its first try, which may be under way still."""
        return f"late:{self.body_hash}"


async def once_of(request: Request) -> Once | None:
    """What tells copies of a request; None where nothing can. Raises InvalidInput for a key that breaks a rule."""
    key, retries = request.headers.get(KEY_HEADER), request.headers.get(RETRY_HEADER)
    if key is not None and not 0 < len(key) <= KEY_CHARS_MAX:
        raise InvalidInput(KEY_HEADER, f"must have 1 to {KEY_CHARS_MAX} characters")
    if key is None and retries is None:
        return None
    caller, body_hash = caller_of(request).key_id or "", await _hash_of(request)
    if key is not None:
        return Once(caller, f"key:{key}", body_hash, "keyed")
    copy: Copy = "retry" if re.fullmatch(r"0*[1-9][0-9]{0,8}", retries or "") else "first_try"
    return Once(caller, f"retry:{body_hash}", body_hash, copy)


async def _hash_of(request: Request) -> str:
    # Whatever may name the session belongs to what was asked: the same words in another one are another request.
    naming = (SESSION_HEADER, OPEN_WEBUI_HEADER, *request.app.state.session_headers)
    said = [request.url.path, *(request.headers.get(name, "") for name in naming)]
    return hashlib.sha256("\n".join(said).encode() + b"\n" + await request.body()).hexdigest()
