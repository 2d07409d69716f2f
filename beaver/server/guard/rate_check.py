"""Whoever asks too often is told when to ask again: 429, and with every counted answer how the asker stands.

It is said in the words of OpenAI's API and in those of the IETF's draft (RateLimit header fields for HTTP). Reading
costs nothing and is not counted.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from beaver.errors import LimitExceeded
from beaver.server.guard.asker import asker_of
from beaver.server.guard.paths import is_counted
from beaver.server.problems import problem_answer

WINDOW_S: Final = 60
RATE_HEADERS: Final = (
    "RateLimit",
    "RateLimit-Policy",
    "x-ratelimit-limit-requests",
    "x-ratelimit-remaining-requests",
    "x-ratelimit-reset-requests",
)


@dataclass(frozen=True)
class Standing:
    """How an asker stands after a request: whether it may go on, how many may follow, in how many seconds more may."""

    allowed: bool
    per_minute: int
    left: int
    more_in_s: int


Count = Callable[[str], Awaitable[Standing | None]]
"""Counts one request of an asker, unless it is over the limit; None when nobody could count it. Bounded, raises nothing."""


class RateCheck:
    """ASGI middleware: counts what starts a run, and answers 429 over the limit. The keys must have been checked."""

    def __init__(self, app: ASGIApp, count: Count, refused: Callable[[str], None]) -> None:
        """`refused` is told `rate_limit` when it lets no run begin."""
        self._app = app
        self._count = count
        self._refused = refused

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        standing = await self._count(asker_of(scope)) if _is_counted(scope) else None
        if standing is None:
            await self._app(scope, receive, send)
            return
        headers = _headers(standing)

        async def sent(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(headers)
            await send(message)

        if standing.allowed:
            await self._app(scope, receive, sent)
            return
        self._refused("rate_limit")
        refusal = f"{standing.per_minute} requests a minute are the most; try again in {standing.more_in_s} s"
        await problem_answer(LimitExceeded(refusal))(scope, receive, sent)


def _is_counted(scope: Scope) -> bool:
    return scope["type"] == "http" and is_counted(scope["method"], scope["path"])


def _headers(standing: Standing) -> dict[str, str]:
    told = (
        f'"runs";r={standing.left};t={standing.more_in_s}',
        f'"runs";q={standing.per_minute};w={WINDOW_S}',
        str(standing.per_minute),
        str(standing.left),
        f"{standing.more_in_s}s",
    )
    again = {} if standing.allowed else {"Retry-After": str(standing.more_in_s)}
    return {**dict(zip(RATE_HEADERS, told, strict=True)), **again}
