"""What browsers are told with every answer, and which hosts a request may name.

A page of another site can point its own name at this machine (DNS rebinding); the browser then sends that name as
`Host`, so a server that answers only to its own names is out of the page's reach. Pages that keep their own name are
`origins`' matter.
"""

from __future__ import annotations

from typing import Final

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from beaver.config.hosts import is_loopback
from beaver.config.settings import ServerSettings
from beaver.errors import InvalidInput
from beaver.server.guard.paths import PROBES
from beaver.server.problems import problem_answer

LOOPBACK_HOSTS: Final = frozenset({"localhost", "127.0.0.1", "[::1]"})
ALWAYS: Final = {"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "X-Frame-Options": "DENY"}


def hosts_of(server: ServerSettings) -> frozenset[str] | None:
    """The hosts that requests may name, in lower case and without a port; None: any."""
    allowed = frozenset(host.lower() for host in server.allowed_hosts)
    if not is_loopback(server.host):
        return allowed or None
    own = f"[{server.host}]" if ":" in server.host else server.host
    return LOOPBACK_HOSTS | {own.lower()} | allowed


class HostCheck:
    """ASGI middleware: 400 for a request that names another host, or none.

    Health has nothing to hide, and whoever probes it names an address of its own choice.
    """

    def __init__(self, app: ASGIApp, hosts: frozenset[str] | None) -> None:
        self._app = app
        self._hosts = hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        checked = scope["type"] == "http" and scope["path"] not in PROBES
        if checked and self._hosts is not None and _host(scope) not in self._hosts:
            refusal = InvalidInput("Host", "must be a name of this server; server.allowedHosts adds further ones")
            await problem_answer(refusal)(scope, receive, send)
            return
        await self._app(scope, receive, send)


class SecurityHeaders:
    """ASGI middleware: the headers of every answer. What sets its own Cache-Control keeps it."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def sent(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.update(ALWAYS)
                headers.setdefault("Cache-Control", "no-store")
            await send(message)

        await self._app(scope, receive, sent if scope["type"] == "http" else send)


def _host(scope: Scope) -> str:
    named = Headers(scope=scope).getlist("host")
    if len(named) != 1:
        return ""
    host, colon, port = named[0].lower().rpartition(":")
    return host if colon and (port.isdecimal() or not port) else named[0].lower()
