"""One request and its answer as they pass by: what was sent, whether it was all, and whether anybody was left to read it."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

from fastapi import Request
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import Message, Receive, Scope, Send

CLIENT_LEFT: Final = 499
"""The status of an answer that nobody was there to take; a convention of web servers, never sent."""
_EVENT_STREAM: Final = "text/event-stream"


class Exchange:
    """Stands between the server and the application for one request. `status` is 0 until an answer has begun."""

    def __init__(
        self, scope: Scope, receive: Receive, send: Send, own: dict[str, str], on_stream: Callable[[], None]
    ) -> None:
        """`own` are headers that the answer gets; `on_stream` is called when it begins as a stream."""
        self.status = 0
        self.streamed = False
        self.ended = False
        self.left = False
        self._scope = scope
        self._receive = receive
        self._send = send
        self._own = own
        self._on_stream = on_stream
        self._began_at = time.monotonic()
        self._body_awaited = _has_body(scope)

    @property
    def seconds(self) -> float:
        """How long it has lasted."""
        return time.monotonic() - self._began_at

    async def receive(self) -> Message:
        """For the application in the server's place."""
        message = await self._receive()
        if message["type"] == "http.disconnect":
            # After a whole answer the server says so in any case.
            self.left = self.left or not self.ended
        elif not message.get("more_body", False):
            self._body_awaited = False
        return message

    async def send(self, message: Message) -> None:
        """For the application in the server's place."""
        if message["type"] == "http.response.start":
            await self._begin(message)
        elif not message.get("more_body", False):
            self.ended = not self.left
        await self._send(message)

    async def _begin(self, message: Message) -> None:
        # A body that is still to come is not asked for: that would invite a client to send what was refused.
        if not self._body_awaited:
            await Request(self._scope, self.receive).is_disconnected()
        self.status = CLIENT_LEFT if self.left else message["status"]
        headers = MutableHeaders(scope=message)
        headers.update(self._own)
        if headers.get("content-type", "").startswith(_EVENT_STREAM):
            self.streamed = True
            self._on_stream()


def _has_body(scope: Scope) -> bool:
    headers = Headers(scope=scope)
    return headers.get("content-length", "0") != "0" or "transfer-encoding" in headers
