"""HTTP: one POST route an operation, JSON in and JSON out, bodies bounded while they are read."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Final

from pydantic import SecretStr
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from beaver.errors import BeaverError, InvalidInput, PayloadTooLarge, http_status
from beaver.gateway.auth import Caller, is_loopback
from beaver.gateway.operations import Operation, Operations
from beaver.gateway.problems import problem_of
from beaver.gateway.requests import parse_json
from beaver.schemas.gateway import IDEMPOTENCY_HEADER
from beaver.schemas.wire import Answered

BODY_BYTES_MAX: Final = 10 * 1024 * 1024

# Set by proxies and by browsers: who really calls is then not the peer of the socket.
_PASSED_ON_HEADERS: Final = ("forwarded", "x-forwarded-for", "x-real-ip", "via", "origin", "sec-fetch-site")

Endpoint = Callable[[Request], Awaitable[Response]]


def operation_routes(table: Sequence[Operation], operations: Operations, *, body_bytes_max: int) -> list[Route]:
    """A POST route for each operation."""
    return [
        Route(operation.path, _endpoint(operation, operations, body_bytes_max), methods=["POST"], name=operation.name)
        for operation in table
    ]


def _endpoint(operation: Operation, operations: Operations, body_bytes_max: int) -> Endpoint:
    async def answer(request: Request) -> Response:
        try:
            body = parse_json(await _read_body(request, body_bytes_max))
            key = request.headers.get(IDEMPOTENCY_HEADER)
            return json_answer(await operations.perform(operation, body, _caller(request), key))
        except BeaverError as error:
            return problem_answer(error)
        except ClientDisconnect:  # nobody is left to read an answer
            return Response(status_code=400)

    return answer


def json_answer(answer: Answered, status: int = 200) -> Response:
    """A wire type as a response; absent fields are left out."""
    return Response(answer.model_dump_json(exclude_none=True), status, media_type="application/json")


def problem_answer(error: BeaverError) -> Response:
    """An error as a response."""
    return json_answer(problem_of(error), http_status(error))


async def _read_body(request: Request, bytes_max: int) -> bytes:
    _check_media(request)
    declared = request.headers.get("content-length", "0")
    if declared.isascii() and declared.isdigit() and int(declared) > bytes_max:
        raise PayloadTooLarge(bytes_max)
    body = bytearray()
    async for piece in request.stream():
        body += piece
        if len(body) > bytes_max:
            raise PayloadTooLarge(bytes_max)
    return bytes(body)


def _check_media(request: Request) -> None:
    """JSON, or no type named. Not the types that a web page may send anywhere without being asked (forms, plain text)."""
    media = request.headers.get("content-type", "application/json").partition(";")[0].strip().lower()
    if media != "application/json" and not media.endswith("+json"):
        raise InvalidInput("Content-Type", "must be application/json")
    if request.headers.get("content-encoding", "identity").strip().lower() != "identity":
        raise InvalidInput("Content-Encoding", "must be identity")


def _caller(request: Request) -> Caller:
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    return Caller(
        peer=request.client.host if request.client else None,
        direct=not any(name in request.headers for name in _PASSED_ON_HEADERS) and is_loopback(request.url.hostname),
        bearer=SecretStr(token.strip()) if scheme.lower() == "bearer" and token.strip() else None,
    )
