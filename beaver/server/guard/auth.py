"""Who asks: API keys before every path, and one table of what each path needs.

A key that was looked up is believed for `BELIEVED_S` seconds, so that a request costs no query of its own; a key that
is revoked opens nothing after that time at the latest, on every server.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from time import monotonic
from typing import Final

from fastapi import Request
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from beaver.config.check import is_loopback
from beaver.config.settings import ServerSettings
from beaver.db.engine import Database
from beaver.errors import BeaverError, Forbidden, Unauthenticated
from beaver.server.problems import problem_answer
from beaver.sessions.key_store import KeyStore
from beaver.sessions.keys import KEY_PREFIX, SCOPES, KeyRecord, hash_key

BELIEVED_S: Final = 3.0
KEYS_BELIEVED_MAX: Final = 1000
SECRET_CHARS_MAX: Final = 200

# The first row that fits decides: method (None: any), a pattern for the whole path, the scope. What no row names
# needs `admin`, so a new path is shut until somebody decides about it.
_NEEDS: Final[tuple[tuple[str | None, str, str], ...]] = (
    (None, r"/v1/(chat|responses|runs|models)(/.*)?", "chat"),
    ("POST", r"/v1/sessions(/.*)?", "chat"),
    ("GET", r"/v1/sessions(/.*)?", "read"),
)
_OPEN: Final = re.compile(r"/(health|ready|openapi\.json|docs|page/.*)?")


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


def needs_keys(server: ServerSettings) -> bool:
    """Whether requests must hold a key: as set, else for any address beyond this machine."""
    return not is_loopback(server.host) if server.require_keys is None else server.require_keys


def scope_for(method: str, path: str) -> str | None:
    """The scope that a path needs; None when it is open to everybody."""
    if _OPEN.fullmatch(path):
        return None
    fitting = (scope for wanted, pattern, scope in _NEEDS if wanted in (None, method) and re.fullmatch(pattern, path))
    return next(fitting, "admin")


class KeyCheck:
    """ASGI middleware: sets `scope["state"]["caller"]`, or answers 401 (no active key) or 403 (a missing scope)."""

    def __init__(self, app: ASGIApp, database: Database, required: bool, used: Callable[[str], None]) -> None:
        """`used` is told the id of each key that a request holds; it must return at once."""
        self._app = app
        self._used = used
        self._keys = _Keys(database)
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
        caller = await self._keys.caller(_bearer(Headers(scope=scope)))
        if caller.key_id is not None:
            self._used(caller.key_id)
        if needed not in caller.scopes:
            # For the access log, which is told of refusals too.
            scope.setdefault("state", {})["caller"] = caller
            raise Forbidden(f"this key lacks the scope {needed}")
        return caller


class _Keys:
    """Active keys by their hash. A wrong key is looked up each time: remembering those would push out the right ones."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._store = KeyStore(database.dialect)
        self._believed: OrderedDict[str, tuple[Caller, float]] = OrderedDict()

    async def caller(self, secret: str) -> Caller:
        """Whose key it is. Raises Unauthenticated, for unknown, revoked and expired ones alike."""
        wanted = hash_key(secret)
        caller, until = self._believed.get(wanted, (None, 0.0))
        if caller is not None and monotonic() < until:
            return caller
        self._believed.pop(wanted, None)
        # From before the look: a key that is revoked during it is believed no longer than others.
        until = monotonic() + BELIEVED_S
        async with self._database.read() as tx:
            record = await self._store.find(tx, secret)
        if record is None:
            raise Unauthenticated("the API key is not known, or no longer active")
        return self._believe(wanted, record, until)

    def _believe(self, wanted: str, record: KeyRecord, until: float) -> Caller:
        caller = Caller(record.id, record.scopes, record.front_end)
        self._believed[wanted] = (caller, until)
        if len(self._believed) > KEYS_BELIEVED_MAX:
            self._believed.popitem(last=False)
        return caller


def _bearer(headers: Headers) -> str:
    scheme, _, secret = headers.get("authorization", "").partition(" ")
    secret = secret.strip()
    if scheme.lower() != "bearer" or not secret.startswith(KEY_PREFIX) or len(secret) > SECRET_CHARS_MAX:
        raise Unauthenticated(f"the request needs an API key: Authorization: Bearer {KEY_PREFIX}…")
    return secret
