"""A reader at the chat page of a server, and what they look at."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from playwright.async_api import BrowserContext, Page

from beaver.agent.providers.scripted import Step
from tests.support.chat_server import CURATED, RunningChatServer, running_chat_server


@asynccontextmanager
async def visiting(
    browser: BrowserContext, root: Path, steps: Iterable[Step], **config: Mapping[str, Any]
) -> AsyncIterator[tuple[Page, RunningChatServer]]:
    """A reader at the page of a server; the block fails where the page had a fault or went elsewhere."""
    faults: list[str] = []
    async with running_chat_server(root, steps, config={**CURATED, **config}, drain_s=0.5) as server:
        page = await browser.new_page()
        page.on("pageerror", lambda error: faults.append(f"error: {error}"))
        page.on("console", lambda said: faults.append(said.text) if "Security Policy" in said.text else None)
        page.on(
            "request", lambda sent: None if sent.url.startswith(server.url) else faults.append(f"went to {sent.url}")
        )
        try:
            await page.goto(server.url)
            yield page, server
        finally:
            await page.close()
    assert faults == []


async def say(page: Page, text: str) -> None:
    await page.get_by_label("Message", exact=True).fill(text)
    await page.keyboard.press("Enter")


def answers(page: Page) -> Any:
    return page.locator("article.answer[aria-busy=false]")


def notice(page: Page) -> Any:
    return page.locator(".notice")


def prompts(server: RunningChatServer) -> int:
    """How often the model was asked."""
    return len(server.provider.requests)
