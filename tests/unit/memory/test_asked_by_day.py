"""Which questions name nothing but a time."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from beaver.memory.retrieval.asking.asked_by_day import asked_days
from beaver.memory.retrieval.asking.query import ForTerms, plan_query

NOW_MS = int(datetime(2026, 5, 28, 12, tzinfo=UTC).timestamp() * 1000)


def days(question: str) -> int:
    plan = plan_query(question)
    return len(asked_days(question, plan.terms if isinstance(plan, ForTerms) else (), NOW_MS))


@pytest.mark.parametrize(
    "question",
    [
        "What did I say yesterday?",
        "what did we talk about last week",
        "What happened on May 5th, 2026?",
        "What have I told you in March?",
        "What did I say in May?",
        "Did I mention anything two weeks ago?",
        "Was habe ich gestern gesagt?",
    ],
)
def test_a_time_alone_is_asked_for(question: str) -> None:
    assert days(question) == 1


@pytest.mark.parametrize(
    "question",
    [
        "What did I pay yesterday?",
        "What did Tom say last week?",
        "What will happen next week?",
        "Where did we go last summer with Mia?",
        "two weeks",
        "What may I say?",
    ],
)
def test_what_names_more_or_is_ahead_is_looked_for_by_its_words(question: str) -> None:
    assert days(question) == 0
