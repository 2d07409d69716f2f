"""JSON out of what a model writes."""

from __future__ import annotations

import json

import pytest

from beaver.memory.inference.language_json import ANSWER_LENGTH_MAX, find_object, find_rows

ROWS = [{"title": "a", "tags": ["x"], "lines": [1]}, {"title": "b [not] {this}", "tags": []}]
SAID = json.dumps(ROWS)


def test_a_fence_holds_json_whatever_it_is_called() -> None:
    assert find_rows('so:\n```json\n[{"a": 1}]\n```\n') == [{"a": 1}]
    assert find_object('``` \n {"a": 1}```') == {"a": 1}


def test_a_fence_that_never_ends_holds_none() -> None:
    assert find_rows("```" + "-" * ANSWER_LENGTH_MAX) is None
    assert find_rows("```" + "\n" * ANSWER_LENGTH_MAX) is None


@pytest.mark.parametrize(
    "answer",
    [
        SAID,
        f"Here they are: {SAID} That is all [of it].",
        f"[Note] I looked at line [1]. {SAID}",
        f"```json\n{SAID}\n```",
        f'{{"observations": {SAID}, "count": 2}}',
        f"<think>Perhaps [] or [1]? {{}}</think>\n{SAID}",
        f"Perhaps [] would do.\n</think>\n\n{SAID}",
        f"<thinking>\n{SAID[:30]}\n</thinking>{SAID}",
        f"[1, {SAID[1:-1]}, null]",
    ],
)
def test_the_objects_of_an_array_are_found_whatever_stands_around_it(answer: str) -> None:
    assert find_rows(answer) == ROWS


def test_of_an_array_that_was_cut_off_what_is_whole_counts() -> None:
    whole = json.dumps([*ROWS, {"title": "c", "facts": ["one", "two"], "tags": []}])
    for length in range(len(SAID), len(whole) - 1):
        assert find_rows(whole[:length]) == ROWS
        assert find_rows("```json\n" + whole[:length]) == ROWS
    for length in range(2, len(json.dumps(ROWS[:1])) - 1):
        assert find_rows(SAID[:length]) is None


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "I cannot help with [that].",
        "Nothing new in lines [1, 2].",
        '["a", "b"]',
        "<think>[]",
        "<think>what now",
        '{"a": [], "b": []}',
        "[NaN]",
        "[" * 100_000,
        '{"refused": true}',
        '{"title": "no array", "tags": []}',
    ],
)
def test_what_holds_no_rows_is_no_answer(answer: str) -> None:
    assert find_rows(answer) is None


@pytest.mark.parametrize(
    "answer", ["[]", "Nothing: []", "```\n[]\n```", "<think>[1]</think>[]", '{"observations": []}']
)
def test_nothing_to_remember_is_an_answer(answer: str) -> None:
    assert find_rows(answer) == []


def test_what_a_user_says_about_thoughts_is_no_thought() -> None:
    rows = [{"title": "says </think>[] and <think>"}]
    assert find_rows(json.dumps(rows)) == rows
    assert find_object(json.dumps(rows[0])) == rows[0]


def test_an_object_is_looked_for_after_the_thoughts() -> None:
    assert find_object('<think>{"decision": "NONE"}?</think> {"decision": "ADD"}') == {"decision": "ADD"}
