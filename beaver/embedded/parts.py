"""Which parts an instance runs itself, and how each is started and probed. Pure, but for looking for a binary."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from beaver.config.hosts import is_loopback
from beaver.config.memory import CuratedOnly, gateway_of
from beaver.config.settings import GATEWAY_DRAIN_S, Settings
from beaver.embedded.logfiles import log_tells
from beaver.embedded.probes import answers_http, answers_ping
from beaver.embedded.supervisor import Life, Part, Probe
from beaver.embedded.valkey import find_server_binary, server_command, set_aside

QUEUE: Final = "queue"
GATEWAY: Final = "gateway"
WORKER: Final = "worker"
SERVER: Final = "server"

# What a part takes beyond its drain: to close what it has opened.
_CLOSING_S: Final = 5.0


def runs_gateway(settings: Settings) -> bool:
    """Whether the Memory Gateway of this configuration is the one of this folder: another address is somebody else's."""
    gateway = gateway_of(settings.memory)
    if gateway is None:
        return not isinstance(settings.memory, CuratedOnly)
    url, ours = urlsplit(gateway.base_url), settings.gateway_server
    host = url.hostname or ""
    return url.port == ours.port and (host == ours.host or (is_loopback(host) and is_loopback(ours.host)))


def runs_queue(settings: Settings) -> bool:
    """Whether this folder needs a queue server of its own: turns go to a Gateway, and no other queue is named."""
    return settings.embeds_queue and not isinstance(settings.memory, CuratedOnly)


def runs_worker(settings: Settings) -> bool:
    """Whether there is a Gateway to persist to."""
    return gateway_of(settings.memory) is not None


def queue_part(settings: Settings) -> Part:
    """The embedded queue server. Raises Unavailable when no binary can be found."""
    socket = settings.paths.queue_socket
    command = server_command(find_server_binary(), settings.paths.queue, socket)
    return Part(
        QUEUE,
        tuple(command),
        _answers_ping(socket),
        address=f"unix:{socket}",
        start_over=partial(set_aside, settings.paths.queue),
    )


def gateway_part(settings: Settings) -> Part:
    """The Memory Gateway server. Its port is an argument, since the first start has no configuration yet."""
    listen = settings.gateway_server
    return Part(
        GATEWAY,
        (*_beaver("gateway", "serve"), "--port", str(listen.port)),
        _serves("gateway.started", listen.host, listen.port),
        address=http_url(listen.host, listen.port),
        stop_within_s=GATEWAY_DRAIN_S + _CLOSING_S,
    )


def worker_part(settings: Settings) -> Part:
    """The persist worker."""
    return Part(
        WORKER,
        _python("worker"),
        _says_ready,
        address="(reads the queue)",
        stop_within_s=settings.worker.drain_seconds + _CLOSING_S,
    )


def server_part(settings: Settings) -> Part:
    """The chat server."""
    listen = settings.server
    return Part(
        SERVER,
        _beaver("serve"),
        _serves("server.listening", listen.host, listen.port),
        address=http_url(listen.host, listen.port),
        stop_within_s=listen.drain_seconds + _CLOSING_S,
    )


def http_url(host: str, port: int) -> str:
    """The root URL of a server."""
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _beaver(*command: str) -> tuple[str, ...]:
    return (*_python("beaver"), *command)


def _python(module: str) -> tuple[str, ...]:
    # -P: a file of the user's folder must not stand in for a library's module.
    return (sys.executable, "-P", "-m", module)


def _answers_ping(unix_socket: Path) -> Probe:
    async def probe(_life: Life) -> bool:
        return await answers_ping(unix_socket)

    return probe


def _serves(event: str, host: str, port: int) -> Probe:
    """The port answers, and it is this life that took it: another program may have come before."""

    async def probe(life: Life) -> bool:
        return await answers_http(host, port, "/health") and log_tells(life.log, life.log_offset, event)

    return probe


async def _says_ready(life: Life) -> bool:
    return log_tells(life.log, life.log_offset, "worker.ready")
