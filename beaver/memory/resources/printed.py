"""What was set for printing as somebody wrote it, pure: joined letters apart, words that a line's end parted whole again."""

from __future__ import annotations

import re
from typing import Final

# Latin ligatures, U+FB00 to U+FB06.
_LIGATURES: Final = str.maketrans(dict(zip("ﬀﬁﬂﬃﬄﬅﬆ", ("ff", "fi", "fl", "ffi", "ffl", "st", "st"), strict=True)))
_PARTED_WORD: Final = re.compile(
    r"([^\W\d_]{2,40})([-\u2010\u00ad])\n[ \t]{0,8}([^\W\d_]{2,40}+)(?![-\u2010\u00ad]\n)([^\s\w\-\u2010\u00ad]{0,3})[ \t\n]?"
)
# What follows a hyphen that stands for a word to come: `Vor- und Nachteile`, `pre- and postwar`.
_JOINING: Final = frozenset({"and", "or", "to", "und", "oder", "bis", "sowie", "et", "ou", "en", "of", "y", "o", "e"})
_HYPHENATED: Final = re.compile(r"\b[^\W\d_]{2,40}-[^\W\d_]{2,40}\b")


def as_written(text: str) -> str:
    """The text of printed pages. A hyphen at a line's end stays where the text has that word with a hyphen elsewhere too."""
    text = text.translate(_LIGATURES)
    if "-\n" not in text and "\u2010\n" not in text and "\u00ad\n" not in text:
        return text
    hyphenated = {found.casefold() for found in _HYPHENATED.findall(text)}
    return _PARTED_WORD.sub(lambda found: _whole(found, hyphenated), text)


def _whole(found: re.Match[str], hyphenated: set[str]) -> str:
    """The word on the line that it began on. One that goes on in capitals is two: `Anglo-\\nSaxon`."""
    first, mark, second, after = found.groups()
    if not second[0].islower() or second in _JOINING:
        return found[0]
    kept = mark != "\u00ad" and f"{first}-{second}".casefold() in hyphenated
    return f"{first}{'-' if kept else ''}{second}{after}\n"
