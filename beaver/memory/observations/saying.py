"""Whether two statements say the same, or one that the other's time is over, pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from beaver.memory.observations.attributes import Attribute, stated_in
from beaver.memory.observations.words import likeness, spoken_words
from beaver.memory.retrieval.beside.telling import tells

ALIKE_MIN: Final = 0.8
"""A statement that another says more than is the same from this likeness on."""
_NO_LONGER: Final = re.compile(
    r"^(?P<who>.*?\b(?:i|we|user))(?P<be>(?:'m| am|'re| are| is)?) no longer (?P<what>.+)$", re.I
)
_ANY_MORE: Final = re.compile(
    r"^(?P<who>.*?\b(?:i|we|user))(?P<be>) (?:don't|do not|doesn't|does not) (?P<what>.+?) any ?more\b", re.I
)
_PARTED: Final = re.compile(
    r"^.*?\b(?:i|we|user)\b.*?\b(?:sold|gave away|got rid of) (?:my|our|the|their) (?P<what>[\w-]+(?: [\w-]+){0,2}?)"
    r"(?= (?:last|this|on|in|for|to|yesterday|today|because|and|since)\b|[,.;!]|$)",
    re.I,
)
_GIVEN_UP: Final = re.compile(
    r"^.*?\b(?:i|we|user)\b.*?\b(?:gave up|given up|quit|stopped) (?P<what>\w+ing\b(?: [\w-]+)?)"
    r"(?= (?:last|this|on|in|for|because|and|since|at|ago|\d)\b|[,.;!]|$)",
    re.I,
)
_GONE: Final = re.compile(
    r"^(?:I|We) (?:no longer have|don't have|had to give away) (?P<name>[A-Z]\w+)(?: any ?more)?\W*$"
)
_HAVING: Final = ("have", "have a", "have an", "own", "own a", "drive", "drive a", "bought a", "got a")


def says_same(one: str, other: str) -> bool:
    """Whether `other` says what `one` does, and perhaps more; or both give one attribute the same value."""
    if tells(other, one):
        return True
    if tells(one, other) and likeness(spoken_words(one), spoken_words(other)) >= ALIKE_MIN:
        return True
    return any(_is_same(mine, theirs) for mine in stated_in(one) for theirs in stated_in(other))


def ends(new: str, statement: str) -> bool:
    """Whether something new says that what a statement says is over: `I no longer live in Paris`, `I sold the Volvo`."""
    said = new.replace("\u2019", "'")
    return any(says_same(over, statement) for over in _over(said)) or _is_gone(said, statement)


def is_ending(new: str) -> bool:
    """Whether a statement says of anything that it is over."""
    return next(_over(new.replace("\u2019", "'")), None) is not None


def _over(new: str) -> Iterator[str]:
    for pattern in (_NO_LONGER, _ANY_MORE):
        if found := pattern.match(new):
            yield f"{found['who']}{found['be']} {found['what']}".strip(".! ")
    if found := _PARTED.match(new):
        yield from (f"I {having} {found['what'].strip()}" for having in _HAVING)
    if found := _GIVEN_UP.match(new):
        yield f"I {found['what'].strip()}"


def _is_gone(new: str, statement: str) -> bool:
    """Whether somebody whom a statement names is not there any more: `We no longer have Biscuit`."""
    gone = _GONE.match(new)
    if gone is None:
        return False
    named = rf"\b(?:called|named|name is|of [\w ]+:) {re.escape(gone['name'])}\b"
    return re.search(named, statement) is not None


def _is_same(one: Attribute, other: Attribute) -> bool:
    return (one.subject, one.name) == (other.subject, other.name) and not one.is_other_than(other)
