"""A document into passages, pure: each within one section and on one page, and with their names."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from beaver.memory.resources.outline import Block, Heading, Outline, outline_of
from beaver.memory.retrieval.chunking import PASSAGE_LENGTH_MAX, PAUSES, IndexedSpan, Span, indexed_span

NEXT_PAGE: Final = "\f"
"""Stands between two pages of a document that has any."""
SECTION_LENGTH_MAX: Final = 300
_LENGTH_MIN: Final = 200
"""A block that fits into one passage is moved to the next only where so much stays."""
_DEEPER: Final = " › "


@dataclass(frozen=True)
class _Section:
    """Characters [start, end) under one heading; `name`: those above it too, without the document's title; blank without any."""

    start: int
    end: int
    name: str


def document_passages(text: str, title: str, *, observed_ms: int) -> list[IndexedSpan]:
    """The passages of a document stored at a time (UTC epoch ms), each found by its title's and its headings' words too.

    Slow for megabytes: not for the event loop.
    """
    outline = outline_of(text)
    pages = text.count(NEXT_PAGE)
    page, counted = 1, 0
    found: list[IndexedSpan] = []
    for section in _sections(text, outline.headings, title):
        for span in _spans(text, section, outline):
            said = text[span.start : span.start + span.length]
            if not said.strip():
                continue
            begins = span.start + len(said) - len(said.lstrip())
            page, counted = page + text.count(NEXT_PAGE, counted, begins), begins
            found.append(
                indexed_span(
                    text,
                    span,
                    "\n".join(filter(None, (title, section.name))),
                    observed_ms,
                    section=section.name or None,
                    page=page if pages else None,
                )
            )
    return found


def silent_pages(text: str) -> list[int]:
    """The numbers of a document's pages without words."""
    return [number for number, page in enumerate(text.split(NEXT_PAGE), start=1) if not page.strip()]


def _sections(text: str, headings: Sequence[Heading], title: str) -> Iterator[_Section]:
    """Headings without words between them begin one section."""
    begins, name, path = 0, "", list[Heading]()
    for heading in headings:
        if text[begins : heading.start].strip() and not _is_heading_alone(text, path, begins, heading):
            yield _Section(begins, heading.start, name)
            begins = heading.start
        path = [*(above for above in path if above.level < heading.level), heading]
        name = _name(path, title)
    yield _Section(begins, len(text), name)


def _is_heading_alone(text: str, path: Sequence[Heading], begins: int, heading: Heading) -> bool:
    """Whether nothing but headings stands since the section began."""
    return bool(path) and begins <= path[-1].start and not text[path[-1].end : heading.start].strip()


def _name(path: Sequence[Heading], title: str) -> str:
    names = [heading.title for heading in path]
    told = names[1:] if names[0] == title else names
    return _DEEPER.join(told)[:SECTION_LENGTH_MAX]


def _spans(text: str, section: _Section, outline: Outline) -> Iterator[Span]:
    for start, end in _pages(text, section):
        while end - start > PASSAGE_LENGTH_MAX:
            pause = _pause(text, start, outline.blocks)
            yield Span(start, pause - start)
            start = pause
        yield Span(start, end - start)


def _pages(text: str, section: _Section) -> Iterator[tuple[int, int]]:
    """What of a section stands on each page: who is told a page finds the words there."""
    start = section.start
    while (parted := text.find(NEXT_PAGE, start, section.end)) >= 0:
        yield start, parted + 1
        start = parted + 1
    yield start, section.end


def _pause(text: str, start: int, blocks: Sequence[Block]) -> int:
    """Where the passage from `start` ends: outside of blocks that fit into a passage, as far as that can be."""
    end = start + PASSAGE_LENGTH_MAX
    begin = start + PASSAGE_LENGTH_MAX // 2
    every: list[int] = []
    for pause in PAUSES:
        found = [match.end() for match in pause.finditer(text, begin, end)]
        every = every or found
        whole = [place for place in found if (around := _block_at(blocks, place)) is None or not _fits(around)]
        if whole:
            return whole[-1]
    torn = _block_at(blocks, end)
    if torn is not None and _fits(torn) and torn.start >= start + _LENGTH_MIN:
        return torn.start
    return every[-1] if every else end


def _fits(block: Block) -> bool:
    return block.end - block.start <= PASSAGE_LENGTH_MAX


def _block_at(blocks: Sequence[Block], place: int) -> Block | None:
    """The block that a cut at this place would tear."""
    at = bisect_right(blocks, place, key=lambda block: block.start) - 1
    return blocks[at] if at >= 0 and blocks[at].start < place < blocks[at].end else None
