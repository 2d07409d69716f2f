"""Items and hits as the tests of recall need them."""

from __future__ import annotations

from typing import Any

from beaver.agent.policy.stores import Hit, MemoryItem, Owner

NOW_MS = 1_800_000_000_000
DAY_MS = 86_400_000
OWNER = Owner("acme", "site", "ada", "s-1")


def item(item_id: str = "i-1", text: str = "Ada prefers tabs.", **fields: Any) -> MemoryItem:
    """An item, learned now."""
    given: dict[str, Any] = {
        "type": "preference",
        "scope": "project",
        "tags": (),
        "pinned": False,
        "confidence": 0.8,
        "created_at": NOW_MS,
        "session": "s-0",
        "source": "rules",
        "updated_at": NOW_MS,
        **fields,
    }
    return MemoryItem(id=item_id, text=text, **given)


def hit(item_id: str = "i-1", *, semantic: float | None = None, keyword: float | None = 0.9, **fields: Any) -> Hit:
    """A hit that words found well."""
    return Hit(item(item_id, **fields), semantic, keyword)
