"""A document's outline, pure: its headings as Markdown marks them, and the blocks that are not to be torn apart."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

FRONT_MATTER_LENGTH_MAX: Final = 10_000
TICKS_WITHIN: Final = 2_000
"""Characters of a line in which a tick before a comment is looked for."""
_HEADING: Final = re.compile(r" {0,3}(#{1,6})[ \t]++(\S.*)")
_UNDERLINE: Final = re.compile(r"(?:={3,}|-{3,})[ \t]*")
_FENCE: Final = re.compile(r" {0,3}(`{3,}|~{3,})")
_NO_PARAGRAPH: Final = re.compile(r"\s*(?:[-*+>|#=]|\d{1,9}[.)]\s|`{3}|~{3})")
_COMMENT, _COMMENT_ENDS = "<!--", "-->"
_NAMED: Final = re.compile(r"title:[ \t]++(.+)", re.IGNORECASE)


@dataclass(frozen=True)
class Heading:
    """A heading whose line, or first of two, begins at `start` and whose words are over at `end` (characters)."""

    start: int
    end: int
    level: int
    title: str


@dataclass(frozen=True)
class Block:
    """Characters [start, end): code between fences, a table, the matter in front of a text."""

    start: int
    end: int


@dataclass
class Outline:
    """In the order of the text."""

    headings: list[Heading] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)


@dataclass(frozen=True)
class _Line:
    start: int
    end: int
    text: str


def outline_of(text: str) -> Outline:
    """The headings of a text outside of its code, and its blocks."""
    outline = Outline()
    front = _front_matter_end(text)
    if front:
        outline.blocks.append(Block(0, front))
    fence: tuple[str, int] | None = None
    table: int | None = None
    before: list[str] = ["", ""]
    for line in _lines(text, front):
        opened = _FENCE.match(line.text)
        if fence is not None:
            if opened and opened[1].startswith(fence[0]) and not line.text[opened.end() :].strip():
                outline.blocks.append(Block(fence[1], line.end))
                fence = None
            continue
        is_row = line.text.lstrip().startswith("|")
        if table is not None and not is_row:
            outline.blocks.append(Block(table, line.start))
        table = (line.start if table is None else table) if is_row else None
        if opened:
            fence = opened[1], line.start
        elif (heading := _heading(line, before)) is not None:
            outline.headings.append(heading)
        before = [before[1], "" if opened else line.text]
    if table is not None:
        outline.blocks.append(Block(table, len(text)))
    return outline


def title_of(text: str) -> str:
    """What a Markdown text calls itself: the title of its front matter, else its first heading, else blank."""
    for line in _lines(text[: _front_matter_end(text)], 0):
        named = _NAMED.match(line.text)
        if named:
            return named[1].strip(" \t\"'")
    first = next(iter(outline_of(text).headings), None)
    return first.title if first else ""


def without_comments(text: str) -> str:
    """A Markdown text without its comments, which nobody sees who reads it rendered; those within code are shown."""
    blocks = outline_of(text).blocks
    kept, start, end, found = list[str](), 0, 0, text.find(_COMMENT)
    while found >= 0:
        end = text.find(_COMMENT_ENDS, found) if 0 <= end < found + len(_COMMENT) else end
        if end < 0:
            break
        after = found + len(_COMMENT)
        if not _is_code(text, blocks, found):
            kept.append(text[start:found])
            start = after = end + len(_COMMENT_ENDS)
        found = text.find(_COMMENT, after)
    return "".join([*kept, text[start:]])


def _is_code(text: str, blocks: Sequence[Block], place: int) -> bool:
    """Whether it stands in a block that is no table, or in its line after a tick that is not closed."""
    at = bisect_right(blocks, place, key=lambda block: block.start) - 1
    if at >= 0 and place < blocks[at].end and not text.startswith("|", blocks[at].start):
        return True
    near = max(0, place - TICKS_WITHIN)
    return text.count("`", max(near, text.rfind("\n", near, place) + 1), place) % 2 == 1


def _heading(line: _Line, before: list[str]) -> Heading | None:
    marked = _HEADING.fullmatch(line.text)
    if marked:
        title = _without_closing(marked[2])
        return Heading(line.start, line.end, len(marked[1]), title) if title else None
    two_lines = _UNDERLINE.fullmatch(line.text) and before[1].strip() and not before[0].strip()
    if not two_lines or _NO_PARAGRAPH.match(before[1]):
        return None
    return Heading(line.start - len(before[1]) - 1, line.end, 1 if line.text.startswith("=") else 2, before[1].strip())


def _without_closing(title: str) -> str:
    """Marks at the end close a heading where a space parts them from it: `## Plan ##`, not `## C#`."""
    title = title.rstrip(" \t")
    bare = title.rstrip("#")
    return bare.rstrip(" \t") if not bare or bare[-1] in " \t" else title


def _front_matter_end(text: str) -> int:
    """Where the matter in front of the text is over, 0 where there is none."""
    if not text.startswith("---\n"):
        return 0
    for line in _lines(text[:FRONT_MATTER_LENGTH_MAX], 4):
        if line.text.rstrip() in ("---", "..."):
            return line.end
    return 0


def _lines(text: str, start: int) -> Iterator[_Line]:
    while start < len(text):
        end = text.find("\n", start)
        end = len(text) if end < 0 else end + 1
        yield _Line(start, end, text[start:end].rstrip("\n"))
        start = end
