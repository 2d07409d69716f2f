"""Makes values fit both databases: no lone surrogate, no NUL, no number that JSON lacks."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from beaver.text import replace_surrogates


def storable_text(text: str) -> str:
    """The text with lone surrogates and NUL (which PostgreSQL refuses) replaced by U+FFFD."""
    return replace_surrogates(text).replace("\0", "\ufffd")


def storable_json(value: Any) -> Any:
    """The same for every string inside a JSON-like value, keys too; NaN and the infinities become null."""
    match value:
        case str():
            return storable_text(value)
        case Mapping():
            return {storable_text(str(key)): storable_json(item) for key, item in value.items()}
        case list() | tuple():
            return [storable_json(item) for item in value]
        case float() if not math.isfinite(value):
            return None
        case _:
            return value
