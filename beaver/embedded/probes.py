"""Cheap questions to a part on this machine: does it answer, is its port free. No client library is imported."""

from __future__ import annotations

import asyncio
import errno
import socket
from pathlib import Path
from typing import Final

from beaver.errors import Unavailable

PROBE_TIMEOUT_S: Final = 1.0
PORT_MAX: Final = 65_535
NEIGHBOURS: Final = 100
"""So many ports after a taken one are tried: of these the system gives none away by itself."""


async def answers_ping(unix_socket: Path) -> bool:
    """Whether a queue server answers PING on the unix socket."""
    try:
        async with asyncio.timeout(PROBE_TIMEOUT_S):
            reader, writer = await asyncio.open_unix_connection(str(unix_socket))
            return await _first_line(reader, writer, b"PING\r\n") == b"+PONG\r\n"
    except (OSError, TimeoutError):
        return False


async def answers_http(host: str, port: int, path: str) -> bool:
    """Whether `GET path` answers 200."""
    request = f"GET {path} HTTP/1.0\r\nHost: {host}:{port}\r\n\r\n".encode()
    try:
        async with asyncio.timeout(PROBE_TIMEOUT_S):
            reader, writer = await asyncio.open_connection(host, port)
            status = (await _first_line(reader, writer, request)).split(b" ")
    except (OSError, TimeoutError):
        return False
    return len(status) > 1 and status[1] == b"200"


async def _first_line(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, request: bytes) -> bytes:
    try:
        writer.write(request)
        return await reader.readline()
    finally:
        writer.close()


def port_is_free(host: str, port: int) -> bool:
    """Whether a server could listen there now. An address that is not this machine's counts as free: listening will tell."""
    try:
        with _listening(host, port):
            return True
    except OSError as error:
        return error.errno != errno.EADDRINUSE


def choose_port(host: str, preferred: int, taken: frozenset[int] = frozenset()) -> int:
    """The preferred port, or the next after it, that is free and not in `taken`. Raises Unavailable when there is none."""
    for port in range(preferred, min(preferred + NEIGHBOURS, PORT_MAX) + 1):
        if port not in taken and port_is_free(host, port):
            return port
    raise Unavailable(f"no port from {preferred} on is free on {host}: set another in .beaver/config.json")


def _listening(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen(1)
    except OSError:
        listener.close()
        raise
    return listener
