"""Server-sent events, as chat clients read them."""

from __future__ import annotations

from typing import Final

from pydantic import BaseModel

SSE_HEADERS: Final = {"Cache-Control": "no-cache", "X-Accel-Buffering": "no"}
COMMENT: Final = ": keep-alive\n\n"
DONE: Final = "data: [DONE]\n\n"


def sse(data: BaseModel) -> str:
    """One event that holds the JSON of `data`."""
    return f"data: {data.model_dump_json()}\n\n"
