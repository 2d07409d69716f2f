"""One chat server process: load the engine, listen, drain, close."""

from __future__ import annotations

import asyncio
import errno
import signal
import socket
from collections.abc import Sequence
from typing import Any

import uvicorn

from beaver.agent.loader import EngineLoader, OpenItems, no_items
from beaver.collector import settle_collector
from beaver.config.chat_needs import lacks_of_server, needs_keys
from beaver.config.hosts import listening_step
from beaver.config.settings import ServerSettings, Settings
from beaver.db.engine import Database
from beaver.errors import ConfigError, Conflict, Unavailable
from beaver.listening import BoundedProtocol
from beaver.logs import configure_logs, get_logger
from beaver.open_files import allow_open_files
from beaver.redaction import Redactor
from beaver.server.app import create_app
from beaver.server.guard.quotas import Quotas
from beaver.server.guard.security import hosts_of
from beaver.server.runs.registry import DRAIN_S, RunRegistry
from beaver.server.telemetry.registry import Telemetry
from beaver.sessions.key_store import KeyStore


def serve(settings: Settings, open_items: OpenItems = no_items) -> None:
    """Serve until SIGTERM or SIGINT, then finish the runs under way, within a bound. Blocks.

    `open_items` opens the host's own store of items, which this room may not know.

    Raises ConfigError for an address beyond this machine without keys, Conflict for a port that is taken, and what
    the load of the engine raises.
    """
    configure_logs("chat", Redactor(settings.secrets()))
    refuse_open_address(settings.server)
    allow_open_files()
    listener = listen(settings.server)
    try:
        asyncio.run(_serve(settings, listener, open_items))
    finally:
        listener.close()


def refuse_open_address(server: ServerSettings) -> None:
    """Nobody beyond this machine may reach a server that asks for no keys. Raises ConfigError."""
    for lack in lacks_of_server(server):
        raise lack.error()


async def refuse_without_key(server: ServerSettings, database: Database) -> None:
    """A server that needs keys and has none could answer nobody. Raises ConfigError."""
    if not needs_keys(server):
        return
    async with database.read() as tx:
        if await KeyStore(database.dialect).count_active(tx):
            return
    raise ConfigError("server.requireKeys", "needs an active API key; make the first with `beaver keys create NAME`")


def listen(server: ServerSettings) -> socket.socket:
    """A listening socket. Raises Conflict when another program has the port, Unavailable otherwise, with what to set."""
    family = socket.AF_INET6 if ":" in server.host else socket.AF_INET
    # asyncio switches Nagle's algorithm off only where the protocol is named; with it an answer on a connection that
    # stays open waits 40 ms for the client's acknowledgement of its head.
    listener = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((server.host, server.port))
    except OSError as error:
        listener.close()
        raise _cannot_listen(server, error) from None
    return listener


def _cannot_listen(server: ServerSettings, error: OSError) -> Conflict | Unavailable:
    kind = Conflict if error.errno == errno.EADDRINUSE else Unavailable
    place = f"port {server.port} on {server.host}"
    return kind(f"{place} cannot be listened on ({error.strerror}): {listening_step(error, 'server')}")


async def _serve(settings: Settings, listener: socket.socket, open_items: OpenItems) -> None:
    telemetry = Telemetry()
    engine = await EngineLoader(
        settings, observer=telemetry.peers, recall_observer=telemetry.recall, open_items=open_items
    ).load()
    try:
        await refuse_without_key(settings.server, engine.database)
        app = create_app(
            engine,
            drain_s=settings.server.drain_seconds,
            runs_max=settings.server.runs_max,
            session_headers=settings.server.session_headers,
            busy_policy=settings.server.busy_policy,
            on_disconnect=settings.server.on_disconnect,
            require_keys=needs_keys(settings.server),
            hosts=hosts_of(settings.server),
            cors_origins=settings.server.cors_origins,
            quotas=Quotas.open(settings, refused=telemetry.runs.refused),
            telemetry=telemetry,
        )
        config = server_config(app, settings.server.drain_seconds, settings.server.trusted_proxies)
        server = ChatServer(config, app.state.runs)
        outlive_the_signal(server)
        settle_collector()
        get_logger().info("server.listening", host=settings.server.host, port=listener.getsockname()[1])
        await server.serve(sockets=[listener])
    finally:
        await engine.aclose()


def outlive_the_signal(server: ChatServer) -> None:
    """Let SIGTERM and SIGINT end the server, and nothing but the server, from now on to the process's end."""
    # One that comes before uvicorn listens for it must not be lost. And once uvicorn has stopped it sends itself the signal
    # again; the engine is still to be closed then.
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, server.handle_exit)


def server_config(app: Any, drain_s: float = DRAIN_S, trusted_proxies: Sequence[str] = ()) -> uvicorn.Config:
    """How uvicorn serves the application: its logs are ours, and its own drain ends before the runs' bound does.

    Nobody but `trusted_proxies` is believed about whom a request comes from; uvicorn by itself would believe this machine.
    """
    return uvicorn.Config(
        app,
        http=BoundedProtocol,
        ws="none",
        log_config=None,
        access_log=False,
        server_header=False,
        # A request that is sent on the heels of another would go on in that one's context: its trace, its log lines' ids.
        reset_contextvars=True,
        lifespan="on",
        proxy_headers=bool(trusted_proxies),
        forwarded_allow_ips=list(trusted_proxies),
        timeout_graceful_shutdown=max(1, int(drain_s)),
    )


class ChatServer(uvicorn.Server):
    """Begins the drain with the signal itself: connections that are still open get no new run."""

    def __init__(self, config: uvicorn.Config, runs: RunRegistry) -> None:
        super().__init__(config)
        self._runs = runs

    def handle_exit(self, sig: int, frame: Any) -> None:
        """Called by uvicorn for SIGTERM and SIGINT."""
        self._runs.begin_drain()
        super().handle_exit(sig, frame)
