"""What a client may cost a server before it has asked anything: uvicorn's own protocol bounds neither a head nor its wait."""

from __future__ import annotations

import asyncio
from typing import Any, Final

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

HEAD_BYTES_MAX: Final = 64 * 1024
"""Of a request's line and headers; what came with them in one read is let in."""
HEAD_WITHIN_S: Final = 20.0
"""From a connection's beginning, or a later request's, to the end of the request's headers."""
BODY_WITHIN_S: Final = 60.0
"""From then on to the end of the body: 10 MB over 1.4 Mbit/s."""

_TOO_LARGE: Final = (
    b"HTTP/1.1 431 Request Header Fields Too Large\r\n"
    b"content-type: text/plain; charset=utf-8\r\ncontent-length: 37\r\nconnection: close\r\n\r\n"
    b"The request's headers are too large.\n"
)


class BoundedProtocol(HttpToolsProtocol):
    """uvicorn's HTTP/1.1, for its `Config(http=…)`. Who is over a bound of size gets 431; who is over one of time is cut off."""

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self._in_head = True
        self._is_partial = False
        self._head_bytes = 0
        self._deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Called when a client has connected."""
        super().connection_made(transport)
        self._expect_within(HEAD_WITHIN_S)

    def connection_lost(self, exc: Exception | None) -> None:
        """Called when the connection is gone."""
        self._expect_nothing()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Called with what the client sends, in pieces."""
        if self._in_head:
            self._head_bytes += len(data)
        super().data_received(data)
        if self.transport.is_closing():
            return
        if self._head_bytes > HEAD_BYTES_MAX:
            self.transport.write(_TOO_LARGE)
            self.transport.close()
        # Most requests come in one piece, and need no timer.
        elif self._is_partial and self._deadline is None:
            self._expect_within(HEAD_WITHIN_S if self._in_head else BODY_WITHIN_S)

    def on_message_begin(self) -> None:
        """Called at a request's first byte."""
        self._is_partial = True
        super().on_message_begin()

    def on_headers_complete(self) -> None:
        """Called when the headers are all there."""
        self._in_head, self._head_bytes = False, 0
        self._expect_nothing()
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        """Called when the body is all there."""
        self._in_head, self._is_partial = True, False
        self._expect_nothing()
        super().on_message_complete()

    def _expect_within(self, seconds: float) -> None:
        self._deadline = self.loop.call_later(seconds, self.transport.close)

    def _expect_nothing(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None
