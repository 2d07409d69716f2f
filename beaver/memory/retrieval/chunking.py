"""Long texts into passages, pure: spans that end where a reader would pause."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from beaver.memory.retrieval.words import index_text

PASSAGE_LENGTH_MAX: Final = 1200

# From the best place to end a passage to the last resort: a paragraph, a line, a sentence, a word.
_PAUSES: Final = (
    re.compile(r"\n\s*\n"),
    re.compile(r"\n"),
    re.compile(r"[.!?…。！？]+[\s\"'”’」』)]*|[;；]\s"),
    re.compile(r"\s+"),
)


@dataclass(frozen=True)
class Span:
    """Characters [start, start + length) of a text."""

    start: int
    length: int


@dataclass(frozen=True)
class IndexedSpan:
    """A span and the words by which it is found."""

    span: Span
    words: str


def indexed_spans(text: str, heading: str = "") -> list[IndexedSpan]:
    """The passages of a text, each found by the heading's words too. Slow for megabytes: not for the event loop."""
    prefix = f"{heading}\n" if heading else ""
    return [
        IndexedSpan(span, index_text(prefix + text[span.start : span.start + span.length]))
        for span in passages_of(text)
    ]


def passages_of(text: str) -> list[Span]:
    """Spans of at most 1,200 characters that cover the text in order; a short text is one span."""
    return list(_spans(text))


def _spans(text: str) -> Iterator[Span]:
    start = 0
    while len(text) - start > PASSAGE_LENGTH_MAX:
        end = _pause(text, start)
        yield Span(start, end - start)
        start = end
    if start < len(text):
        yield Span(start, len(text) - start)


def _pause(text: str, start: int) -> int:
    """Where the passage from `start` ends: the last pause in its second half, else its full length."""
    end = start + PASSAGE_LENGTH_MAX
    for pause in _PAUSES:
        found = [match.end() for match in pause.finditer(text, start + PASSAGE_LENGTH_MAX // 2, end)]
        if found:
            return found[-1]
    return end
