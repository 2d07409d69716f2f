"""A client's history against the stored one: it goes on, or they part after what they have in common."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from beaver.sessions.records import MESSAGE, StoredEvent
from beaver.sessions.resent import GoesOn, Parts, ResentTurn, StoredTurn, compare, has_begun, resent_turns, stored_turns

STORED = tuple(StoredTurn(f"q{number}", (f"a{number}",), number * 10) for number in (1, 2, 3))
TOLD = tuple(ResentTurn(turn.user, turn.answers[0]) for turn in STORED)


def test_the_whole_history_goes_on() -> None:
    assert compare(STORED, TOLD) == GoesOn()


def test_the_newest_part_of_it_goes_on() -> None:
    assert compare(STORED, TOLD[1:]) == GoesOn()


def test_more_than_is_stored_goes_on_when_it_ends_the_same() -> None:
    assert compare(STORED[1:], TOLD) == GoesOn()


def test_white_space_makes_no_difference() -> None:
    assert compare(STORED, [*TOLD[:2], ResentTurn("\nq3 ", " a3\n")]) == GoesOn()


def test_a_regenerated_answer_parts_before_its_turn() -> None:
    assert compare(STORED, TOLD[:2]) == Parts(2, 20)


@pytest.mark.parametrize(
    "edited", [ResentTurn("q2, edited", "a2"), ResentTurn("q2, edited", "b2"), ResentTurn("q2", "a2, edited")]
)
def test_an_edited_turn_parts_before_it(edited: ResentTurn) -> None:
    assert compare(STORED, [TOLD[0], edited, TOLD[2]]) == Parts(1, 10)


def test_an_edit_in_a_shortened_history_keeps_what_the_client_left_out() -> None:
    assert compare(STORED, [TOLD[1], ResentTurn("q3, edited", "b3")]) == Parts(1, 20)


def test_nothing_in_common_parts_at_the_beginning() -> None:
    assert compare(STORED, [ResentTurn("forged", "forged too")]) == Parts(0, 0)
    assert compare(STORED, []) == Parts(0, 0)


def test_a_stream_that_was_cut_off_leaves_its_beginning_with_the_client() -> None:
    stored = [StoredTurn("q1", ("a long answer",), 10)]

    assert compare(stored, [ResentTurn("q1", "a lon")]) == GoesOn()


def test_what_a_front_end_wrapped_around_a_question_makes_no_difference_beside_the_same_answer() -> None:
    stored = [StoredTurn("context: dams\nquestion: q1", ("a1",), 10)]

    assert compare(stored, [ResentTurn("q1", "a1")]) == GoesOn()
    assert compare(stored, [ResentTurn("q1", "b1")]) == Parts(0, 0)


def test_a_turn_without_an_answer_may_be_missing_on_either_side() -> None:
    failed = StoredTurn("failed", (), 15)

    assert compare([STORED[0], failed, STORED[1]], TOLD[:2]) == GoesOn()
    assert compare([STORED[0], failed], TOLD[:1]) == GoesOn()
    assert compare(STORED[:2], [TOLD[0], ResentTurn("failed", None), TOLD[1]]) == GoesOn()


def test_a_run_under_way_that_the_client_does_not_know_of_is_parted_from() -> None:
    running = StoredTurn("q2", (), 20, running=True)

    assert compare([STORED[0], running], TOLD[:1]) == Parts(1, 10)
    assert compare([STORED[0], running], [TOLD[0], ResentTurn("q2", "the beginni")]) == GoesOn()


@given(st.lists(st.sampled_from("abc"), max_size=6), st.lists(st.sampled_from("abc"), max_size=6))
def test_what_is_kept_was_told_and_stored_in_that_order(stored: list[str], told: list[str]) -> None:
    turns = [StoredTurn(letter, (letter,), index + 1) for index, letter in enumerate(stored)]

    found = compare(turns, [ResentTurn(letter, letter) for letter in told])

    if isinstance(found, Parts):
        end = found.after_event
        assert stored[end - found.turns : end] == told[: found.turns]


class TestTurns:
    def test_a_clients_messages_make_turns_and_what_is_neither_question_nor_answer_is_left_out(self) -> None:
        messages = [
            ("system", "Be kind"),
            ("user", "q1"),
            ("assistant", ""),
            ("tool", "found"),
            ("assistant", "a1"),
            ("user", "q2"),
        ]

        assert resent_turns(messages) == (ResentTurn("q1", "a1"), ResentTurn("q2", None))

    def test_a_stored_answer_is_known_alone_and_with_what_was_said_before_tools(self) -> None:
        asks = {"tool_calls": [{"id": "c1", "name": "look", "arguments": "{}"}]}
        events = [
            said(1, "user", "q1"),
            said(2, "assistant", "Let me look.", asks),
            said(3, "tool", "found"),
            said(4, "assistant", "a1"),
        ]

        assert stored_turns(events) == (StoredTurn("q1", ("a1", "Let me look.a1"), 4),)

    def test_a_turn_that_ends_in_a_tool_has_no_answer(self) -> None:
        events = [
            said(1, "user", "q1"),
            said(2, "assistant", "Hm.", {"tool_calls": []}),
            said(3, "tool", "interrupted"),
        ]

        assert stored_turns(events) == (StoredTurn("q1", (), 3),)

    def test_only_the_last_turn_of_a_busy_session_is_under_way_and_only_without_an_answer(self) -> None:
        events = [said(1, "user", "q1"), said(2, "user", "q2")]

        assert [turn.running for turn in stored_turns(events, busy=True)] == [False, True]
        assert not stored_turns([*events, said(3, "assistant", "a2")], busy=True)[-1].running

    def test_a_session_of_failed_turns_alone_has_not_begun(self) -> None:
        assert not has_begun([StoredTurn("q1", (), 1)])
        assert has_begun([StoredTurn("q1", (), 1, running=True)])


def said(event_id: int, role: str, text: str, payload: dict[str, Any] | None = None) -> StoredEvent:
    return StoredEvent(event_id, role, text, payload or {}, "s-1", "r-1", MESSAGE, True, 1)
