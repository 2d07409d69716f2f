"""Server-sent events, as chat clients read them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from pydantic import BaseModel

SSE_HEADERS: Final = {"Cache-Control": "no-cache", "X-Accel-Buffering": "no"}
# A listener hears something at least as often, so that no proxy takes a quiet stream for a dead one.
KEEP_ALIVE_S: Final = 15.0
COMMENT: Final = ": keep-alive\n\n"
DONE: Final = "data: [DONE]\n\n"


def sse(data: BaseModel) -> str:
    """One event that holds the JSON of `data`."""
    return f"data: {data.model_dump_json()}\n\n"


def named_sse(name: str, data: BaseModel) -> str:
    """The same with the event's name before it."""
    return f"event: {name}\n{sse(data)}"


def numbered_sse(number: int, name: str, data: Mapping[str, Any]) -> str:
    """One event with an id, from which a client may resume."""
    return f"id: {number}\nevent: {name}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n"
