"""Asking a provider and hearing what it says, fails with, or asks in turn."""

from __future__ import annotations

import pytest

from beaver.agent.messages import Completion, PromptMessage, ProviderPiece, ProviderRequest, ToolCall
from beaver.agent.providers.base import Provider
from beaver.errors import BeaverError
from tests.support.model_wires import PROMPT, AnthropicWire, OpenAIWire, Wire

DELTAS = ("Grüße, ", "小黑 ", "und ", "👩‍🚀🦫", "!\n\nzwei")
TEXT = "".join(DELTAS)
CALLS = (
    ToolCall("call_1", "memory", '{"action": "add", "content": "é小"}'),
    ToolCall("call_2", "session_search", "{}"),
)
WIRES: list[Wire] = [OpenAIWire(), AnthropicWire()]
every_wire = pytest.mark.parametrize("wire", WIRES, ids=lambda wire: wire.name)


def asking(text: str = PROMPT) -> ProviderRequest:
    """A request of one user message."""
    return ProviderRequest((PromptMessage("user", text, "prompt"),))


async def pieces_of(provider: Provider, request: ProviderRequest | None = None) -> list[ProviderPiece]:
    """All that a provider says."""
    return [piece async for piece in provider.stream(request or asking())]


async def completion_of(provider: Provider, request: ProviderRequest | None = None) -> Completion:
    """What a provider says last."""
    last = (await pieces_of(provider, request))[-1]
    assert isinstance(last, Completion)
    return last


async def fault_of(provider: Provider, request: ProviderRequest | None = None) -> BeaverError:
    """The error of ours that a provider ends with."""
    with pytest.raises(BeaverError) as caught:
        await pieces_of(provider, request)
    return caught.value
