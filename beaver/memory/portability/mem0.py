"""What mem0 holds, pure: memories as its get_all and its export answer them, a page or all of them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from beaver.memory.portability.items import Item, check_owner, list_of, object_of, observation_of, text_of, time_of

_DAY: Final = re.compile(r"\d{4}-\d\d-\d\d")


def mem0(value: Any, user_id: str) -> list[Item]:
    """The items of one memory, or of an answer that holds some."""
    memory = object_of(value)
    if "memory" not in memory and "results" in memory:
        return [item for one in list_of(memory, "results") for item in mem0(one, user_id)]
    check_owner(memory, user_id)
    learned = memory.get("updated_at") or memory.get("created_at")
    tags = tuple(one for one in list_of(memory, "categories") if isinstance(one, str))
    said = text_of(memory, "memory")
    return [observation_of(said, "event", at=learned, field="created_at", tags=tags, expires_ms=_expires_ms(memory))]


def _expires_ms(memory: Mapping[str, Any]) -> int | None:
    """A day is over at its end in UTC."""
    told = memory.get("expiration_date")
    if told is None:
        return None
    if isinstance(told, str) and _DAY.fullmatch(told):
        told = (datetime.fromisoformat(told).replace(tzinfo=UTC) + timedelta(days=1)).isoformat()
    return time_of(told, "expiration_date")
