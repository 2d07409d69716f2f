"""Questions that name nothing but a time (`What did I say last week?`), pure: what was said then answers them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from beaver.memory.retrieval.dates import MONTHS, Days, date_of, day, named_days
from beaver.memory.retrieval.relative_dates import implied_days
from beaver.memory.retrieval.terms import Term

_TIMES: Final = """
day days week weeks weekend weekends month months year years ago back last past previous this morning afternoon evening night
today yesterday tonight gestern vorgestern heute letzte letzten vorige woche monat jahr
monday tuesday wednesday thursday friday saturday sunday mon tue tues wed thu thurs fri sat sun
jan feb mar apr jun jul aug sep sept oct nov dec spring summer fall autumn winter in since early late mid around
two three four five six seven eight nine ten eleven twelve couple several
"""
_TALK: Final = """
said say tell told talk talked talking speak spoke mention mentioned discuss discussed chat chatted happen happened write wrote
conversation anything something everything gesagt erzahlt erzaehlt gesprochen besprochen passiert
"""
_WORDS: Final = frozenset((*f"{_TIMES} {_TALK}".split(), *MONTHS))
_ENDINGS: Final = ("st", "nd", "rd", "th")


def asked_days(text: str, terms: Sequence[Term], now_ms: int) -> tuple[Days, ...]:
    """The days asked for, none of them wholly ahead, where each term is of a time or of talk; else none."""
    if not all(_is_of_time(term.spellings[0]) for term in terms):
        return ()
    today, lower = date_of(now_ms), text.lower()
    named = dict.fromkeys((*named_days(lower, today), *implied_days(lower, today)))
    return tuple(one for one in named if one.first <= day(today).last)


def _is_of_time(word: str) -> bool:
    return word in _WORDS or word.isdigit() or (word[:-2].isdigit() and word.endswith(_ENDINGS))
