"""Between a prompt's messages and the events that keep them, both ways and purely."""

from __future__ import annotations

from collections.abc import Iterable

from beaver.agent.messages import PromptMessage, Role, ToolCall
from beaver.sessions.records import MESSAGE, NewEvent, Said


def to_event(message: PromptMessage, *, is_error: bool = False) -> NewEvent:
    """The event that keeps a user's, assistant's or tool's message; `is_error` marks a tool's error result."""
    payload: dict[str, object] = {}
    if message.tool_calls:
        payload["tool_calls"] = [
            {"id": call.id, "name": call.name, "arguments": call.arguments} for call in message.tool_calls
        ]
    if message.role == "tool":
        payload |= {"tool_call_id": message.tool_call_id, "tool_name": message.tool_name, "is_error": is_error}
    return NewEvent(kind=MESSAGE, role=message.role, content=message.text, payload=payload)


def to_history(events: Iterable[Said]) -> tuple[PromptMessage, ...]:
    """The visible history as messages, in order; a blank message without tool calls is left out, since providers refuse it."""
    messages = (_to_message(event) for event in events)
    return tuple(
        message for message in messages if message.text.strip() or message.tool_calls or message.role == "tool"
    )


def _to_message(event: Said) -> PromptMessage:
    if not event.payload:
        return PromptMessage(_role(event), event.content, "history")
    calls = event.payload.get("tool_calls", ())
    return PromptMessage(
        role=_role(event),
        text=event.content,
        label="history",
        tool_calls=tuple(ToolCall(call["id"], call["name"], call["arguments"]) for call in calls),
        tool_call_id=event.payload.get("tool_call_id"),
        tool_name=event.payload.get("tool_name"),
    )


def _role(event: Said) -> Role:
    match event.role:
        case "user" | "assistant" | "tool":
            return event.role
        case _:
            raise ValueError(f"event {event.id} is a message without a role")


def result_message(call: ToolCall, text: str) -> PromptMessage:
    """A tool's result as a message."""
    return PromptMessage("tool", text, "history", tool_call_id=call.id, tool_name=call.name)


def open_calls(messages: Iterable[PromptMessage]) -> tuple[ToolCall, ...]:
    """Calls that no result has answered yet, by position: a model may use one id again in a later message."""
    waiting: list[ToolCall] = []
    for message in messages:
        waiting.extend(message.tool_calls)
        if message.role == "tool":
            waiting = _without_first(waiting, message.tool_call_id)
    return tuple(waiting)


def _without_first(calls: list[ToolCall], call_id: str | None) -> list[ToolCall]:
    for index, call in enumerate(calls):
        if call.id == call_id:
            return calls[:index] + calls[index + 1 :]
    return calls
