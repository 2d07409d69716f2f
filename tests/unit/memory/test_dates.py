"""Dates: which days a text names, and which it means by the day on which it was said."""

from __future__ import annotations

from datetime import date

import pytest

from beaver.memory.retrieval.dates import day, month, named_days, season, year_days
from beaver.memory.retrieval.relative_dates import implied_days

SAID = date(2023, 5, 17)
"""A Wednesday."""


def days(first: str, last: str) -> tuple[int, int]:
    return day(date.fromisoformat(first)).first, day(date.fromisoformat(last)).last


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("on 7 may 2022", "2022-05-07", "2022-05-07"),
        ("on may 7th, 2022", "2022-05-07", "2022-05-07"),
        ("on 2022-05-07", "2022-05-07", "2022-05-07"),
        ("2022年5月7日", "2022-05-07", "2022-05-07"),
        ("in february 2024", "2024-02-01", "2024-02-29"),
        ("the summer of 2021", "2021-06-01", "2021-08-31"),
        ("winter 2021", "2021-12-01", "2022-02-28"),
        ("in 2020", "2020-01-01", "2020-12-31"),
        ("in may", "2023-05-01", "2023-05-31"),
        ("in december", "2022-12-01", "2022-12-31"),
        ("on the 3rd of june", "2023-06-03", "2023-06-03"),
    ],
)
def test_a_text_names_days(text: str, first: str, last: str) -> None:
    assert [(one.first, one.last) for one in named_days(text, SAID)] == [days(first, last)]


@pytest.mark.parametrize("text", ["you may go", "31 february 2023", "we march on", "in 12345", "nothing"])
def test_a_text_without_a_day_of_the_calendar_names_none(text: str) -> None:
    assert named_days(text, SAID) == []


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("yesterday", "2023-05-16", "2023-05-16"),
        ("last week", "2023-05-08", "2023-05-14"),
        ("this weekend", "2023-05-20", "2023-05-21"),
        ("next month", "2023-06-01", "2023-06-30"),
        ("last year", "2022-01-01", "2022-12-31"),
        ("next friday", "2023-05-19", "2023-05-19"),
        ("last friday", "2023-05-12", "2023-05-12"),
        ("last wednesday", "2023-05-10", "2023-05-10"),
        ("last summer", "2022-06-01", "2022-08-31"),
        ("next summer", "2023-06-01", "2023-08-31"),
        ("two months ago", "2023-03-01", "2023-03-31"),
        ("a couple of days ago", "2023-05-15", "2023-05-15"),
        ("three weeks ago", "2023-04-23", "2023-04-29"),
        ("昨天我去了", "2023-05-16", "2023-05-16"),
        ("gestern war ich da", "2023-05-16", "2023-05-16"),
        ("来週の会議", "2023-05-22", "2023-05-28"),
    ],
)
def test_a_text_means_days_by_when_it_was_said(text: str, first: str, last: str) -> None:
    assert [(one.first, one.last) for one in implied_days(text, SAID)] == [days(first, last)]


def test_years_before_the_calendar_are_passed_over() -> None:
    assert implied_days("9999 years ago", SAID) == []


def test_the_gap_of_days_that_overlap_is_none() -> None:
    assert month(2023, 5).gap(year_days(2023)) == 0
    assert month(2023, 5).gap(month(2023, 7)) == 31
    assert season(2023, "spring").gap(month(2023, 1)) == 29


def test_a_month_and_nothing_but_space_after_it_names_a_month_alone() -> None:
    assert named_days("in december" + " " * 200_000 + "x", date(2023, 7, 1)) == [month(2023, 12)]
