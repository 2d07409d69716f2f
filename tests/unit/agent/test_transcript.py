"""Messages become events and come back as the same messages."""

from __future__ import annotations

from dataclasses import replace

from beaver.agent.messages import PromptMessage, ToolCall
from beaver.agent.transcript import open_calls, result_message, to_event, to_history
from beaver.sessions.records import StoredEvent

CALL = ToolCall("c1", "sums", '{"a": 1}')


def stored(message: PromptMessage, *, is_error: bool = False) -> StoredEvent:
    event = to_event(message, is_error=is_error)
    return StoredEvent(
        id=1,
        session_id="s",
        run_id="r",
        kind=event.kind,
        role=event.role,
        content=event.content,
        payload=event.payload,
        context_visible=event.context_visible,
        created_ms=1,
    )


def test_every_kind_of_message_comes_back_as_it_was() -> None:
    messages = (
        PromptMessage("user", "add these", "prompt"),
        PromptMessage("assistant", "let me see", "history", (CALL,)),
        result_message(CALL, "3"),
        PromptMessage("assistant", "three", "history"),
    )
    back = to_history(map(stored, messages))
    assert back == tuple(replace(message, label="history") for message in messages)


def test_a_blank_answer_is_left_out_of_the_history() -> None:
    blank = PromptMessage("assistant", " ", "history")
    calling = PromptMessage("assistant", "", "history", (CALL,))
    assert to_history(map(stored, (blank, calling))) == (calling,)


def test_an_error_result_says_so_in_its_payload() -> None:
    assert stored(result_message(CALL, "no"), is_error=True).payload == {
        "tool_call_id": "c1",
        "tool_name": "sums",
        "is_error": True,
    }


def test_a_call_is_open_until_its_own_result_came_even_where_an_id_is_used_again() -> None:
    first = PromptMessage("assistant", "", "history", (CALL, ToolCall("c2", "sums", "{}")))
    again = PromptMessage("assistant", "", "history", (CALL,))
    assert open_calls([first, result_message(CALL, "3")]) == (ToolCall("c2", "sums", "{}"),)
    assert open_calls([again, result_message(CALL, "3"), again]) == (CALL,)
    assert open_calls([again, result_message(CALL, "3")]) == ()
