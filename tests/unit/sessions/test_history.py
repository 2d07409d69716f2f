"""Repair of a history: what a provider would refuse is made whole."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from beaver.sessions.history import INTERRUPTED, from_first_question, repair
from beaver.sessions.records import MESSAGE, StoredEvent


def test_a_sound_history_stays_as_it_is() -> None:
    sound = [_said(1, "user"), _asks(2, "a", "b"), _result(3, "b"), _result(4, "a"), _said(5, "assistant")]

    assert repair(sound) == sound


def test_a_result_without_its_call_is_dropped() -> None:
    assert repair([_result(1, "gone"), _said(2, "user")]) == [_said(2, "user")]


def test_a_second_result_of_one_call_is_dropped() -> None:
    assert repair([_asks(1, "a"), _result(2, "a"), _result(3, "a")]) == [_asks(1, "a"), _result(2, "a")]


def test_a_dangling_call_is_closed_before_the_next_message() -> None:
    repaired = repair([_said(1, "user"), _asks(2, "a", "b"), _result(3, "a"), _said(4, "user")])

    assert [event.role for event in repaired] == ["user", "assistant", "tool", "tool", "user"]
    closed = repaired[3]
    assert closed.content == INTERRUPTED
    assert closed.payload == {"tool_call_id": "b", "tool_name": "look", "is_error": True}


def test_a_dangling_call_at_the_end_is_closed() -> None:
    assert [event.content for event in repair([_asks(1, "a")])] == ["", INTERRUPTED]


def test_a_result_that_comes_after_the_next_message_is_dropped_and_its_call_closed() -> None:
    repaired = repair([_asks(1, "a"), _said(2, "user"), _result(3, "a")])

    assert [(event.role, event.content) for event in repaired] == [
        ("assistant", ""),
        ("tool", INTERRUPTED),
        ("user", "words"),
    ]


def test_call_ids_may_come_again_in_a_later_message() -> None:
    again = [_asks(1, "a"), _result(2, "a"), _asks(3, "a"), _result(4, "a")]

    assert repair(again) == again


def test_a_malformed_payload_asks_for_nothing() -> None:
    for calls in ("not a list", [None, "call", {"name": "nameless"}], None):
        event = _event(1, "assistant", payload={"tool_calls": calls})
        assert repair([event]) == [event]


def test_a_cut_history_begins_with_a_question() -> None:
    cut = [_result(1, "a"), _said(2, "assistant"), _said(3, "user"), _said(4, "assistant")]

    assert from_first_question(cut) == cut[2:]
    assert from_first_question(cut[:2]) == cut[:2]


@given(
    st.lists(
        st.one_of(
            st.just(("user", "")),
            st.tuples(st.just("assistant"), st.sampled_from(["", "a", "ab", "abc"])),
            st.tuples(st.just("tool"), st.sampled_from("abc")),
        )
    )
)
def test_whatever_the_history_every_call_has_one_result_right_after_it(shape: list[tuple[str, str]]) -> None:
    makers = {"user": lambda i, _: _said(i, "user"), "assistant": lambda i, ids: _asks(i, *ids), "tool": _result}
    repaired = repair([makers[role](number, ids) for number, (role, ids) in enumerate(shape)])

    open_calls: set[str] = set()
    for event in repaired:
        if event.role == "tool":
            open_calls.remove(event.payload["tool_call_id"])
        else:
            assert not open_calls
            open_calls = {call["id"] for call in event.payload.get("tool_calls", ())}
    assert not open_calls
    assert repair(repaired) == repaired


def _said(number: int, role: str) -> StoredEvent:
    return _event(number, role, content="words")


def _asks(number: int, *ids: str) -> StoredEvent:
    calls = [{"id": call_id, "name": "look", "arguments": "{}"} for call_id in ids]
    return _event(number, "assistant", payload={"tool_calls": calls})


def _result(number: int, call_id: str) -> StoredEvent:
    return _event(number, "tool", "found", {"tool_call_id": call_id, "tool_name": "look", "is_error": False})


def _event(number: int, role: str, content: str = "", payload: dict[str, Any] | None = None) -> StoredEvent:
    return StoredEvent(number, role, content, payload or {}, "s", None, MESSAGE, True, number)
