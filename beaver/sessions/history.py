"""Repairs a history so that every provider accepts it, pure: each tool call has one result, each result its call."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, TypeVar

from beaver.sessions.records import Said

S = TypeVar("S", bound=Said)

INTERRUPTED: Final = "interrupted: the run ended before this tool gave a result"


def repair(events: Sequence[S]) -> list[S]:
    """The messages, in order, with results that answer no open call dropped and open calls closed as interrupted.

    A made-up result takes the id of the message that asked, stands before the next other message and is never stored.
    """
    # Most histories hold no tool at all, and are long.
    if not any(event.payload or event.role == "tool" for event in events):
        return list(events)
    repaired: list[S] = []
    asking: S | None = None
    waiting: dict[str, str] = {}
    for event in events:
        if event.role == "tool":
            if waiting.pop(str(event.payload.get("tool_call_id")), None) is not None:
                repaired.append(event)
            continue
        repaired.extend(_interrupted(asking, waiting))
        repaired.append(event)
        asking, waiting = event, dict(_calls(event))
    repaired.extend(_interrupted(asking, waiting))
    return repaired


def from_first_question(events: Sequence[S]) -> Sequence[S]:
    """A cut history from its first user message on: providers want that first, and half a turn says little."""
    starts = (index for index, event in enumerate(events) if event.role == "user")
    return events[next(starts, 0) :]


def _calls(event: Said) -> Iterator[tuple[str, str]]:
    """(call id, tool name) of what an assistant message asks for."""
    asked = event.payload.get("tool_calls") if event.role == "assistant" else None
    for call in asked if isinstance(asked, list) else ():
        if isinstance(call, Mapping) and call.get("id"):
            yield str(call["id"]), str(call.get("name", ""))


def _interrupted(asking: S | None, waiting: Mapping[str, str]) -> Iterator[S]:
    if asking is None:
        return
    for call_id, name in waiting.items():
        payload: dict[str, Any] = {"tool_call_id": call_id, "tool_name": name, "is_error": True}
        yield replace(asking, role="tool", content=INTERRUPTED, payload=payload)
