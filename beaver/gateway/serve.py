"""The Gateway process: bind, open the memory, serve until told to stop, drain, close."""

from __future__ import annotations

import asyncio
import signal
import socket
from types import FrameType
from typing import Final

import uvicorn
from starlette.applications import Starlette

from beaver.apart import look_names_up_apart
from beaver.collector import settle_collector
from beaver.config.hosts import is_surely_loopback, listening_step
from beaver.config.settings import GATEWAY_DRAIN_S, Settings
from beaver.errors import Unavailable
from beaver.gateway.app import create_app
from beaver.gateway.maintaining import maintained
from beaver.gateway.warming import warmed
from beaver.listening import BoundedProtocol
from beaver.logs import configure_logs, get_logger
from beaver.memory.inference.encoders import encoder_of
from beaver.memory.inference.language_models import language_model_of
from beaver.memory.inference.port import Encoder
from beaver.memory.runtime import MemoryRuntime
from beaver.open_files import allow_open_files
from beaver.redaction import Redactor

CONNECTIONS_MAX: Final = 1000


def serve(settings: Settings) -> None:
    """Serve the Gateway at its configured address; returns after SIGTERM or SIGINT, when the last request is answered.

    Raises Unavailable when the address cannot be bound or the database cannot serve, ConfigError for a database that
    the engine does not know.
    """
    configure_logs("gateway", Redactor(settings.secrets()))
    allow_open_files()
    with bind(settings.gateway_server.host, settings.gateway_server.port) as listener:
        asyncio.run(_serve(settings, listener))


def bind(host: str, port: int) -> socket.socket:
    """A listening socket. Raises Unavailable saying why there is none."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listener = socket.socket(family, kind, protocol)
        try:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(address)
            listener.listen(2048)
        except OSError:
            listener.close()
            raise
    except OSError as error:
        raise Unavailable(
            f"the Gateway cannot listen on {host} port {port} ({error.strerror}): {listening_step(error, 'gatewayServer')}"
        ) from None
    return listener


async def _serve(settings: Settings, listener: socket.socket) -> None:
    look_names_up_apart()
    encoder = await open_encoder(settings)
    runtime = await MemoryRuntime.open(
        settings.gateway_url,
        encoder=encoder,
        model=language_model_of(settings.gateway_server.model),
        model_timeout_s=settings.gateway_server.model.timeout_seconds,
        prompt_index=settings.gateway_server.prompt_index,
        index_bytes_max=settings.gateway_server.index_megabytes * 1024 * 1024,
    )
    host, port = listener.getsockname()[:2]
    try:
        app = create_app(
            runtime,
            admin_key=settings.gateway_server.admin_key,
            trust_loopback=is_surely_loopback(host),
            rate_per_minute=settings.gateway_server.rate_limit_per_minute,
        )
        _stop_without_dying()
        settle_collector()
        get_logger().info("gateway.started", host=host, port=port)
        async with (
            maintained(runtime, settings.gateway_server.retention),
            warmed(encoder, settings.gateway_server.embedding.provider),
        ):
            await uvicorn.Server(server_config(app)).serve(sockets=[listener])
    finally:
        await runtime.close()
        get_logger().info("gateway.stopped")


async def open_encoder(settings: Settings) -> Encoder | None:
    """The configured encoder; where it cannot be had, that is said, and words alone are searched by."""
    try:
        return await asyncio.to_thread(encoder_of, settings.gateway_server.embedding)
    except Unavailable as error:
        get_logger().warning("gateway.words_alone", reason=str(error))
        return None


def server_config(app: Starlette) -> uvicorn.Config:
    """Peers are taken from the socket, never from a proxy's header; no access log."""
    return uvicorn.Config(
        app,
        http=BoundedProtocol,
        ws="none",
        lifespan="off",
        log_config=None,
        log_level="warning",
        access_log=False,
        proxy_headers=False,
        server_header=False,
        limit_concurrency=CONNECTIONS_MAX,
        timeout_graceful_shutdown=GATEWAY_DRAIN_S,
    )


def _stop_without_dying() -> None:
    """uvicorn, when it has stopped, sends itself the signal again; that must not end the process before it has closed."""

    def already_stopping(_number: int, _frame: FrameType | None) -> None:
        return None

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, already_stopping)
