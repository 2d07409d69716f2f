"""HTML into words, pure: what a reader of the page would see, headings and list items marked as in Markdown."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Final

UNENDED_MAX: Final = 10_000
"""Characters after a mark that never ends which are read as text."""
_UNSEEN: Final = frozenset({"script", "style", "template", "noscript", "svg", "math", "iframe", "object"})
# fmt: off
_BLOCKS: Final = frozenset({
    "address", "article", "aside", "blockquote", "body", "dd", "details", "dialog", "div", "dl", "dt", "fieldset",
    "figcaption", "figure", "footer", "form", "header", "hr", "html", "legend", "main", "nav", "ol", "p", "pre",
    "section", "summary", "table", "tbody", "tfoot", "thead", "tr", "ul",
})
# fmt: on
_HEADINGS: Final = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
# What stands before the words of an element.
_OPENING: Final = {
    **dict.fromkeys(_BLOCKS, "\n\n"),
    **{heading: f"\n\n{'#' * int(heading[1])} " for heading in _HEADINGS},
    "li": "\n- ",
    "br": "\n",
    "td": " ",
    "th": " ",
}


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
        self._pieces: list[str] = []
        self._titles: list[str] = []
        self._heading: list[str] = []
        self._unseen: list[str] = []
        self._in_title = False
        self._in_heading = False
        self._preformatted = 0

    def handle_starttag(self, tag: str, _attributes: list[tuple[str, str | None]]) -> None:
        self._pieces.append(_OPENING.get(tag, ""))
        if tag in _UNSEEN:
            self._unseen.append(tag)
        elif tag == "title":
            self._in_title = not self._unseen  # a drawing's title is not the page's
        elif tag in _HEADINGS:
            self._in_heading = not self._heading
        elif tag == "pre":
            self._preformatted += 1

    def handle_startendtag(self, tag: str, _attributes: list[tuple[str, str | None]]) -> None:
        # `<script/>` and `<pre/>` hold nothing that could be closed.
        self._pieces.append(_OPENING.get(tag, ""))

    def handle_endtag(self, tag: str) -> None:
        if tag in _HEADINGS or tag in _BLOCKS:
            self._pieces.append("\n\n")
        if tag in self._unseen:
            del self._unseen[self._unseen.index(tag) :]
        elif tag == "title":
            self._in_title = False
        elif tag in _HEADINGS:
            self._in_heading = False
        elif tag == "pre":
            self._preformatted = max(0, self._preformatted - 1)

    def handle_data(self, data: str) -> None:
        if self._in_title:
            self._titles.append(data)
            return
        if self._unseen:
            return
        self._pieces.append(data if self._preformatted else re.sub(r"\s+", " ", data))
        if self._in_heading:
            self._heading.append(data)

    def text(self) -> str:
        """The words, with at most one blank line between paragraphs."""
        lines = [line.rstrip() for line in "".join(self._pieces).split("\n")]
        joined = "\n".join(line if line.startswith("  ") else line.lstrip() for line in lines)
        return re.sub(r"\n{3,}", "\n\n", joined).strip()

    def title(self) -> str:
        """The page's own name for itself."""
        return " ".join("".join(self._titles).split()) or " ".join("".join(self._heading).split())
