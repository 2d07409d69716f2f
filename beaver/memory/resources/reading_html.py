"""HTML into words, pure: what a reader of the page would see, with headings, lists, tables and code marked as in Markdown."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Final

from beaver.memory.resources.html_nesting import BLOCKS, HEADINGS, OpenElements

UNENDED_MAX: Final = 10_000
"""Characters after a mark that never ends which are read as text."""
_FENCE: Final = "```"
# What stands before the words of an element.
_OPENING: Final = {
    **dict.fromkeys(BLOCKS, "\n\n"),
    **{heading: f"\n\n{'#' * int(heading[1])} " for heading in HEADINGS},
    "li": "\n- ",
    "br": "\n",
    "tr": "",
    "option": "\n",
}
_CELLS: Final = frozenset({"td", "th"})
_NEXT_ROW, _NEXT_CELL = "\x1e", "\x1f"
# Side by side without a space, styles keep them apart.
_APART: Final = frozenset({"a", "button"})


def read_html(markup: str) -> tuple[str, str]:
    """The page's words, and its title: of `<title>`, else of its first heading, else blank. Broken markup is read as it comes."""
    page = _Page()
    page.feed(markup)
    # Python's parser looks for each mark's end in all that follows it, and what is left has one without; browsers drop that too.
    page.rawdata = page.rawdata[:UNENDED_MAX]
    page.close()
    return page.text(), page.title()


class _Page(HTMLParser):
    """Collects words in lines; `pre` keeps its own."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._elements = OpenElements()
        self._pieces: list[str] = []
        self._titles: list[str] = []
        self._heading: list[str] = []
        self._in_title = False
        self._in_heading = False
        self._preformatted = 0
        self._rows = 0
        self._cells = 0
        self._just_ended = ""

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self._elements.begin(tag, dict(attributes))
        if self._elements.hidden:
            return
        self._pieces.append(self._before(tag))
        if tag == "title":
            self._in_title = True
        elif tag in HEADINGS:
            self._in_heading = not self._heading
        elif tag == "pre":
            self._preformatted += 1
            self._pieces.append(f"{_FENCE}\n" if self._preformatted == 1 else "")

    def handle_startendtag(self, tag: str, _attributes: list[tuple[str, str | None]]) -> None:
        # `<script/>` and `<pre/>` hold nothing that could be closed.
        if not self._elements.hidden:
            self._pieces.append(self._before(tag))

    def handle_endtag(self, tag: str) -> None:
        hidden = self._elements.hidden
        self._elements.end(tag)
        if hidden:
            return
        if tag == "pre" and self._preformatted:
            self._preformatted -= 1
            self._pieces.append("" if self._preformatted else f"\n{_FENCE}")
        if tag in HEADINGS or (tag in BLOCKS and tag != "tr"):
            self._pieces.append("\n\n")
        if tag == "title":
            self._in_title = False
        elif tag in HEADINGS:
            self._in_heading = False
        self._just_ended = tag

    def handle_data(self, data: str) -> None:
        if self._elements.hidden:
            return
        self._just_ended = ""
        data = data.replace(_NEXT_ROW, " ").replace(_NEXT_CELL, " ")
        if self._in_title:
            self._titles.append(data)
            return
        self._pieces.append(data if self._preformatted else re.sub(r"\s+", " ", data))
        if self._in_heading:
            self._heading.append(data)

    def _before(self, tag: str) -> str:
        if tag == "table":
            self._rows = 0
        elif tag == "tr":
            self._rows, self._cells = self._rows + 1, 0
            return _NEXT_ROW if self._rows > 1 else ""
        elif tag in _CELLS:
            self._cells += 1
            return _NEXT_CELL if self._cells > 1 else ""
        elif tag in _APART and self._just_ended in _APART:
            return " "
        return _OPENING.get(tag, "")

    def text(self) -> str:
        """The words, with at most one blank line between paragraphs; what is preformatted stands as it was, between fences."""
        if self._preformatted:
            self._pieces.append(f"\n{_FENCE}")
        rows = _joined("".join(self._pieces).split(_NEXT_ROW), "\n")
        return _in_paragraphs(_joined(rows.split(_NEXT_CELL), " | "))

    def title(self) -> str:
        """The page's own name for itself."""
        return " ".join("".join(self._titles).split()) or " ".join("".join(self._heading).split())


def _joined(parts: list[str], between: str) -> str:
    """Whatever stands in a cell, a cell is told in its row."""
    if len(parts) == 1:
        return parts[0]
    first, *middle, last = parts
    return between.join([first.rstrip(), *(part.strip() for part in middle), last.lstrip()])


def _in_paragraphs(text: str) -> str:
    kept: list[str] = []
    fenced = False
    for line in text.split("\n"):
        is_fence = line.strip() == _FENCE
        if is_fence and fenced:
            while not kept[-1]:
                kept.pop()
        told = line.rstrip() if fenced and not is_fence else line.strip()
        if told or fenced or (kept and kept[-1]):
            kept.append(told)
        fenced ^= is_fence
    return "\n".join(kept).strip()
