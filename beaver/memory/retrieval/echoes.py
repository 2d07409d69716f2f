"""Echoes, pure: a message or a summary that repeats word for word what somebody had said is not better evidence than that."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
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
    whole = letters(echo.text)
    repeated = sum(len(sentence) for sentence in _statements(source.text) if sentence in whole)
    return min(1.0, repeated / len(whole)) if whole else 0.0


def quoted_share(summary: Passage, sources: Iterable[Passage]) -> float:
    """How much of a session's summary these passages say together, in [0, 1]."""
    quoted = set[str]().union(*(quoted_lines(summary, source) for source in sources))
    return sum(map(len, quoted)) / max(1, len(letters(summary.text)))


def quoted_lines(summary: Passage, source: Passage) -> set[str]:
    """The lines of a session's summary, letters and digits alone, that another passage of the session holds."""
    if source is summary or source.conversation_id is None or source.conversation_id != summary.conversation_id:
        return set()
    whole = letters(source.text)
    return {line for line in map(letters, summary.text.splitlines()) if line and line in whole}


def _statements(text: str) -> set[str]:
    said = set(map(letters, sentences(text)))
    least = _LENGTH_MIN_UNSPACED if has_unspaced(text) else _LENGTH_MIN
    return {sentence for sentence in said if len(sentence) >= least}


def sentences(text: str) -> list[str]:
    """The sentences of a text that state something."""
    return [sentence for sentence in _SENTENCE.findall(text) if not sentence.rstrip().endswith(("?", "？"))]


def letters(text: str) -> str:
    """Letters and digits alone."""
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKC", text).casefold()))
