"""Around each request: an id, its caller's trace, a span, its counts, and one log line at its end."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import structlog
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from beaver.ids import new_id
from beaver.logs import get_logger
from beaver.server.guard.exchange import Exchange
from beaver.server.guard.templates import RouteTemplates, known_method
from beaver.server.problems import crash_answer
from beaver.server.telemetry.requests import RequestMetrics
from beaver.tracing import known_traceparent, note, read_origin, request_span

REQUEST_ID_HEADER: Final = "X-Request-Id"
_TOKEN: Final = re.compile(r"[!-~]{1,128}")


class AccessLog:
    """ASGI middleware: gives the request an id, says it back, and tells of the route, never of path, query, body or key.

    A fault of the application is answered here, before Starlette's own handler, so that its answer has the id too.
    """

    def __init__(self, app: ASGIApp, templates: RouteTemplates, metrics: RequestMetrics) -> None:
        self._app = app
        self._templates = templates
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request_id = _request_id(scope)
        exchange = Exchange(scope, receive, send, {REQUEST_ID_HEADER: request_id}, self._metrics.stream_opened)
        with structlog.contextvars.bound_contextvars(request_id=request_id), self._told(scope, exchange):
            try:
                await self._app(scope, exchange.receive, exchange.send)
            except Exception:
                if not exchange.status:
                    await crash_answer()(scope, exchange.receive, exchange.send)
                raise

    @contextmanager
    def _told(self, scope: Scope, exchange: Exchange) -> Iterator[None]:
        method, route = known_method(scope["method"]), self._templates.find(scope["method"], scope["path"])
        self._metrics.began()
        try:
            with _span(scope, method, route, exchange):
                try:
                    yield
                finally:
                    _log(scope, method, route, exchange)
        finally:
            self._metrics.ended(method, route, exchange.status, exchange.seconds, streamed=exchange.streamed)


def _request_id(scope: Scope) -> str:
    given = Headers(scope=scope).get(REQUEST_ID_HEADER, "")
    return given if _TOKEN.fullmatch(given) else new_id("request")


@contextmanager
def _span(scope: Scope, method: str, route: str | None, exchange: Exchange) -> Iterator[None]:
    headers = Headers(scope=scope)
    origin = read_origin(headers.getlist("traceparent"), headers.getlist("tracestate"))
    attributes = {"http.request.method": method, **({} if route is None else {"http.route": route})}
    with request_span("beaver.request", origin, attributes):
        known = known_traceparent()
        # What stands between the first two dashes.
        with structlog.contextvars.bound_contextvars(**({} if known is None else {"trace_id": known.split("-")[1]})):
            try:
                yield
            finally:
                note({"http.response.status_code": exchange.status}, failed=exchange.status >= 500)


def _log(scope: Scope, method: str, route: str | None, exchange: Exchange) -> None:
    get_logger().info(
        "http.request",
        method=method,
        route=route,
        status=exchange.status,
        ms=round(exchange.seconds * 1000),
        stream=exchange.streamed,
        ended=exchange.ended,
        left=exchange.left,
        key_id=getattr(scope.get("state", {}).get("caller"), "key_id", None),
    )
