"""Echoes, pure: an assistant's message that repeats word for word what a user had said is not better evidence than its source."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from beaver.memory.retrieval.store import Passage
from beaver.text import has_unspaced

SHARE_MIN: Final = 0.5
"""From here on an echo says nothing beside what it repeats."""
_LENGTH_MIN: Final = 12
_LENGTH_MIN_UNSPACED: Final = 5
"""A shorter sentence is said again by chance."""
_SENTENCE: Final = re.compile(r"[^.!?。！？\n]+[.!?。！？]*")


def echoed_share(echo: Passage, source: Passage) -> float:
    """How much of an assistant's message is sentences of a user's earlier one, in [0, 1]; 0 of any other pair.

    A question that is asked back does not count: its answer may stand beside it.
    """
    is_pair = echo.role == "assistant" and source.role == "user"
    if not is_pair or echo.observed_ms < source.observed_ms:
        return 0.0
    whole = _letters(echo.text)
    repeated = sum(len(sentence) for sentence in _statements(source.text) if sentence in whole)
    return min(1.0, repeated / len(whole)) if whole else 0.0


def _statements(text: str) -> set[str]:
    said = {_letters(sentence) for sentence in _SENTENCE.findall(text) if not sentence.rstrip().endswith(("?", "？"))}
    least = _LENGTH_MIN_UNSPACED if has_unspaced(text) else _LENGTH_MIN
    return {sentence for sentence in said if len(sentence) >= least}


def _letters(text: str) -> str:
    """Letters and digits alone."""
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKC", text).casefold()))
