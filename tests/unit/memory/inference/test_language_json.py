"""JSON out of what a model writes."""

from __future__ import annotations

from beaver.memory.inference.language_json import ANSWER_LENGTH_MAX, find_json


def test_a_fence_holds_json_whatever_it_is_called() -> None:
    assert find_json("so:\n```json\n[1]\n```\n", list) == [1]
    assert find_json('``` \n {"a": 1}```', dict) == {"a": 1}


def test_a_fence_that_never_ends_holds_none() -> None:
    assert find_json("```" + "-" * ANSWER_LENGTH_MAX, list) is None
    assert find_json("```" + "\n" * ANSWER_LENGTH_MAX, list) is None
