"""What a user took back ("forget that I live in Paris"), pure: what is left of a passage that told it before."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from beaver.memory.retrieval.beside.telling import is_empty, may_be_told, shared, tells
from beaver.memory.retrieval.store import Passage

REPLY_MS_MAX: Final = 600_000
"""What an assistant says within ten minutes of a request is an answer to it, and often says once more what is to be forgotten."""
SHARED_MIN: Final = 0.5
"""A sentence of the very message that something was learned from tells it in other words from this share of its words on."""
_SENTENCE: Final = re.compile(r"[^.!?。！？\n]+[.!?。！？]*\s*")


@dataclass(frozen=True)
class TakenBack:
    """Statements that were taken back at a time (UTC epoch ms), and the messages that they were learned from."""

    statements: tuple[str, ...]
    at_ms: int
    message_ids: frozenset[str]


def without_taken_back(passage: Passage, taken: Sequence[TakenBack], user_id: str) -> Passage | None:
    """The passage without the sentences that tell what the user took back after they were said; None where that leaves nothing.

    A document is the user's own file, another person speaks of themselves, and an observation has been dealt with when it was
    taken back.
    """
    is_others = passage.role == "user" and passage.speaker != user_id
    if not taken or is_others or passage.document_id is not None or passage.observation_id is not None:
        return passage
    left = text_without(
        passage.text, taken, at_ms=passage.observed_ms, role=passage.role, message_id=passage.message_id
    )
    if left == passage.text:
        return passage
    return None if is_empty(left) else replace(passage, text=left)


def text_without(text: str, taken: Sequence[TakenBack], *, at_ms: int, role: str | None, message_id: str | None) -> str:
    """The same of words that were said at a time, in a message or not."""
    late_ms = REPLY_MS_MAX if role == "assistant" else 0
    earlier = [one for one in taken if message_id in one.message_ids or at_ms <= one.at_ms + late_ms]
    told = may_be_told(text, (statement for one in earlier for statement in one.statements))
    gone = _spans(text, lambda sentence: any(tells(sentence, one) for one in told)) if told else []
    learned = [statement for one in earlier if message_id in one.message_ids for statement in one.statements]
    if learned and not gone:
        gone = _spans(text, lambda sentence: any(shared(sentence, one) >= SHARED_MIN for one in learned))
    for start, end in reversed(gone):
        text = text[:start] + text[end:]
    return text.strip() if gone else text


def _spans(text: str, is_told: Callable[[str], bool]) -> list[tuple[int, int]]:
    """Where the sentences stand of which that is so."""
    return [found.span() for found in _SENTENCE.finditer(text) if is_told(found[0])]
