"""An answer in the making."""

from __future__ import annotations

import pytest

from beaver.agent.messages import ToolCall
from beaver.agent.providers.draft import Draft
from beaver.errors import Unavailable


def calls_of(*pieces: tuple[int | None, str | None, str | None, str | None]) -> tuple[ToolCall, ...]:
    draft = Draft("p")
    for piece in pieces:
        draft.add_call(*piece)
    draft.finish = "tool_calls"
    return draft.completion().tool_calls


def test_pieces_of_interleaved_calls_find_their_own() -> None:
    assert calls_of((0, "a", "f", "{"), (1, "b", "g", '{"x"'), (0, None, None, "}"), (1, None, None, ":1}")) == (
        ToolCall("a", "f", "{}"),
        ToolCall("b", "g", '{"x":1}'),
    )


def test_an_id_and_a_name_that_are_repeated_stay_one_call() -> None:
    assert calls_of((0, "a", "f", "{"), (0, "a", "f", "}")) == (ToolCall("a", "f", "{}"),)


def test_calls_without_an_index_are_told_apart_by_their_names() -> None:
    assert calls_of((None, None, "f", "{"), (None, None, None, "}"), (None, None, "f", None)) == (
        ToolCall("call_1", "f", "{}"),
        ToolCall("call_2", "f", "{}"),
    )


def test_arguments_lose_lone_surrogates_and_keep_pairs() -> None:
    assert calls_of((0, "a", "f", '{"x":"\ud83e'), (0, None, None, '\uddab\ud83e"}')) == (
        ToolCall("a", "f", '{"x":"🦫\ufffd"}'),
    )


def test_the_reason_tool_calls_without_a_call_is_a_plain_stop() -> None:
    draft = Draft("p")
    draft.finish = "tool_calls"
    assert draft.completion().finish == "stop"


def test_a_half_that_never_finds_its_other_half_comes_out_at_the_end() -> None:
    draft = Draft("p")
    assert draft.add_text("a\ud83e") == "a"
    assert draft.rest_of_text() == "\ufffd"
    assert draft.rest_of_text() == ""
    draft.finish = "stop"
    assert draft.completion().text == "a\ufffd"


def test_an_answer_without_an_end_is_no_answer() -> None:
    draft = Draft("p")
    draft.add_text("half")
    with pytest.raises(Unavailable):
        draft.completion()
