"""Dates that a text names (`7 May 2023`, `in May`, `summer of 2022`), pure; relative ones are in relative_dates.py."""

from __future__ import annotations

import calendar
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Final

FAR_DAYS: Final = 9999
"""The gap to nothing."""
DAY_MS: Final = 86_400_000

MONTHS: Final = {name.lower(): number for number, name in enumerate(calendar.month_name) if name}
_SHORT_MONTHS: Final = {name.lower(): number for number, name in enumerate(calendar.month_abbr) if name} | {"sept": 9}
# The first and the last month; a winter ends in the year after the one that it is named for.
SEASONS: Final = {"spring": (3, 5), "summer": (6, 8), "fall": (9, 11), "autumn": (9, 11), "winter": (12, 14)}


@dataclass(frozen=True)
class Days:
    """The days from `first` to `last`, both counted from 1 January 1970; `last` is not before `first`."""

    first: int
    last: int

    def gap(self, other: Days) -> int:
        """Days between the two; 0 when they share a day."""
        return max(0, other.first - self.last, self.first - other.last)


def date_of(observed_ms: int) -> date:
    """The UTC date of a time between 1970 and 9999."""
    return datetime.fromtimestamp(observed_ms / 1000, UTC).date()


def day(of: date) -> Days:
    """One day."""
    number = of.toordinal() - _EPOCH
    return Days(number, number)


def month(year: int, number: int) -> Days:
    """A month; `number` may lie outside of 1 to 12 and then counts on into other years."""
    years, index = divmod(number - 1, 12)
    first = date(year + years, index + 1, 1)
    start = day(first).first
    return Days(start, start + calendar.monthrange(first.year, first.month)[1] - 1)


def season(year: int, name: str) -> Days:
    """A season of the northern half, whole months."""
    first, last = SEASONS[name]
    return Days(month(year, first).first, month(year, last).last)


def year_days(year: int) -> Days:
    """A year."""
    return Days(month(year, 1).first, month(year, 12).last)


def named_days(text: str, near: date) -> list[Days]:
    """The days, months, seasons and years that a text (in lower case) names; a missing year is the one nearest to `near`."""
    return list(_named(text, near))


def nearest_year(near: date, of: Callable[[int], Days]) -> Iterator[Days]:
    """What `of` makes of a year, for the year that brings it nearest; nothing when no year does."""
    here = day(near)
    made = [days for year in (near.year - 1, near.year, near.year + 1) for days in possible(of, year)]
    yield from [min(made, key=here.gap)] if made else []


def possible(of: Callable[..., Days], *numbers: int) -> Iterator[Days]:
    """`of(*numbers)`, or nothing where the calendar has no such day (or none that can be counted)."""
    try:
        yield of(*numbers)
    except (ValueError, OverflowError):
        return


_EPOCH: Final = date(1970, 1, 1).toordinal()
_MONTH: Final = f"(?P<month>{'|'.join(MONTHS)}|(?:{'|'.join(_SHORT_MONTHS)})\\b\\.?)"
_YEAR: Final = r"(?P<year>(?:19|20)\d\d)"
_DAY: Final = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_LEADING: Final = "in|since|until|by|of|last|this|next|during|around|early|late|mid"

Reader = Callable[[re.Match[str], date], Iterable[Days]]


def _whole_date(found: re.Match[str], _near: date) -> Iterable[Days]:
    return possible(lambda *parts: day(date(*parts)), int(found["year"]), _month_of(found), int(found["day"]))


def _month_and_year(found: re.Match[str], _near: date) -> Iterable[Days]:
    return possible(month, int(found["year"]), _month_of(found))


def _season_and_year(found: re.Match[str], _near: date) -> Iterable[Days]:
    return possible(lambda year: season(year, found["season"]), int(found["year"]))


def _day_and_month(found: re.Match[str], near: date) -> Iterable[Days]:
    return nearest_year(near, lambda year: day(date(year, _month_of(found), int(found["day"]))))


def _month_alone(found: re.Match[str], near: date) -> Iterable[Days]:
    return nearest_year(near, lambda year: month(year, _month_of(found)))


def _year_alone(found: re.Match[str], _near: date) -> Iterable[Days]:
    return possible(year_days, int(found["year"]))


def _month_of(found: re.Match[str]) -> int:
    name = found["month"].rstrip(".")
    return int(name) if name.isdigit() else MONTHS.get(name) or _SHORT_MONTHS[name]


# From the fullest to the barest: what one has read, those after it leave alone.
_READERS: Final[tuple[tuple[re.Pattern[str], Reader], ...]] = (
    (re.compile(rf"\b{_YEAR}-(?P<month>\d{{2}})-(?P<day>\d{{2}})(?!\d)"), _whole_date),
    (re.compile(rf"{_YEAR} ?年 ?(?P<month>\d{{1,2}}) ?月 ?(?P<day>\d{{1,2}}) ?日"), _whole_date),
    (re.compile(rf"\b{_MONTH}\s+{_DAY}(?:\s*,\s*|\s+){_YEAR}\b"), _whole_date),
    (re.compile(rf"\b{_DAY}(?:\s+of)?\s+{_MONTH}(?:\s*,\s*|\s+){_YEAR}\b"), _whole_date),
    (re.compile(rf"\b{_MONTH}(?:\s*,)?\s+(?:of\s+)?{_YEAR}\b"), _month_and_year),
    (re.compile(rf"\b(?P<season>{'|'.join(SEASONS)})(?:\s+of)?\s+{_YEAR}\b"), _season_and_year),
    (re.compile(rf"\b{_MONTH}\s+{_DAY}\b"), _day_and_month),
    (re.compile(rf"\b{_DAY}(?:\s+of)?\s+{_MONTH}\b"), _day_and_month),
    (re.compile(rf"\b(?:{_LEADING})\s+{_MONTH}\b"), _month_alone),
    (re.compile(rf"\b(?:in|since|of|during|year|early|late|mid|by)\s+{_YEAR}\b"), _year_alone),
)
_MAY_NAME: Final = re.compile(rf"\d|{'|'.join(MONTHS)}|{'|'.join(rf'{name}[. ]' for name in _SHORT_MONTHS)}")


def _named(text: str, near: date) -> Iterator[Days]:
    if _MAY_NAME.search(text) is None:
        return
    read: list[tuple[int, int]] = []
    for pattern, reader in _READERS:
        for found in pattern.finditer(text):
            start, end = found.span()
            if not any(start < other_end and other_start < end for other_start, other_end in read):
                read.append((start, end))
                yield from reader(found, near)
