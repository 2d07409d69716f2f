"""Which elements of a page stand open, pure, and whether one of them hides what is in it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from typing import Final

_UNSEEN: Final = frozenset(
    {"script", "style", "template", "noscript", "noframes", "svg", "math", "iframe", "object", "datalist"}
)
_HIDING_STYLE: Final = re.compile(
    r"display:none|visibility:(?:hidden|collapse)|font-size:0(?![.\d])|opacity:0(?![.\d])"
)
# fmt: off
VOID: Final = frozenset({
    "area", "base", "br", "col", "embed", "frame", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr",
})
BLOCKS: Final = frozenset({
    "address", "article", "aside", "blockquote", "body", "caption", "dd", "details", "dialog", "div", "dl", "dt", "fieldset",
    "figcaption", "figure", "footer", "form", "header", "hr", "html", "legend", "main", "nav", "ol", "p", "pre",
    "section", "summary", "table", "tbody", "tfoot", "thead", "tr", "ul",
})
# fmt: on
HEADINGS: Final = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
# Elements that need no end: what begins after them ends them.
_ENDED_BY: Final[Mapping[str, frozenset[str]]] = {
    "p": BLOCKS | HEADINGS,
    "li": frozenset({"li"}),
    "dt": frozenset({"dt", "dd"}),
    "dd": frozenset({"dt", "dd"}),
    "tr": frozenset({"tr", "tbody", "tfoot", "thead"}),
    "td": frozenset({"td", "th", "tr", "tbody", "tfoot", "thead"}),
    "th": frozenset({"td", "th", "tr", "tbody", "tfoot", "thead"}),
    "option": frozenset({"option", "optgroup"}),
}


class OpenElements:
    """The open elements, outermost first. Every step takes as long as there are elements that it opens or ends."""

    def __init__(self) -> None:
        self._open: list[tuple[str, bool]] = []
        self._count: Counter[str] = Counter()
        self._hiding = 0

    @property
    def hidden(self) -> bool:
        """Whether no reader of the page sees what comes now."""
        return self._hiding > 0

    def begin(self, tag: str, attributes: Mapping[str, str | None]) -> None:
        """An element begins; what it ends is ended."""
        while self._open and tag in _ENDED_BY.get(self._open[-1][0], ()):
            self._drop()
        if tag in VOID:
            return
        hides = tag in _UNSEEN or _hides(tag, attributes)
        self._open.append((tag, hides))
        self._count[tag] += 1
        self._hiding += hides

    def end(self, tag: str) -> None:
        """An element ends, and all that was begun in it; nothing where none is open."""
        if not self._count[tag]:
            return
        while self._drop() != tag:
            pass

    def _drop(self) -> str:
        tag, hides = self._open.pop()
        self._count[tag] -= 1
        self._hiding -= hides
        return tag


def _hides(tag: str, attributes: Mapping[str, str | None]) -> bool:
    """By what stands in the element itself: a page's style sheets are not read."""
    if tag == "dialog" and "open" not in attributes:
        return True
    if "hidden" in attributes and (attributes["hidden"] or "").lower() != "until-found":
        return True
    style = attributes.get("style")
    return style is not None and _HIDING_STYLE.search("".join(style.lower().split())) is not None
