"""How many tokens a text may come to: a rule of thumb by script, close enough to bound a prompt and free of downloads."""

from __future__ import annotations

import math
from typing import Final

from beaver.text import count_unspaced

CHARACTERS_PER_TOKEN: Final = 4.0
CHARACTERS_PER_TOKEN_UNSPACED: Final = 1.3
_MESSAGE_OVERHEAD_TOKENS: Final = 4


def estimate_tokens(text: str) -> int:
    """Estimated tokens, rounded up: 4 characters each, or 1.3 in scripts written without spaces."""
    if text.isascii():
        return math.ceil(len(text) / CHARACTERS_PER_TOKEN)
    unspaced = count_unspaced(text)
    return math.ceil((len(text) - unspaced) / CHARACTERS_PER_TOKEN + unspaced / CHARACTERS_PER_TOKEN_UNSPACED)


def message_tokens(text: str) -> int:
    """Estimated tokens of a message that is a text alone."""
    return _MESSAGE_OVERHEAD_TOKENS + estimate_tokens(text)
