"""A moment that is told of, or a state that passes: a decision, a fix or a rule may still be in it."""

from __future__ import annotations

from typing import Final

from beaver.memory.capture.english.words import one
from beaver.memory.capture.language import Veto

_WHEN: Final = (
    r"^(?:yesterday|last (?:night|week|weekend|month)|this morning|earlier(?: today)?|the other day|"
    r"when (?:i|we) (?:was|were)|back (?:when|then|in)|once (?:i|we|upon)|as a kid|saw|spent|watched|"
    r"just (?:had|got|saw|finished))\b"
)
_NO_LONGER: Final = r"\bused to\b|\b(?:was|were) going to\b|\balmost (?:bought|went|got|did|died)\b"
_HAPPENED: Final = (
    r"\b(?:i|we) (?:just )?(?:had|saw|met|missed|spent|walked|watched|tried|forgot|felt|ate)\b"
    r"(?! (?:a (?:stroke|heart attack|baby|son|daughter)|twins|my (?:gall|append))\w*)"
)
MOMENT: Final = Veto(
    one(_WHEN, _NO_LONGER, _HAPPENED),
    frozenset({"rule", "decision", "fix", "task", "remember"}),
)
