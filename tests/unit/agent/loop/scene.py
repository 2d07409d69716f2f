"""A provider that never ends, what a Gateway recalls, and what a run's provider was asked."""

from __future__ import annotations

from beaver.agent.messages import ProviderRequest, TextDelta
from beaver.agent.providers.scripted import Act, Pause

HANGS: list[Act] = [TextDelta("well, "), Pause(60)]
RECALLED = "the heron nests behind the old mill"
FOUND = {
    "results": [
        {
            "id": "m1",
            "session_id": "chat:s-0",
            "text": RECALLED,
            "score": 0.9,
            "source_scope": "resources",
            "resource_uri": "file:///birds.md",
            "raw": {"debug": "RAW BACKEND DATA"},
        }
    ]
}


def texts(request: ProviderRequest, label: str) -> list[str]:
    """Texts of the request's messages with this label."""
    return [message.text for message in request.messages if message.label == label]


def system_text(request: ProviderRequest) -> str:
    """The whole system prompt."""
    return "\n\n".join(message.text for message in request.messages if message.role == "system")
