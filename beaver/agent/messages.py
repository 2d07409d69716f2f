"""What a prompt is made of, and what a provider gives back: frozen values that no SDK's type leaks into."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

from beaver.agent.tokens import estimate_tokens, message_tokens

Role = Literal["system", "user", "assistant", "tool"]
Label = Literal[
    "identity", "curated_memory", "curated_user", "skills", "rule", "skill", "reference", "history", "prompt"
]


@dataclass(frozen=True)
class ToolCall:
    """A model asks for a tool. `arguments` is the JSON text as the model wrote it, not yet checked."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True)
class PromptMessage:
    """One message of a prompt. `label` says where it came from; SDK providers ignore it, the offline one reads it.

    Several leading `system` messages stand for one system prompt in parts; providers join them with a blank line.
    """

    role: Role
    text: str
    label: Label
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str | None = None
    tool_name: str | None = None

    @cached_property
    def tokens(self) -> int:
        """Estimated tokens, tool calls included: once a message, for a history's are asked about in every turn."""
        calls = (estimate_tokens(call.name) + estimate_tokens(call.arguments) for call in self.tool_calls)
        return message_tokens(self.text) + sum(calls)


@dataclass(frozen=True)
class ToolSpec:
    """A tool as a model sees it. `parameters` is a JSON Schema of type object."""

    name: str
    description: str
    parameters: Mapping[str, Any]

    @property
    def tokens(self) -> int:
        """Estimated tokens of the description and the schema."""
        return estimate_tokens(self.name) + estimate_tokens(self.description) + estimate_tokens(str(self.parameters))


@dataclass(frozen=True)
class Usage:
    """Tokens of one or several calls."""

    input_tokens: int = 0
    output_tokens: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(self.input_tokens + other.input_tokens, self.output_tokens + other.output_tokens)


@dataclass(frozen=True)
class ProviderRequest:
    """One call of a provider. `turn_metadata` (the time, say) is put before the user's prompt, never in the system prompt."""

    messages: tuple[PromptMessage, ...]
    tools: tuple[ToolSpec, ...] = ()
    output_tokens_max: int = 4096
    turn_metadata: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class TextDelta:
    """A further piece of the answer's text."""

    text: str


@dataclass(frozen=True)
class Completion:
    """The end of one call: the whole text, the tool calls, what it cost and why it ended."""

    text: str
    tool_calls: tuple[ToolCall, ...]
    usage: Usage
    finish: Literal["stop", "tool_calls", "length", "content_filter"]


ProviderPiece = TextDelta | Completion
