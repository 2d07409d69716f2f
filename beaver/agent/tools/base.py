"""The contract of a tool, and what one is told about the run it is called in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from beaver.agent.messages import ToolSpec


class ToolFailure(Exception):
    """A tool could not do what was asked, for a reason the model may read and act on.

    The message becomes the text of an error result, so it is conversation, not a log line: it may quote what the
    model sent or what the tool guards, and it must never hold a credential. It never leaves the dispatch.
    """


@dataclass(frozen=True)
class ToolContext:
    """The run that calls. `state` is scratch space of this run, shared by its tools: a tool keeps to its own key."""

    session_id: str
    run_id: str
    state: dict[str, Any] = field(default_factory=dict)


class Tool(Protocol):
    """Something a model may call.

    `call` gets arguments that already keep to `spec.parameters`, and returns text for the model. It raises ToolFailure
    for an expected failure; any other exception is a bug or a condition of the world and reaches the model as its type
    and a redacted message. It must let cancellation through, since a call is cut off at the configured time,
    and must not block the event loop. Calls of one run come one after the other; runs come side by side.
    """

    spec: ToolSpec

    async def call(self, arguments: Mapping[str, Any], context: ToolContext) -> str:
        """Do it, and say what came of it."""
