"""One URL of a model's service to which JSON is posted; errors carry no key, no request and no answer."""

from __future__ import annotations

import asyncio
import json
import ssl
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeVar

import httpx

from beaver.errors import BeaverError, DeadlineExceeded, PeerFault, Unavailable
from beaver.memory.inference.port import AskedToWait

T = TypeVar("T")

CONNECT_S_MAX: Final = 5.0
_PASSING: Final = frozenset({401, 402, 403, 408, 425, 429, 500, 502, 503, 504, 529})
"""Answers that say nothing about this request: it may be answered when the service, or our account there, works again."""
_TOO_LONG: Final = frozenset({400, 413, 422})
"""Answers by which services refuse what is too long for them, beside much else."""
RETRY_AFTER_S_MAX: Final = 300.0


class Refused(PeerFault):
    """The service does not take this request; perhaps it is too long."""


class JsonEndpoint:
    """No redirect, no proxy, no cookie, one deadline for the whole; `what` names the service in errors.

    Each call has a connection of its own: a call that is broken off leaves nothing behind.
    """

    def __init__(
        self,
        url: str,
        headers: Mapping[str, str],
        *,
        what: str,
        answer_bytes_max: int,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        """`transport` stands in for real connections (tests)."""
        self._url = url
        # As bytes: an error of encoding would quote the key.
        self._headers = [(name.encode(), value.encode()) for name, value in headers.items()]
        self._headers += [(b"Accept-Encoding", b"identity"), (b"Content-Type", b"application/json")]
        self._what = what
        self._answer_bytes_max = answer_bytes_max
        self._stand_in = transport
        self._tls = _tls(url)

    async def ask(self, body: Mapping[str, Any], read: Callable[[Any], T | None], timeout_s: float) -> T:
        """What `read` makes of the answer's JSON. Raises Unavailable (DeadlineExceeded when it takes too long, AskedToWait when
        the service says for how long) where a later call may be answered, PeerFault where the service refuses this request or
        `read` gives None, or cannot read it.
        """
        # Raised from a value, outside every handler: no request hangs on the error.
        answered = await self._exchange(body, timeout_s)
        if isinstance(answered, BeaverError):
            raise answered
        # A thousand long vectors take a while to read.
        found: T | None = await asyncio.to_thread(lambda: _read(answered, read))
        if found is None:
            raise PeerFault(f"{self._what}: the answer cannot be read")
        return found

    async def _exchange(self, body: Mapping[str, Any], timeout_s: float) -> bytes | BeaverError:
        # ASCII only, so that no error of encoding can carry the body.
        content = json.dumps(body).encode("ascii")
        timeout = httpx.Timeout(timeout_s, connect=min(timeout_s, CONNECT_S_MAX))
        transport = self._stand_in or httpx.AsyncHTTPTransport(verify=self._tls, trust_env=False, retries=0)
        client = httpx.AsyncClient(transport=transport, timeout=timeout, follow_redirects=False, trust_env=False)
        try:
            async with (
                asyncio.timeout(timeout_s),
                client,
                client.stream("POST", self._url, content=content, headers=self._headers) as response,
            ):
                return await self._answer(response)
        except (TimeoutError, httpx.TimeoutException):
            return DeadlineExceeded(f"{self._what}: no answer in time")
        except (OSError, httpx.HTTPError, httpx.InvalidURL):
            return Unavailable(f"{self._what}: cannot be reached")

    async def _answer(self, response: httpx.Response) -> bytes | BeaverError:
        status = response.status_code
        if status in _PASSING:
            told = f"{self._what}: cannot answer now (HTTP {status})"
            wait_s = _retry_after_s(response.headers.get("retry-after", ""))
            return Unavailable(told) if wait_s is None else AskedToWait(told, wait_s)
        if status in _TOO_LONG:
            return Refused(f"{self._what}: refused the call (HTTP {status})")
        if status != 200:
            return PeerFault(f"{self._what}: refused the call (HTTP {status})")
        body = bytearray()
        async for piece in response.aiter_raw():
            body += piece
            if len(body) > self._answer_bytes_max:
                return PeerFault(f"{self._what}: the answer is too long")
        return bytes(body)


def _retry_after_s(header: str) -> float | None:
    """Seconds, as a number alone says them; a date is as good as nothing, for it hangs on two clocks."""
    try:
        wait_s = float(header)
    except ValueError:
        return None
    return min(wait_s, RETRY_AFTER_S_MAX) if wait_s > 0 else None


def _read(answer: bytes, read: Callable[[Any], T | None]) -> T | None:
    try:
        return read(json.loads(answer))
    except (ValueError, RecursionError, LookupError, TypeError, AttributeError):
        return None


def _tls(url: str) -> ssl.SSLContext:
    """The public authorities for https; for http one that trusts nobody, without the time it takes to load them."""
    if url.lower().startswith("https:"):
        return httpx.create_ssl_context(trust_env=False)
    return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
