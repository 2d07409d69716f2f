"""What of a conversation is told to a provider."""

from __future__ import annotations

import pytest

from beaver.agent.providers.prompts import arguments_object


@pytest.mark.parametrize("depth", [200, 5_000], ids=["deep", "too deep to be read"])
def test_past_arguments_without_end_are_none_and_keep_no_later_turn_from_being_asked(depth: int) -> None:
    assert arguments_object('{"a": ' * depth + "1" + "}" * depth) == {}


def test_past_arguments_are_an_object() -> None:
    assert arguments_object('{"a": ["\\ud800"]}') == {"a": ["\ufffd"]}
    assert arguments_object("[1]") == {}
