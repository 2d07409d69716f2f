"""Corrections that name what they put right, pure: `… is Felix, not Max`, `SQLite instead of PostgreSQL for the shop`."""

from __future__ import annotations

import re
from typing import Final

from beaver.memory.observations.entries import Said, folded
from beaver.memory.observations.words import spoken_words
from beaver.text import has_unspaced

_LEFT: Final = re.compile(
    r"^(?P<before>.*?\w)(?:, (?:and )?(?:not|no longer)|,? (?:instead of|rather than))(?: just| only| any ?more)? "
    r"(?P<left>[^,.;]{1,40}?)(?P<after>(?: (?:in|for|when|at|on|with|during|as|before|after)\b.*)?)(?: any ?more)?$"
)
_CHINESE_LEFT: Final = re.compile(r"^(?P<before>.*?是.+?)[,，]\s?(?:而)?不是(?P<left>[^,，。;；]{1,20})(?P<after>)$")
_COPULAS: Final = frozenset("是叫为")
_END_MARKS: Final = ".!\u3002 "


def puts_right(new: Said, statement: str) -> bool:
    """Whether something new says that a statement is wrong: it leaves a part of that by name, and says all the rest of it."""
    held = _plain(statement)
    return any(_puts_right(_plain(said), held) for said in (new.title, *new.facts))


def _puts_right(said: str, statement: str) -> bool:
    found = _LEFT.match(said) or _CHINESE_LEFT.match(said)
    if found is None:
        return False
    held, left, right = map(_words, (statement, found["left"], f"{found['before']} {found['after']}"))
    return bool(left) and left <= held and held - left <= right and not right <= held


def _words(text: str) -> set[str]:
    """Without spaces between words, their characters: pairs of them would join what is left to what stays."""
    return {one for one in text if one.isalnum()} - _COPULAS if has_unspaced(text) else set(spoken_words(text))


def _plain(statement: str) -> str:
    return folded(statement).replace("\u2019", "'").rstrip(_END_MARKS)
