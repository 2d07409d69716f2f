"""Text as every database can hold it."""

from __future__ import annotations

from beaver.text import replace_surrogates


def storable(text: str) -> str:
    """The text with NUL characters and lone surrogates replaced by U+FFFD: no database stores these faithfully."""
    return replace_surrogates(text).replace("\x00", "\ufffd")
