"""Which elements of a page stand open, pure, and whether one of them hides what is in it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

_UNSEEN: Final = frozenset(
    {"script", "style", "template", "noscript", "noframes", "svg", "math", "iframe", "object", "datalist"}
)
_WHOLE_PAGE: Final = frozenset({"html", "body", "main"})
_HIDING_STYLE: Final = re.compile(r"display:none|(?<![\w-])opacity:0(?![.\d])")
_SIZE: Final = re.compile(r"font-size:([^;!]+)")
_ZERO: Final = re.compile(r"0(?:\.0+)?(?:[a-z]+|%)?")
_SIGHT: Final = re.compile(r"visibility:(hidden|collapse|visible)")
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


@dataclass(frozen=True)
class _Element:
    """An open element. `hides`: with all that is in it; `tiny`, `invisible`: as long as nothing in it says otherwise."""

    tag: str
    hides: bool
    tiny: bool = False
    invisible: bool = False


class OpenElements:
    """The open elements, outermost first. Every step takes as long as there are elements that it opens or ends."""

    def __init__(self) -> None:
        self._open: list[_Element] = []
        self._count: Counter[str] = Counter()
        self._hiding = 0

    @property
    def hidden(self) -> bool:
        """Whether no reader of the page sees what comes now."""
        return self._hiding > 0 or (bool(self._open) and (self._open[-1].tiny or self._open[-1].invisible))

    def begin(self, tag: str, attributes: Mapping[str, str | None]) -> None:
        """An element begins; what it ends is ended."""
        while self._open and tag in _ENDED_BY.get(self._open[-1].tag, ()):
            self._drop()
        if tag in VOID:
            return
        element = _element(tag, attributes, self._open[-1] if self._open else None)
        self._open.append(element)
        self._count[tag] += 1
        self._hiding += element.hides

    def end(self, tag: str) -> None:
        """An element ends, and all that was begun in it; nothing where none is open."""
        if not self._count[tag]:
            return
        while self._drop() != tag:
            pass

    def _drop(self) -> str:
        element = self._open.pop()
        self._count[element.tag] -= 1
        self._hiding -= element.hides
        return element.tag


def _element(tag: str, attributes: Mapping[str, str | None], around: _Element | None) -> _Element:
    """By what stands in the element itself: a page's style sheets are not read. What hides the page as a whole is taken away
    again by a script, once it is drawn.
    """
    if tag in _WHOLE_PAGE:
        return _Element(tag, hides=False)
    style = "".join((attributes.get("style") or "").lower().split())
    size, sight = _SIZE.search(style), _SIGHT.search(style)
    return _Element(
        tag,
        hides=tag in _UNSEEN or _is_hidden(tag, attributes) or _HIDING_STYLE.search(style) is not None,
        tiny=_ZERO.fullmatch(size[1]) is not None if size else around is not None and around.tiny,
        invisible=sight[1] != "visible" if sight else around is not None and around.invisible,
    )


def _is_hidden(tag: str, attributes: Mapping[str, str | None]) -> bool:
    if tag == "dialog" and "open" not in attributes:
        return True
    return "hidden" in attributes and (attributes["hidden"] or "").lower() != "until-found"
