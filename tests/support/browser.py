"""A real Chromium without a window, driven over its own protocol; axe-core's rules of accessibility run in it."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Final

import pytest
from axe_playwright_python.async_playwright import Axe
from playwright.async_api import BrowserContext, Page, async_playwright, expect

_NAMES: Final = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_FLAGS: Final = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)
STEP_WITHIN_MS: Final = 30_000


def chromium_path() -> str:
    """The browser's binary; skips the test where there is none."""
    found = next((path for name in _NAMES if (path := shutil.which(name))), None)
    if found is None:
        pytest.skip(f"no Chromium on PATH ({', '.join(_NAMES)}): the chat page is not tried in a browser")
    return found


@asynccontextmanager
async def running_chromium() -> AsyncIterator[BrowserContext]:
    """A browser with a fresh profile, gone with the block. Its pages see one set of cookies and storage."""
    binary = chromium_path()
    with tempfile.TemporaryDirectory(prefix="beaver-chromium-", ignore_cleanup_errors=True) as profile:
        async with async_playwright() as driver:
            context = await driver.chromium.launch_persistent_context(
                profile,
                executable_path=binary,
                args=list(_FLAGS),
                headless=True,
                viewport={"width": 1100, "height": 760},
            )
            context.set_default_timeout(STEP_WITHIN_MS)
            expect.set_options(timeout=STEP_WITHIN_MS)
            yield context
            await context.close()


async def accessibility_faults(page: Page) -> list[str]:
    """What axe-core has against the page as it stands: rule and place, none for a page without a fault."""
    found: dict[str, Any] = (await Axe().run(page)).response
    return [f"{fault['id']}: {node['target']}" for fault in found["violations"] for node in fault["nodes"]]
