"""What a question asks for besides its words, pure: who, when, and in which script."""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from dataclasses import dataclass
from typing import Final

from beaver.memory.retrieval.dates import Days, date_of, named_days
from beaver.memory.retrieval.index.snapshot import NONE
from beaver.memory.retrieval.relative_dates import implied_days
from beaver.memory.retrieval.stems import stem_of
from beaver.memory.retrieval.terms import Term
from beaver.text import count_unspaced

CHARACTERS_READ_MAX: Final = 4000
_WHEN: Final = re.compile(
    r"\b(?:when|how long|how old|what (?:date|day|month|year|time)|which (?:month|year|day|date)"
    r"|how many (?:days|weeks|months|years))\b"
)


@dataclass(frozen=True)
class Asked:
    """`terms`: the stems of each thing asked for, as its spellings. `speaker`: the number of the only one who is named, or NONE.

    `when`: it asks for a time. `days`: the days that it names. `unspaced`: most of it is written without spaces.
    """

    terms: tuple[tuple[int, ...], ...]
    speaker: int
    when: bool
    days: tuple[Days, ...]
    unspaced: bool


def read_question(text: str, terms: Sequence[Term], names: Sequence[Set[int]], now_ms: int) -> Asked:
    """The question, asked at a time (UTC epoch ms) of a memory in which these speak, by the stems of their names.

    The names of speakers are no terms, unless there are no others: everything near them holds them.
    """
    lower = text[:CHARACTERS_READ_MAX].lower()
    asked = tuple(stems for term in terms if (stems := _stems(term)))
    spoken = {stem for stems in asked for stem in stems}
    named = [number for number, name in enumerate(names) if name and name <= spoken]
    of_names = {stem for number in named for stem in names[number]}
    others = tuple(stems for stems in asked if not of_names.intersection(stems))
    today = date_of(now_ms)
    return Asked(
        others or asked,
        named[0] if len(named) == 1 else NONE,
        _WHEN.search(lower) is not None,
        (*named_days(lower, today), *implied_days(lower, today)),
        2 * count_unspaced(lower) > sum(map(str.isalpha, lower)),
    )


def _stems(term: Term) -> tuple[int, ...]:
    return tuple(dict.fromkeys(stem for word in term.spellings if (stem := stem_of(word)) is not None))
