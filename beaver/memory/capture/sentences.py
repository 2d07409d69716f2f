"""What a person said in a message, pure: its sentences, without code, quotations, pasted replies or recalled memory."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

SENTENCE_LENGTH_MAX: Final = 400
"""A longer sentence is a pasted text, not something that was said."""
MESSAGE_LENGTH_READ: Final = 20_000
"""Characters of a message that are looked at."""

# Memory as a prompt carries it, ours and other agents': never the user's own words, even where a user message holds it. An
# open fence without its end hides the rest.
_RECALLED: Final = (
    re.compile(r"<<<RECALLED-MEMORY\b.*?(?:RECALLED-MEMORY[^\n>]*>>>|\Z)", re.S),
    re.compile(
        r"<(?P<tag>[\w-]*(?:memor(?:y|ies)|recall(?:ed)?|context|reference)[\w-]*)\b[^>]*>.*?(?:</(?P=tag)>|\Z)",
        re.S | re.I,
    ),
    re.compile(
        r"^\W{0,4}(?:reference data|recalled memor(?:y|ies)|relevant memor(?:y|ies)|memory index|"
        r"相关记忆|参考记忆)\b.*?(?:\n\s*\n|\Z)",
        re.S | re.I | re.M,
    ),
)
_CODE: Final = re.compile(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)", re.S)
_QUOTED_LINE: Final = re.compile(r"^[^\S\n]*+(?:>|\|).*$", re.M)
_ITEM_MARK: Final = re.compile(r"^\s*(?:[-*•]|\d{1,2}[.)])\s+")
# A point ends a sentence before a space only: `3.11` and `app.py` hold together.
_END: Final = re.compile(r"(?<=[。！？])\s*|(?<=[.!?;…])\s+|[；\n]+")
_ABBREVIATED: Final = re.compile(r"(?:\b(?:Mr|Mrs|Ms|Dr|Prof|St|vs|etc|e\.g|i\.e|No|Inc|Ltd|approx)|\b[A-Z])\.$")
_QUOTATION: Final = re.compile(
    r"\"[^\"\n]*\"|“[^”\n]*”|「[^」\n]*」|『[^』\n]*』|«[^»\n]*»|`[^`\n]*`|(?<!\w)'[^'\n]{3,}'(?!\w)"
)
_ABBREVIATION_READ: Final = 16
"""Characters at a text's end that say whether it ends in an abbreviation."""
_HIDDEN: Final = "\ufffc"


@dataclass(frozen=True)
class Sentence:
    """A sentence as it was said, and the same with quotations blotted out, character for character: a rule looks for its
    words in `plain`, since what is quoted is somebody else's, and takes them from `text`."""

    text: str
    plain: str


def sentences_of(message: str) -> list[Sentence]:
    """The sentences of a message that its speaker said in their own words, in order."""
    own = _own_words(message[:MESSAGE_LENGTH_READ])
    return [_sentence(text) for text in _split(own) if len(text) <= SENTENCE_LENGTH_MAX]


def without_recalled(message: str) -> str:
    """The message without blocks of recalled memory."""
    for block in _RECALLED:
        message = block.sub("\n", message)
    return message


def _own_words(message: str) -> str:
    return _QUOTED_LINE.sub("\n", _CODE.sub("\n", without_recalled(message)))


def _split(text: str) -> Iterator[str]:
    held = ""
    for part in _END.split(text):
        held = f"{held} {part}" if held else part
        if not _ABBREVIATED.search(held.rstrip()[-_ABBREVIATION_READ:]):
            yield from _clean(held)
            held = ""
    yield from _clean(held)


def _clean(part: str) -> Iterator[str]:
    text = " ".join(_ITEM_MARK.sub("", part).split())
    if text:
        yield text


def _sentence(text: str) -> Sentence:
    return Sentence(text, _QUOTATION.sub(lambda quoted: _HIDDEN * len(quoted[0]), text).replace("’", "'"))
