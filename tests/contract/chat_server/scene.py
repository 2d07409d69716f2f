"""A scripted model's answers, and what a session shows of them."""

from __future__ import annotations

from typing import Any

from beaver.agent.messages import Completion, TextDelta, Usage
from beaver.agent.providers.scripted import Pause
from tests.support.chat_server import RunningChatServer

ANSWER = Completion("Beavers build dams.", (), Usage(7, 3), "stop")
SLOW = (TextDelta("Beavers "), Pause(0.2), TextDelta("build "), Pause(0.2), TextDelta("dams."))
NEVER = (TextDelta("Beavers "), Pause(600))
UNREACHABLE: dict[str, Any] = {
    "memory": {
        "mode": "hybrid",
        "gateway": {"baseUrl": "http://127.0.0.1:1", "userId": "anna", "userKey": "uk_0123456789"},
    }
}


async def visible(server: RunningChatServer, session: str) -> list[tuple[str, str]]:
    """(role, text) of a session's messages, as the API shows them."""
    found = (await server.client.get(f"/v1/sessions/{session}/messages")).json()["data"]
    return [(message["role"], message["content"]) for message in found]
