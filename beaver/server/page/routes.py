"""Serves the chat page. It holds no conversation and asks for no key: what it shows it fetches from the API."""

from __future__ import annotations

from typing import Final

from fastapi import APIRouter, Request, Response

from beaver.config.provider import OFFLINE
from beaver.errors import NotFound
from beaver.server.page.files import page_files

# Nothing inline, nothing from elsewhere, and no text that becomes markup: what a model says stays text.
CONTENT_SECURITY_POLICY: Final = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
        "require-trusted-types-for 'script'",
        "trusted-types 'none'",
    )
)
# Beside those that every answer of the server has.
SAFETY_HEADERS: Final = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
KEEP_FOR_EVER: Final = "public, max-age=31536000, immutable"

router = APIRouter(include_in_schema=False)


@router.get("/")
async def chat_page(request: Request) -> Response:
    """The page; asked for anew each time, so that it names the files of the running version."""
    headers = {**SAFETY_HEADERS, "Cache-Control": "no-cache"}
    files = page_files()
    html = files.html_offline if request.app.state.engine.loop.provider == OFFLINE else files.html
    return Response(html, media_type="text/html", headers=headers)


@router.get("/page/{version}/{name}")
async def static_file(version: str, name: str) -> Response:
    """A file of the page. While versions meet in a roll-out, another version's file is better than none, but not kept."""
    files = page_files()
    file = files.static.get(name)
    if file is None:
        raise NotFound("there is no such file of the chat page")
    headers = {**SAFETY_HEADERS, "Cache-Control": KEEP_FOR_EVER if version == files.version else "no-store"}
    return Response(file.content, media_type=file.media_type, headers=headers)
