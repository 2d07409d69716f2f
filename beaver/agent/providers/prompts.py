"""What every SDK provider does to a prompt before it puts it in its API's shape."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from beaver.agent.messages import PromptMessage, ProviderRequest
from beaver.text import replace_surrogates, replace_surrogates_deep


def system_text(request: ProviderRequest) -> str:
    """The system prompt: its parts in order, a blank line between two; empty when there is none."""
    parts = (message.text for message in request.messages if message.role == "system")
    return replace_surrogates("\n\n".join(part for part in parts if part.strip()))


def conversation(request: ProviderRequest) -> list[PromptMessage]:
    """Everything but the system prompt, encodable as UTF-8, with the turn's metadata before the user's prompt."""
    messages = [message for message in request.messages if message.role != "system"]
    prompts = [index for index, message in enumerate(messages) if message.label == "prompt"]
    if prompts and request.turn_metadata:
        said = messages[prompts[-1]]
        messages[prompts[-1]] = replace(said, text=f"{metadata_line(request.turn_metadata)}\n{said.text}")
    return [replace(message, text=replace_surrogates(message.text)) for message in messages]


def metadata_line(metadata: Mapping[str, str]) -> str:
    """One bracketed line: `[time: …; zone: …]`."""
    return f"[{'; '.join(f'{name}: {value}' for name, value in metadata.items())}]"


def arguments_object(arguments: str) -> dict[str, Any]:
    """The arguments of a past tool call as an object; `{}` for what a model wrote wrongly, which no API takes back."""
    try:
        parsed = replace_surrogates_deep(json.loads(arguments))
    except (ValueError, RecursionError):
        return {}
    return parsed if isinstance(parsed, dict) else {}
