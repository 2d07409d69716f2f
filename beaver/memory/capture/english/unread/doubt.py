"""Doubt: what is said by halves, or in jest."""

from __future__ import annotations

from typing import Final

from beaver.memory.capture.english.words import one

HEDGE: Final = one(
    r"\b(?:maybe|perhaps|possibly|might|probably|not sure|unsure|i guess|i suppose|kind of|sort of|could be|tentatively|"
    r"haven't (?:yet )?(?:decided|made up)|not yet|just kidding|joking|kidding|lol jk|jk|who knows|undecided|"
    r"either way|or something)\b"
)
