"""Attributes with one value at a time."""

from __future__ import annotations

import pytest

from beaver.memory.observations.attributes import Attribute, attributes_of, stated_in
from beaver.memory.observations.records import Content


@pytest.mark.parametrize(
    ("statement", "attribute"),
    [
        ("My favourite colour is blue", ("", "favourite colour", "blue")),
        ("The user's favorite color is now green.", ("", "favourite colour", "green")),
        ("favourite food: soup", ("", "favourite food", "soup")),
        ("I live in Berlin", ("", "lives in", "berlin")),
        ("I have recently moved to Hamburg", ("", "lives in", "hamburg")),
        ("I moved to the Netherlands", ("", "lives in", "the netherlands")),
        ("Ada lives in Rome", ("ada", "lives in", "rome")),
        ("Ada: lives in: Rome", ("ada", "lives in", "rome")),
        ("Bob's brother lives in Paris", ("bob brother", "lives in", "paris")),
        ("I work at Siemens", ("", "works at", "siemens")),
        ("works as: baker", ("", "works as", "baker")),
        ("the deadline is 3 May", ("", "deadline", "3 may")),
        ("Our new address is Elm Street 5", ("", "address", "elm street 5")),
        ("Correction: my locker code is 4472", ("", "locker code", "4472")),
        ("Tom's shoe size is 44", ("tom", "shoe size", "44")),
        ("I'm 35 now", ("", "age", "35")),
        ("I am 34 years old.", ("", "age", "34")),
        ("My daughter is 7 years old", ("daughter", "age", "7")),
        ("I'm a vegetarian", ("", "diet", "vegetarian")),
        ("Actually I'm vegan now, not just vegetarian", ("", "diet", "vegan")),
        ("Tom became vegan", ("tom", "diet", "vegan")),
        ("I\u2019m married to Tom", ("", "marital status", "married")),
        ("我住在北京", ("", "lives in", "北京")),
        ("我现在搬到了上海。", ("", "lives in", "上海")),
        ("小明的生日是五月三日", ("小明的", "生日", "五月三日")),
        ("我在西门子工作", ("", "works at", "西门子")),
    ],
)
def test_a_statement_states_one_attribute(statement: str, attribute: tuple[str, str, str]) -> None:
    assert stated_in(statement) == [Attribute(*attribute)]


@pytest.mark.parametrize(
    "statement",
    [
        "",
        "likes green tea",
        "used to live in Bonn",
        "would live in Rome if it were warmer",
        "never worked at Siemens",
        "以前住在南京",
        "I live in a small flat with two cats",
        "I'm 5 minutes away",
        "The total is 50",
        "I'm not vegan",
        "I was a vegetarian once",
        "I'm vegan friendly",
        "I'm engaged in a new project",
        "The exit code is 137",
        "I moved to my own place",
        "I moved to dark mode",
        "I have moved to the platform team",
        "went to Rome in May with his friends and with the brother of a friend who lives in Rome",
    ],
)
def test_other_statements_state_none(statement: str) -> None:
    assert stated_in(statement) == []


@pytest.mark.parametrize(
    ("one", "other", "contradict"),
    [
        ("lives in Berlin", "lives in Hamburg", True),
        ("lives in Berlin", "lives in Berlin with two cats", False),
        ("lives in Berlin", "Ada lives in Hamburg", False),
        ("lives in Berlin", "works at Bosch", False),
        ("favourite colour is blue", "favourite colour is Blue!", False),
    ],
)
def test_two_values_of_one_attribute_contradict(one: str, other: str, contradict: bool) -> None:
    (first,), (second,) = stated_in(one), stated_in(other)
    assert first.is_other_than(second) is second.is_other_than(first) is contradict


def test_an_observation_states_what_its_title_and_facts_state_once_each() -> None:
    said = Content("lives in Berlin", "works at Bosch", ("lives in Berlin", "favourite colour is blue", "likes tea"))
    assert [attribute.name for attribute in attributes_of(said)] == ["lives in", "favourite colour"]
