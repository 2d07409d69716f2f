"""The client of a Memory Gateway: its calls over HTTP, one deadline each, errors that carry no request."""

from __future__ import annotations

import asyncio
import json
import ssl
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, ClassVar, Final, Literal, TypeVar
from urllib.parse import quote, urlencode

import httpx

from beaver.client.answers import (
    Answer,
    Category,
    Failure,
    Newer,
    Outcome,
    RecalledItem,
    broken,
    read_json,
    read_message_ids,
    read_receipt,
    read_results,
    refusal,
)
from beaver.client.connections import Connections
from beaver.config.memory import GatewaySettings
from beaver.errors import BeaverError, ConfigError
from beaver.schemas.gateway import (
    ADD_PATH,
    ASSISTANT_SENDER,
    FLUSH_PATH,
    IDEMPOTENCY_HEADER,
    MEMORY_PATH,
    SEARCH_PATH,
    USER_HEADER,
    AddRequest,
    Credentials,
    FlushRequest,
    GatewayMessage,
    SearchRequest,
    chat_session,
)

__all__ = ["Category", "GatewayCallError", "MemoryGatewayClient", "Newer", "Operation", "Outcome", "RecalledItem"]

Operation = Literal["search", "add", "flush", "forget"]
T = TypeVar("T")

ANSWER_BYTES_MAX: Final = 2 * 1024 * 1024
CALLS_MAX: Final = 100
# A worker's calls come in waves: with a quarter as many, most of each wave connected anew.
IDLE_CONNECTIONS_MAX: Final = 64
# Shorter than any common server's own patience (5 s): a connection the server is about to close is not picked up.
IDLE_CONNECTION_S: Final = 2.0

_HEADERS: Final[Mapping[str, str]] = {
    "Accept": "application/json",
    "Accept-Encoding": "identity",
    "Content-Type": "application/json",
    "User-Agent": "beaver",
}


@dataclass(frozen=True)
class _Asking:
    """One request."""

    operation: Operation
    path: str
    headers: Mapping[str, str] = field(repr=False)
    content: bytes = field(repr=False)
    method: Literal["POST", "DELETE"] = "POST"


class GatewayCallError(BeaverError):
    """A call of the Gateway failed.

    `outcome` is `refused` when the Gateway surely did not act (no connection, or a 4xx other than 408 and 425), and
    `unknown` when it may have. `status` is the HTTP status if there was an answer, `retry_after_s` how long it asked to be
    left alone. Nothing else hangs on the error: no request, no body, no reason phrase, no cause and no context.
    """

    code: ClassVar[str] = "peer_fault"

    def __init__(
        self,
        operation: Operation,
        path: str,
        category: Category,
        status: int | None,
        outcome: Outcome,
        retry_after_s: float | None = None,
    ) -> None:
        answered = "" if status is None else f" (HTTP {status})"
        super().__init__(f"{operation} {path} failed: {category}{answered}")
        self.operation = operation
        self.path = path
        self.category = category
        self.status = status
        self.outcome = outcome
        self.retry_after_s = retry_after_s


class MemoryGatewayClient:
    """Calls one Gateway as one user. Share it between tasks; nothing is connected before the first call.

    Each call is one request and never a second: no retry, no redirect, no proxy, no cookie. `timeout_seconds` bounds the
    whole call by the wall clock, the wait for a free connection and the reading of the body included. Every failure is a
    GatewayCallError; cancellation passes through and closes the connection.
    """

    # The transport is driven without httpx's own client, since that logs the peer's reason phrase, keeps cookies,
    # unpacks compressed bodies and hangs the request on its exceptions.

    def __init__(self, settings: GatewaySettings, *, transport: httpx.AsyncBaseTransport | None = None) -> None:
        """`transport` stands in for real connections (tests); the client then owns it."""
        if not _is_url(settings.base_url):
            raise ConfigError("memory.gateway.baseUrl", "must be a URL")
        self._settings = settings
        self._stand_in = transport
        self._connections = Connections(
            _ssl_context(settings.base_url),
            calls_max=CALLS_MAX,
            idle_max=IDLE_CONNECTIONS_MAX,
            idle_s=IDLE_CONNECTION_S,
        )

    async def search(self, conversation_id: str, query: str, *, traceparent: str | None = None) -> list[RecalledItem]:
        """Memories for a query, best first, at most `top_k`; entries without text are left out.

        `conversation_id` is the bare session id. Who speaks for the configured user, or for us, has no name in them.
        """
        request = SearchRequest(
            **self._credentials(),
            conversation_id=conversation_id,
            query=query,
            scope=list(self._settings.scope),
            top_k=self._settings.top_k,
        )
        read = partial(read_results, items_max=request.top_k)
        found = await self._call(_posting("search", SEARCH_PATH, request, _trace_header(traceparent)), read)
        both = {self._settings.user_id, ASSISTANT_SENDER}
        return [replace(item, speaker=None) if item.speaker in both else item for item in found]

    async def add(
        self,
        *,
        session_id: str,
        messages: Sequence[GatewayMessage],
        idempotency_key: str,
        traceparent: str | None = None,
    ) -> tuple[str, ...]:
        """Store messages, oldest first, under `chat:` + `session_id`. Returns once the Gateway has said that it did.

        The ids by which the Gateway knows them, in their order; none of a Gateway that tells none.
        """
        request = AddRequest(**self._credentials(), session_id=chat_session(session_id), messages=list(messages))
        headers = {IDEMPOTENCY_HEADER: idempotency_key, **_trace_header(traceparent)}
        return await self._call(_posting("add", ADD_PATH, request, headers), read_message_ids)

    async def flush(self, *, session_id: str, traceparent: str | None = None) -> None:
        """Turn what was added to the session into memory. Returns once the Gateway has said that it did."""
        request = FlushRequest(**self._credentials(), session_id=chat_session(session_id))
        await self._call(_posting("flush", FLUSH_PATH, request, _trace_header(traceparent)), read_receipt)

    async def forget(self, message_id: str) -> None:
        """Have a message forgotten, by the id that its add told. Not every Gateway can: one that cannot answers with a 4xx."""
        mine = self._settings
        # In the headers, since a DELETE has no body to carry them.
        headers = {"Authorization": f"Bearer {mine.user_key.get_secret_value()}", USER_HEADER: mine.user_id}
        where = urlencode({"app_id": mine.app_id, "project_id": mine.project_id})
        path = f"{MEMORY_PATH.format(memory_id=quote(message_id, safe=''))}?{where}"
        await self._call(_Asking("forget", path, headers, b"", "DELETE"), read_receipt)

    async def aclose(self) -> None:
        """Close what is open; idempotent."""
        await self._connections.aclose()
        if self._stand_in is not None:
            await self._stand_in.aclose()

    def _credentials(self) -> dict[str, Any]:
        mine = self._settings
        return {
            "user_id": mine.user_id,
            "user_key": mine.user_key,
            "app_id": mine.app_id,
            "project_id": mine.project_id,
        }

    async def _call(self, asking: _Asking, read: Callable[[object], T | None]) -> T:
        # Raised from a value, outside every `except`: no cause, context or inner frame holds the request or the answer.
        result = _read(await self._exchange(asking), read)
        if isinstance(result, Failure):
            failure = (result.category, result.status, result.outcome, result.retry_after_s)
            raise GatewayCallError(asking.operation, asking.path, *failure) from None
        return result

    async def _exchange(self, asking: _Asking) -> Answer | Failure:
        departure = _Departure(possible=self._stand_in is not None)
        try:
            async with asyncio.timeout(self._settings.timeout_seconds), self._transport() as transport:
                return await _answer(transport, self._http_request(asking, departure))
        except (OSError, httpx.TransportError) as error:
            return broken(error, departed=departure.possible)

    def _transport(self) -> AbstractAsyncContextManager[httpx.AsyncBaseTransport]:
        return self._connections.borrow() if self._stand_in is None else nullcontext(self._stand_in)

    def _http_request(self, asking: _Asking, departure: _Departure) -> httpx.Request:
        # httpx's timeouts, one a phase, never fire before the deadline: they are a second line.
        phases = httpx.Timeout(self._settings.timeout_seconds).as_dict()
        return httpx.Request(
            asking.method,
            self._settings.base_url + asking.path,
            headers={**_HEADERS, **asking.headers},
            content=asking.content,
            extensions={"timeout": phases, "trace": departure},
        )


class _Departure:
    """Told by httpx what the connection does; knows whether a byte of the request may have left."""

    def __init__(self, *, possible: bool) -> None:
        """A transport that tells nothing starts as `possible`."""
        self.possible = possible

    async def __call__(self, event: str, _details: Mapping[str, object]) -> None:
        if event.endswith("send_request_headers.started"):
            self.possible = True


def _is_url(text: str) -> bool:
    try:
        httpx.URL(text)
    except httpx.InvalidURL:
        return False
    return True


def _ssl_context(base_url: str) -> ssl.SSLContext:
    """The public authorities for https; for http one that trusts nobody, without the time it takes to load them."""
    if base_url.lower().startswith("https:"):
        return httpx.create_ssl_context(trust_env=False)
    return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


def _trace_header(traceparent: str | None) -> dict[str, str]:
    return {} if traceparent is None else {"traceparent": traceparent}


def _posting(operation: Operation, path: str, request: Credentials, headers: Mapping[str, str]) -> _Asking:
    return _Asking(operation, path, headers, _body(request))


def _body(request: Credentials) -> bytes:
    """The request as JSON, the key in clear. ASCII only, so that no encoding error can carry the body."""
    fields = request.model_dump(mode="json") | {"user_key": request.user_key.get_secret_value()}
    return json.dumps(fields).encode("ascii")


async def _answer(transport: httpx.AsyncBaseTransport, request: httpx.Request) -> Answer | Failure:
    response = await transport.handle_async_request(request)
    try:
        return refusal(response) or await _read_capped(response)
    finally:
        await response.aclose()


async def _read_capped(response: httpx.Response) -> Answer | Failure:
    body = bytearray()
    async for chunk in response.aiter_bytes():
        body += chunk
        if len(body) > ANSWER_BYTES_MAX:
            return Failure("too_large", response.status_code, "unknown")
    return Answer(response.status_code, bytes(body))


def _read(answer: Answer | Failure, read: Callable[[object], T | None]) -> T | Failure:
    return answer if isinstance(answer, Failure) else read_json(answer, read)
