"""A page of another site, in a real Chromium, at a server on this machine that asks for no keys."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from playwright.async_api import BrowserContext

from beaver.agent.messages import TextDelta
from beaver.agent.providers.scripted import Pause
from tests.support.browser import running_chromium
from tests.support.chat_server import CURATED, running_chat_server

NEVER = (TextDelta("Let me think"), Pause(600))
# Needs no preflight and no body: the kind of request that any page may send anywhere without asking.
STOP = "url => fetch(url, {method: 'POST', mode: 'no-cors'}).then(() => 'sent')"
ASK = "url => fetch(url, {method: 'POST'}).then(response => response.status)"


@pytest.fixture(scope="module")
async def browser() -> AsyncIterator[BrowserContext]:
    async with running_chromium() as context:
        yield context


@asynccontextmanager
async def other_site() -> AsyncIterator[str]:
    """The origin of an empty page on this machine, by another name than the chat server's."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1)
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\nconnection: close\r\n\r\n<title>other</title>")
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        yield f"http://localhost:{server.sockets[0].getsockname()[1]}"
    finally:
        server.close()


@pytest.mark.parametrize("named", [False, True])
async def test_only_a_page_of_a_named_site_can_stop_a_run(browser: BrowserContext, tmp_path: Path, named: bool) -> None:
    async with other_site() as origin:
        config = {**CURATED, "server": {"corsOrigins": [origin] if named else []}}
        async with running_chat_server(tmp_path, [NEVER], config=config, drain_s=0.1) as server:
            begun = await server.client.post("/v1/sessions/s-1/runs", json={"prompt": "Hello"})
            run = f"/v1/runs/{begun.json()['id']}"
            page = await browser.new_page()
            await page.goto(origin)
            assert await page.evaluate(STOP, f"{server.url}{run}/stop") == "sent"
            state = (await server.client.get(run)).json()
            assert (state["stop_requested_ms"] is not None) is named
            if named:
                assert await page.evaluate(ASK, f"{server.url}/v1/runs/none/stop") in {404, 409}
            await page.close()
