"""HTTP: one route an operation, JSON in and JSON out, bodies bounded while they are read.

A POST has everything in its body. Otherwise path, query and headers are read as if they stood in one.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import Any, Final

from pydantic import SecretStr
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from beaver.config.hosts import is_surely_loopback
from beaver.errors import BeaverError, InvalidInput, PayloadTooLarge, Unauthenticated
from beaver.gateway.auth import Caller
from beaver.gateway.operations import Operation, Operations
from beaver.gateway.requests import parse_json
from beaver.gateway.telemetry import Seen, Telemetry
from beaver.gateway.transports.http_responses import problem_answer, response_of
from beaver.ids import new_id
from beaver.schemas.gateway import IDEMPOTENCY_HEADER, USER_HEADER
from beaver.tracing import read_origin

BODY_BYTES_MAX: Final = 10 * 1024 * 1024
LARGE_BODY_BYTES: Final = 256 * 1024
LARGE_BODIES_MAX: Final = 32
"""So many larger bodies are held at once, the others wait: a body is read before anybody knows whose it is."""
REQUEST_ID_HEADER: Final = "X-Request-Id"

_TOKEN: Final = re.compile(r"[!-~]{1,128}")

# Set by proxies and by browsers: who really calls is then not the peer of the socket.
_PASSED_ON_HEADERS: Final = ("forwarded", "x-forwarded-for", "x-real-ip", "via", "origin", "sec-fetch-site")

Endpoint = Callable[[Request], Awaitable[Response]]


def operation_routes(
    table: Sequence[Operation], operations: Operations, telemetry: Telemetry, *, body_bytes_max: int
) -> list[Route]:
    """A route for each path, with the methods of its operations."""
    large = asyncio.Semaphore(LARGE_BODIES_MAX)
    by_path: dict[str, dict[str, Operation]] = {}
    for operation in table:
        by_path.setdefault(operation.path, {})[operation.method] = operation
    return [
        Route(path, _endpoint(methods, operations, telemetry, body_bytes_max, large), methods=list(methods), name=path)
        for path, methods in by_path.items()
    ]


def _endpoint(
    methods: Mapping[str, Operation],
    operations: Operations,
    telemetry: Telemetry,
    body_bytes_max: int,
    large: asyncio.Semaphore,
) -> Endpoint:
    async def answer(request: Request) -> Response:
        operation = methods.get(request.method) or methods["GET"]  # Starlette lets HEAD in where GET is
        caller = caller_of(request)
        with telemetry.watching(operation.name, caller) as seen:
            response = await answered(operation, request, caller, seen)
        response.headers[REQUEST_ID_HEADER] = caller.request_id or ""
        return response

    async def answered(operation: Operation, request: Request, caller: Caller, seen: Seen) -> Response:
        try:
            async with AsyncExitStack() as held:
                body = await _asked(operation, request, caller, _Bodies(body_bytes_max, large, held))
                key = request.headers.get(IDEMPOTENCY_HEADER)
                done = await operations.perform(operation, body, caller, key)
        except BeaverError as error:
            seen.refused(error)
            return problem_answer(error)
        except ClientDisconnect:  # nobody is left to read an answer
            seen.left()
            return Response(status_code=400)
        seen.answered(done)
        return response_of(done)

    return answer


@dataclass(frozen=True)
class _Bodies:
    """How large a body may be, and the place that a large one takes until `held` is closed."""

    bytes_max: int
    large: asyncio.Semaphore
    held: AsyncExitStack


async def _asked(operation: Operation, request: Request, caller: Caller, bodies: _Bodies) -> Any:
    """What is asked, as one JSON value."""
    body = await _read_body(request, bodies)
    if operation.method == "POST" and not request.path_params:
        return parse_json(body)
    told = parse_json(body) if body.strip() else {}
    if not isinstance(told, dict):
        return told
    named = {**_query(request), **request.path_params}
    if operation.permission == "user":
        named |= _credentials(request, caller)
    if named.keys() & told.keys():
        raise InvalidInput("body", "must not name again what stands in the path, the query or a header")
    return {**told, **named}


def _query(request: Request) -> dict[str, str]:
    pairs = request.query_params.multi_items()
    query = dict(pairs)
    if len(query) < len(pairs):
        raise InvalidInput("query", "must not repeat a name")
    return query


def _credentials(request: Request, caller: Caller) -> dict[str, str]:
    """The user's, from the headers."""
    named = request.path_params.get("user_id")
    bearer, user_id = caller.bearer, request.headers.get(USER_HEADER, named)
    if bearer is None or user_id is None:
        raise Unauthenticated(f"this needs the user's key as a bearer token, and {USER_HEADER}")
    if named not in {None, user_id}:
        raise InvalidInput(USER_HEADER, "must be the user that the path names")
    return {"user_id": user_id, "user_key": bearer.get_secret_value()}


async def _read_body(request: Request, bodies: _Bodies) -> bytes:
    _check_media(request)
    declared = request.headers.get("content-length", "0")
    if declared.isascii() and declared.isdigit() and int(declared) > bodies.bytes_max:
        raise PayloadTooLarge(bodies.bytes_max)
    body = bytearray()
    async for piece in request.stream():
        if len(body) <= LARGE_BODY_BYTES < len(body) + len(piece):
            await bodies.held.enter_async_context(bodies.large)
        body += piece
        if len(body) > bodies.bytes_max:
            raise PayloadTooLarge(bodies.bytes_max)
    return bytes(body)


def _check_media(request: Request) -> None:
    """JSON, or no type named. Not the types that a web page may send anywhere without being asked (forms, plain text)."""
    media = request.headers.get("content-type", "application/json").partition(";")[0].strip().lower()
    if media != "application/json" and not media.endswith("+json"):
        raise InvalidInput("Content-Type", "must be application/json")
    if request.headers.get("content-encoding", "identity").strip().lower() != "identity":
        raise InvalidInput("Content-Encoding", "must be identity")


def caller_of(request: Request) -> Caller:
    """Who calls, as far as the request and its socket tell."""
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    return Caller(
        peer=request.client.host if request.client else None,
        direct=not any(name in request.headers for name in _PASSED_ON_HEADERS)
        and is_surely_loopback(request.url.hostname),
        bearer=SecretStr(token.strip()) if scheme.lower() == "bearer" and token.strip() else None,
        request_id=_request_id(request),
        origin=read_origin(request.headers.getlist("traceparent"), request.headers.getlist("tracestate")),
    )


def _request_id(request: Request) -> str:
    given = request.headers.get(REQUEST_ID_HEADER, "")
    return given if _TOKEN.fullmatch(given) else new_id("request")
