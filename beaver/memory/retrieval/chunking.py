"""Long texts into passages, pure: spans that end where a reader would pause."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from beaver.memory.retrieval.signature import sign
from beaver.memory.retrieval.words import index_text

PASSAGE_LENGTH_MAX: Final = 1200

PAUSES: Final = (
    re.compile(r"\n\s*\n"),
    re.compile(r"\n"),
    re.compile(r"[.!?…。！？]+[\s\"'”’」』)]*|[;；]\s"),
    re.compile(r"\s+"),
)
"""From the best place to end a passage to the last resort: a paragraph, a line, a sentence, a word."""


@dataclass(frozen=True)
class Span:
    """Characters [start, start + length) of a text."""

    start: int
    length: int


@dataclass(frozen=True)
class IndexedSpan:
    """A span, the words by which it is found, its signature, by which it is ranked, and where in a document it begins."""

    span: Span
    words: str
    signature: bytes
    section: str | None = None
    page: int | None = None


def indexed_spans(text: str, heading: str = "", *, observed_ms: int) -> list[IndexedSpan]:
    """The passages of a text said at a time (UTC epoch ms), each found by the heading's words too.

    Slow for megabytes: not for the event loop.
    """
    return [indexed_span(text, span, heading, observed_ms) for span in passages_of(text)]


def indexed_whole(text: str, *, observed_ms: int) -> IndexedSpan:
    """A text of any length as one passage: an observation, a summary."""
    return indexed_span(text, Span(0, len(text)), "", observed_ms)


def indexed_span(
    text: str, span: Span, heading: str, observed_ms: int, *, section: str | None = None, page: int | None = None
) -> IndexedSpan:
    """One passage, to be found by its words and the heading's."""
    said = text[span.start : span.start + span.length]
    words = index_text(f"{heading}\n{said}" if heading else said)
    return IndexedSpan(span, words, sign(said, observed_ms, words), section, page)


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
    for pause in PAUSES:
        found = [match.end() for match in pause.finditer(text, start + PASSAGE_LENGTH_MAX // 2, end)]
        if found:
            return found[-1]
    return end
