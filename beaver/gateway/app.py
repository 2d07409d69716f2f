"""The Gateway as an ASGI application over one open memory runtime."""

from __future__ import annotations

import time

from prometheus_client import CONTENT_TYPE_LATEST
from pydantic import SecretStr
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from beaver.errors import BeaverError, MethodNotAllowed, NotFound, Unavailable
from beaver.gateway.auth import Gate
from beaver.gateway.operations import OPERATIONS, Operations
from beaver.gateway.problems import unexpected_problem
from beaver.gateway.rate import RateLimit
from beaver.gateway.telemetry import Telemetry
from beaver.gateway.transports.http import (
    BODY_BYTES_MAX,
    Endpoint,
    caller_of,
    operation_routes,
)
from beaver.gateway.transports.http_responses import json_answer, problem_answer
from beaver.logs import get_logger
from beaver.memory.runtime import MemoryRuntime


def create_app(
    runtime: MemoryRuntime,
    *,
    admin_key: SecretStr | None,
    trust_loopback: bool,
    body_bytes_max: int = BODY_BYTES_MAX,
    rate_per_minute: int | None = None,
) -> Starlette:
    """The application. The caller owns the runtime and closes it after the last request.

    `trust_loopback`: let callers on this machine make users where no admin key is set. Only for a listener that is itself
    bound to loopback. `rate_per_minute` bounds each user's requests at this process.
    """
    gate = Gate(runtime, admin_key=admin_key, trust_loopback=trust_loopback)
    operations = Operations(runtime, gate, RateLimit(rate_per_minute, time.monotonic))
    telemetry = Telemetry()
    return Starlette(
        routes=[
            Route("/health", _health, methods=["GET"], name="health"),
            Route("/metrics", _metrics(gate, runtime, telemetry), methods=["GET"], name="metrics"),
            *operation_routes(OPERATIONS, operations, telemetry, body_bytes_max=body_bytes_max),
        ],
        exception_handlers={HTTPException: _unrouted, Exception: _failed},
    )


async def _health(_request: Request) -> Response:
    """Liveness: this process answers; and, for `beaver check`, that a repeated `Idempotency-Key` gets its first receipt."""
    return JSONResponse({"status": "ok", "role": "gateway", "idempotency_key": True})


def _metrics(gate: Gate, runtime: MemoryRuntime, telemetry: Telemetry) -> Endpoint:
    async def metrics(request: Request) -> Response:
        """Calls of this process and how encoding stands, for Prometheus; for administrators and this machine."""
        try:
            gate.admit_watcher(caller_of(request))
        except BeaverError as error:
            return problem_answer(error)
        try:
            encoding = await runtime.encoding()
        except Unavailable:  # the calls are told also while the database cannot be asked
            encoding = None
        return Response(telemetry.exposition(encoding, runtime.index()), headers={"Content-Type": CONTENT_TYPE_LATEST})

    return metrics


async def _unrouted(_request: Request, error: Exception) -> Response:
    if isinstance(error, HTTPException) and error.status_code == 405:
        answer = problem_answer(MethodNotAllowed("this path takes another method"))
        answer.headers.update(error.headers or {})
        return answer
    return problem_answer(NotFound("there is no such path"))


async def _failed(request: Request, error: Exception) -> Response:
    """A bug: told to the log by type and place, to the caller not at all. Starlette raises it again after the answer."""
    get_logger().error("gateway.request_failed", path=request.url.path, exc_info=error)
    return json_answer(unexpected_problem(), 500)
