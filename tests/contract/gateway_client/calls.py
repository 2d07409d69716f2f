"""What the suite of the Gateway client says to it, and how it reads what comes back."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest

from beaver.client.gateway import GatewayCallError, MemoryGatewayClient
from beaver.config.memory import GatewaySettings
from beaver.schemas.gateway import ADD_PATH, FLUSH_PATH, SEARCH_PATH, GatewayMessage
from tests.support.gateway_stub import Exchange

KEY = "uk_canary_4f1d77aa93"
TEXT = "the heron nests behind the old mill"
FORGET_PATH = "/memories/m-1?app_id=shop&project_id=support"
PATHS = {"search": SEARCH_PATH, "add": ADD_PATH, "flush": FLUSH_PATH, "forget": FORGET_PATH}
TURN = [
    GatewayMessage(sender_id="maria", role="user", timestamp=1780000000000, content=TEXT),
    GatewayMessage(sender_id="beaver", role="assistant", timestamp=1780000001000, content="Noted."),
]


def settings(url: str, *, timeout_s: float = 20, top_k: int = 8) -> GatewaySettings:
    """Settings of a Gateway at this URL."""
    return GatewaySettings.model_validate(
        {
            "baseUrl": url,
            "userId": "maria",
            "userKey": KEY,
            "appId": "shop",
            "projectId": "support",
            "scope": ["current_chat", "resources"],
            "topK": top_k,
            "timeoutSeconds": timeout_s,
        }
    )


@asynccontextmanager
async def client_of(url: str, *, timeout_s: float = 20, top_k: int = 8) -> AsyncIterator[MemoryGatewayClient]:
    """A client with these settings, closed at the end."""
    client = MemoryGatewayClient(settings(url, timeout_s=timeout_s, top_k=top_k))
    try:
        yield client
    finally:
        await client.aclose()


async def call(client: MemoryGatewayClient, operation: str) -> Any:
    """One call with a usual body."""
    match operation:
        case "search":
            return await client.search("s-1", TEXT)
        case "add":
            return await client.add(session_id="s-1", messages=TURN, idempotency_key="run_1")
        case "forget":
            return await client.forget("m-1")
        case _:
            return await client.flush(session_id="s-1")


async def failure(client: MemoryGatewayClient, operation: str = "add") -> GatewayCallError:
    """The error that the call ends with."""
    with pytest.raises(GatewayCallError) as caught:
        await call(client, operation)
    return caught.value


def said(error: GatewayCallError) -> tuple[str, int | None, str]:
    """(category, HTTP status, outcome)."""
    return error.category, error.status, error.outcome


async def hang_up(exchange: Exchange) -> None:
    """Close without a word."""
    exchange.writer.close()


async def talk_nonsense(exchange: Exchange) -> None:
    """Answer in another protocol."""
    exchange.writer.write(b"220 mail.example ESMTP\r\n")
    exchange.writer.close()


Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@asynccontextmanager
async def listening(serve: Serve) -> AsyncIterator[int]:
    """Serve raw connections on a free port; gives the port."""
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()
