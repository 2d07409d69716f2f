"""Who asks: API keys before every path; `paths` says what each needs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from fastapi import Request
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from beaver.db.engine import Database
from beaver.errors import BeaverError, Forbidden, Unauthenticated
from beaver.server.guard.addresses import network_of
from beaver.server.guard.keyring import Keyring
from beaver.server.guard.paths import scope_for
from beaver.server.problems import problem_answer
from beaver.sessions.keys import KEY_PREFIX, SCOPES

SECRET_CHARS_MAX: Final = 200


@dataclass(frozen=True)
class Caller:
    """Who asks: the id of a key (None: no key was needed), what it may do, and whether it speaks for many users."""

    key_id: str | None
    scopes: frozenset[str]
    front_end: bool


NEIGHBOUR: Final = Caller(None, SCOPES, front_end=True)
"""Whoever reaches a server that asks for no keys: it is on this machine, and may speak for its users."""
STRANGER: Final = Caller(None, frozenset(), front_end=False)
"""Whoever asks for an open path of a server that needs keys."""


def caller_of(request: Request) -> Caller:
    """The caller that the middleware found. Raises Unauthenticated without one: a path that nobody guards is shut."""
    caller = request.scope.get("state", {}).get("caller")
    if not isinstance(caller, Caller):
        raise Unauthenticated("this path was reached without the check of keys")
    return caller


class KeyCheck:
    """ASGI middleware: sets `scope["state"]["caller"]`, or answers 401 (no active key), 403 (a missing scope) or 429."""

    def __init__(self, app: ASGIApp, database: Database, required: bool, used: Callable[[str], None]) -> None:
        """`used` is told the id of each key that a request holds; it must return at once."""
        self._app = app
        self._used = used
        self._keys = Keyring(database)
        self._required = required

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            try:
                scope.setdefault("state", {})["caller"] = await self._caller(scope)
            except BeaverError as error:
                await problem_answer(error)(scope, receive, send)
                return
        await self._app(scope, receive, send)

    async def _caller(self, scope: Scope) -> Caller:
        if not self._required:
            return NEIGHBOUR
        needed = scope_for(scope["method"], scope["path"])
        if needed is None:
            return STRANGER
        key = await self._keys.find(_bearer(Headers(scope=scope)), network_of(scope))
        self._used(key.id)
        caller = Caller(key.id, key.scopes, key.front_end)
        if needed not in caller.scopes:
            # For the access log, which is told of refusals too.
            scope.setdefault("state", {})["caller"] = caller
            raise Forbidden(f"this key lacks the scope {needed}")
        return caller


def _bearer(headers: Headers) -> str:
    scheme, _, secret = headers.get("authorization", "").partition(" ")
    secret = secret.strip()
    if scheme.lower() != "bearer" or not secret.startswith(KEY_PREFIX) or len(secret) > SECRET_CHARS_MAX:
        raise Unauthenticated(f"the request needs an API key: Authorization: Bearer {KEY_PREFIX}…")
    return secret
