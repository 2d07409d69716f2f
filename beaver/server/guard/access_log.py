"""One log line a request, and the id that ties it to every other line of its work."""

from __future__ import annotations

import re
import time
from typing import Final

import structlog
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from beaver.ids import new_id
from beaver.logs import get_logger
from beaver.server.problems import crash_answer

REQUEST_ID_HEADER: Final = "X-Request-Id"
_TOKEN: Final = re.compile(r"[!-~]{1,128}")
_METHOD: Final = re.compile(r"[A-Z]{1,16}")


class AccessLog:
    """ASGI middleware: gives the request an id, says it back, and logs the route, never the path, query, body or key.

    A fault of the application is answered here, before Starlette's own handler, so that its answer has the id too.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request_id = _request_id(scope)
        status, began = 0, time.monotonic()

        async def sent(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                MutableHeaders(scope=message)[REQUEST_ID_HEADER] = request_id
            await send(message)

        with structlog.contextvars.bound_contextvars(request_id=request_id):
            try:
                await self._app(scope, receive, sent)
            except Exception:
                if not status:
                    await crash_answer()(scope, receive, sent)
                raise
            finally:
                _log(scope, status, round((time.monotonic() - began) * 1000))


def _request_id(scope: Scope) -> str:
    given = Headers(scope=scope).get(REQUEST_ID_HEADER, "")
    return given if _TOKEN.fullmatch(given) else new_id("request")


def _log(scope: Scope, status: int, ms: int) -> None:
    method = scope["method"]
    get_logger().info(
        "http.request",
        method=method if _METHOD.fullmatch(method) else "other",
        route=getattr(scope.get("route"), "path", None),
        status=status,
        ms=ms,
        key_id=getattr(scope.get("state", {}).get("caller"), "key_id", None),
    )
