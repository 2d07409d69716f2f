"""A question asked again after a run without an answer stands in the session once, on SQLite and PostgreSQL."""

from __future__ import annotations

from beaver.agent.messages import Completion, ToolCall, Usage
from beaver.errors import Unavailable
from tests.contract.chat_server.scene import ANSWER, visible
from tests.contract.chat_server.two_servers import Servers

LOOKS = Completion("Let me look.", (ToolCall("c", "session_search", '{"query": "dams"}'),), Usage(), "tool_calls")
AWAY = Unavailable("not today")
SAID = "Beavers build dams."


async def test_it_takes_the_place_of_the_first_with_all_that_came_of_it(servers: Servers) -> None:
    one, _ = await servers.start(ANSWER, LOOKS, AWAY, ANSWER)
    await one.say("Hello", "s-1")
    assert (await one.say("What do beavers do?", "s-1")).status_code == 503
    assert (await one.say("What do beavers do?", "s-1")).status_code == 200
    assert await visible(one, "s-1") == [
        ("user", "Hello"),
        ("assistant", SAID),
        ("user", "What do beavers do?"),
        ("assistant", SAID),
    ]
    asked = [message.text for message in one.provider.requests[-1].messages if message.role == "user"]
    assert asked == ["Hello", "What do beavers do?"]


async def test_the_audit_trail_keeps_the_first(servers: Servers) -> None:
    one, _ = await servers.start(AWAY, ANSWER)
    for _ in range(2):
        await one.say("Hello", "s-1")
    trail = (await one.client.get("/v1/sessions/s-1/events")).json()["data"]
    messages = [(event["content"], event["context_visible"]) for event in trail if event["kind"] == "message"]
    assert messages == [("Hello", False), ("Hello", True), (SAID, True)]


async def test_another_question_leaves_it_and_so_does_one_that_was_answered(servers: Servers) -> None:
    one, _ = await servers.start(AWAY, ANSWER)
    for text in ("Hello", "Hello there", "Hello there"):
        await one.say(text, "s-1")
    asked = [text for role, text in await visible(one, "s-1") if role == "user"]
    assert asked == ["Hello", "Hello there", "Hello there"]
