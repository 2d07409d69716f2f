"""Days that a text implies by the day on which it was said (`last week`, `two months ago`, `next Friday`), pure."""

from __future__ import annotations

import calendar
import re
from collections.abc import Callable, Iterable, Iterator
from datetime import date
from typing import Final

from beaver.memory.retrieval.dates import SEASONS, Days, day, month, possible, season, year_days

_WEEKDAYS: Final = {name.lower(): number for number, name in enumerate(calendar.day_name)}
_SHORT_WEEKDAYS: Final = {"mon": 0, "tue": 1, "tues": 1, "wed": 2, "thu": 3, "thurs": 3, "fri": 4, "sat": 5, "sun": 6}
_STEPS: Final = {"last": -1, "this past": -1, "past": -1, "this": 0, "next": 1, "this coming": 1, "coming": 1}
_NUMBERS: Final = {
    word: number
    for number, words in (
        (1, "a an one"), (2, "two couple"), (3, "three few"), (4, "four several"), (5, "five"), (6, "six"), (7, "seven"),
        (8, "eight"), (9, "nine"), (10, "ten"), (11, "eleven"), (12, "twelve"),
    )
    for word in words.split()
}  # fmt: skip
_SAID_DAYS: Final = {
    -2: ("the day before yesterday", "vorgestern", "前天", "一昨日", "그저께"),
    -1: ("yesterday", "last night", "gestern", "昨天", "昨日", "어제"),
    0: (
        "today",
        "tonight",
        "this morning",
        "this afternoon",
        "this evening",
        "just now",
        "heute",
        "今天",
        "今日",
        "오늘",
    ),
    1: ("tomorrow", "明天", "明日", "내일"),
    2: ("the day after tomorrow", "übermorgen", "后天", "後天", "明後日", "모레"),
}
_SAID_WEEKS: Final = {
    -1: ("letzte woche", "vorige woche", "上周", "上週", "上个星期", "上個星期", "先週", "지난주"),
    0: ("diese woche", "这周", "這週", "本周", "今週", "이번 주"),
    1: ("nächste woche", "下周", "下週", "下个星期", "下個星期", "来週", "다음 주"),
}
_SAID_MONTHS: Final = {
    -1: ("letzten monat", "上个月", "上個月", "先月", "지난달"),
    1: ("nächsten monat", "下个月", "下個月", "来月", "다음 달"),
}
_OFFSETS: Final = {
    kind: {words: offset for offset, alternatives in said.items() for words in alternatives}
    for kind, said in (("day", _SAID_DAYS), ("week", _SAID_WEEKS), ("month", _SAID_MONTHS))
}


def implied_days(text: str, said: date) -> list[Days]:
    """The days that a text (in lower case) means, seen from the day on which it was said."""
    return list(_implied(text, said))


def _step_week(said: date, step: int) -> Days:
    monday = day(said).first - said.weekday() + 7 * step
    return Days(monday, monday + 6)


def _step_weekend(said: date, step: int) -> Days:
    saturday = _step_week(said, step).first + 5
    return Days(saturday, saturday + 1)


def _step_month(said: date, step: int) -> Days:
    return month(said.year, said.month + step)


def _step_year(said: date, step: int) -> Days:
    return year_days(said.year + step)


_STEPPED: Final[dict[str, Callable[[date, int], Days]]] = {
    "week": _step_week,
    "weekend": _step_weekend,
    "month": _step_month,
    "year": _step_year,
}


def _step_season(said: date, step: int, name: str) -> Days:
    """The last one is over or under way; the next one has not begun."""
    first, last = SEASONS[name]
    begun, over = said.month >= first, said.month > last
    return season(said.year + (min(0, step + over) if step < 0 else step * begun), name)


def _step_weekday(said: date, step: int, weekday: int) -> Days:
    """The last one before that day, the one of its week, the next one after it."""
    if step < 0:
        ahead = -((said.weekday() - weekday - 1) % 7 + 1)
    else:
        ahead = (weekday - said.weekday() - 1) % 7 + 1 if step else weekday - said.weekday()
    number = day(said).first + ahead
    return Days(number, number)


def _ago_days(said: date, count: int) -> Days:
    number = day(said).first - count
    return Days(number, number)


def _ago_weeks(said: date, count: int) -> Days:
    middle = day(said).first - 7 * count
    return Days(middle - 3, middle + 3)


_AGO: Final[dict[str, Callable[[date, int], Days]]] = {
    "day": _ago_days,
    "week": _ago_weeks,
    "weekend": _ago_weeks,
    "month": lambda said, count: _step_month(said, -count),
    "year": lambda said, count: _step_year(said, -count),
}


def _said(found: re.Match[str], said: date) -> Iterable[Days]:
    words = found[0]
    if words in _OFFSETS["day"]:
        return possible(_ago_days_of(said), -_OFFSETS["day"][words])
    kind = "week" if words in _OFFSETS["week"] else "month"
    return possible(lambda step: _STEPPED[kind](said, step), _OFFSETS[kind][words])


def _ago_days_of(said: date) -> Callable[[int], Days]:
    return lambda count: _ago_days(said, count)


def _stepped(found: re.Match[str], said: date) -> Iterable[Days]:
    step, unit = _STEPS[found["step"]], found["unit"]
    if unit in _STEPPED:
        return possible(lambda: _STEPPED[unit](said, step))
    if unit in SEASONS:
        return possible(lambda: _step_season(said, step, unit))
    weekday = _WEEKDAYS[unit] if unit in _WEEKDAYS else _SHORT_WEEKDAYS[unit]
    return possible(lambda: _step_weekday(said, step, weekday))


def _ago(found: re.Match[str], said: date) -> Iterable[Days]:
    word = found["count"]
    count = int(word) if word.isdigit() else _NUMBERS[word]
    return possible(lambda: _AGO[found["unit"]](said, count))


_UNITS: Final = "|".join(sorted((*_STEPPED, *SEASONS, *_WEEKDAYS, *_SHORT_WEEKDAYS), key=len, reverse=True))
_COUNTS: Final = "|".join(sorted(_NUMBERS, key=len, reverse=True))
_ASCII_SAID, _OTHER_SAID = (
    "|".join(sorted((w for words in _OFFSETS.values() for w in words if (w[0] < "ŀ") is plain), key=len, reverse=True))
    for plain in (True, False)
)
_READERS: Final = (
    (re.compile(rf"\b(?:{_ASCII_SAID})\b|{_OTHER_SAID}"), _said),
    (re.compile(rf"\b(?P<step>{'|'.join(sorted(_STEPS, key=len, reverse=True))})\s+(?P<unit>{_UNITS})\b"), _stepped),
    (
        re.compile(
            rf"\b(?:a\s+)?(?P<count>\d{{1,4}}|{_COUNTS})(?:\s+of)?\s+(?P<unit>day|weekend|week|month|year)s?\s+(?:ago|back)\b"
        ),
        _ago,
    ),
)


def _implied(text: str, said: date) -> Iterator[Days]:
    for pattern, reader in _READERS:
        for found in pattern.finditer(text):
            yield from reader(found, said)
