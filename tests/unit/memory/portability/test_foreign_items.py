"""Values of other systems into items: times in every form, words of every length, the chats of two services."""

from __future__ import annotations

from typing import Any

import pytest

from beaver.errors import InvalidInput
from beaver.memory.observations.entries import clipped
from beaver.memory.portability.chat_exports import chatgpt, claude
from beaver.memory.portability.everos import everos
from beaver.memory.portability.items import ForeignMessage, Item, check_item, observation_of, time_of
from beaver.memory.portability.mem0 import mem0
from beaver.memory.records import NewMessage

NOON_MS = 1_751_371_200_000


@pytest.mark.parametrize(
    "told",
    [
        NOON_MS,
        NOON_MS // 1000,
        NOON_MS / 1000,
        float(NOON_MS),
        "2025-07-01T12:00:00Z",
        "2025-07-01T12:00:00.000000Z",
        "2025-07-01T12:00:00.000000000Z",
        "2025-07-01 14:00:00+02:00",
        "2025-07-01T05:00:00-07:00",
        "2025-07-01T12:00:00+0000",
        "20250701T120000Z",
    ],
)
def test_a_time_is_the_same_in_every_form(told: Any) -> None:
    assert time_of(told, "timestamp") == NOON_MS


@pytest.mark.parametrize(
    "told",
    [
        0,
        -5,
        True,
        None,
        NOON_MS * 1000,
        NOON_MS * 10**6,
        10**30,
        float("nan"),
        float("inf"),
        "2025-07-01T12:00:00",
        "2025-07-01",
        "yesterday",
        "0001-01-01T00:00:00+14:00",
        [NOON_MS],
    ],
)
def test_what_is_no_certain_time_is_refused_with_its_field(told: Any) -> None:
    with pytest.raises(InvalidInput, match="timestamp: must be epoch seconds or milliseconds, or an ISO 8601 time"):
        time_of(told, "timestamp")


def test_what_is_longer_than_a_field_is_told_by_the_next() -> None:
    sentences = [f"Sentence number {number} tells about the boiler and the pump." for number in range(30)]
    told = clipped(observation_of(" ".join(sentences), "event"))
    kept = " ".join((told.narrative, *told.facts))
    assert [one for one in sentences if one not in kept] == []
    episode = clipped(observation_of("A trip", "event", " ".join(sentences), facts=("She went to Oslo.",)))
    assert episode.facts[0] == "She went to Oslo."
    kept = " ".join((episode.narrative, *episode.facts))
    assert [one for one in sentences if one not in kept] == []


def test_a_short_one_is_told_once_as_ever() -> None:
    told = observation_of("Owns a kayak", "event")
    assert (told.title, told.narrative, told.facts) == ("Owns a kayak", "", ("Owns a kayak",))
    longer = "Owns a kayak that was built in the year in which the harbour was dredged for the second time."
    told = observation_of(longer, "event")
    assert (told.title, told.narrative, told.facts) == (longer, longer, (longer,))


@pytest.mark.parametrize(
    ("item", "field"),
    [
        (ForeignMessage("s" * 3000, NewMessage("user", "ada", NOON_MS, "x")), "session_id"),
        (ForeignMessage("s", NewMessage("user", "a\x07", NOON_MS, "x")), "sender_id"),
        (ForeignMessage("s", NewMessage("user", "ada", NOON_MS, "x" * 2_000_001)), "content"),
        (observation_of(" \n", "event"), "title"),
    ],
)
def test_what_could_not_be_stored_is_known_before_anything_is(item: Item, field: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        check_item(item)
    assert refused.value.field == field


def test_mem0_answers_pages_with_categories_and_days_on_which_memories_are_over() -> None:
    page = {
        "count": 2,
        "next": None,
        "previous": None,
        "results": [
            {
                "id": "1",
                "memory": "Owns a kayak",
                "user_id": "ada",
                "metadata": {"a": 1},
                "categories": ["sport", None],
                "created_at": "2025-07-01T05:00:00-07:00",
                "updated_at": None,
                "expiration_date": "2026-01-31",
                "structured_attributes": {},
            },
            {"id": "2", "memory": "Lives in Oslo", "created_at": "2025-07-01T12:00:00Z", "expiration_date": None},
        ],
    }
    first, second = mem0(page, "ada")
    assert not isinstance(first, ForeignMessage)
    assert not isinstance(second, ForeignMessage)
    assert (first.tags, first.observed_ms, first.expires_ms) == (("sport",), NOON_MS, 1_769_904_000_000)
    assert second.expires_ms is None
    with pytest.raises(InvalidInput, match="expiration_date"):
        mem0({"memory": "x", "expiration_date": "soon"}, "ada")


def test_an_agents_turns_without_a_word_are_passed_over() -> None:
    def said(role: str, content: Any, **more: Any) -> dict[str, Any]:
        return {"sender_id": "x", "role": role, "timestamp": NOON_MS, "content": content, **more}

    body = {
        "session_id": "e:1",
        "messages": [
            said("user", "Find a flight."),
            said("assistant", "", tool_calls=[{"id": "c1", "type": "function"}]),
            said("assistant", None, tool_calls=[{"id": "c2", "type": "function"}]),
            said("tool", "{}", tool_call_id="c1"),
            said("user", [{"type": "image", "uri": "https://example.com/a.png"}]),
            said(
                "user", [{"type": "image", "uri": "https://example.com/a.png"}, {"type": "text", "text": "This one."}]
            ),
        ],
    }
    assert contents(everos(body, "ada")) == ["Find a flight.", "This one."]
    with pytest.raises(InvalidInput, match="content"):
        everos({"session_id": "e:1", "messages": [said("user", 5)]}, "ada")


def contents(items: list[Item]) -> list[str]:
    return [one.message.content for one in items if isinstance(one, ForeignMessage)]


def node(identity: str, parent: str | None, role: str, parts: Any, **more: Any) -> dict[str, Any]:
    """A node of ChatGPT's tree."""
    content = {"content_type": more.pop("content_type", "text"), "parts": parts}
    message = {"id": identity, "author": {"role": role}, "create_time": NOON_MS / 1000, "content": content, **more}
    return {"id": identity, "parent": parent, "children": [], "message": message}


CHATGPT = {
    "id": "c-1",
    "title": "Boilers",
    "create_time": NOON_MS / 1000,
    "current_node": "7",
    "mapping": {
        "root": {"id": "root", "parent": None, "message": None},
        "0": node("0", "root", "system", [""]),
        "1": node("1", "0", "user", ["My name is Ada"], metadata={"is_visually_hidden_from_conversation": True}),
        "2": node("2", "1", "user", ["Which boiler is mine?"]),
        "2b": node("2b", "1", "user", ["Which boyler is mine?"]),
        "3": node("3", "2", "assistant", ["search('boiler')"], recipient="browser", content_type="code"),
        "4": node("4", "3", "tool", ["a result"]),
        "5": node("5", "4", "assistant", ["A Vaillant."], create_time=None),
        "6": node("6", "5", "user", [{"asset_pointer": "file://x"}, "And this?"], content_type="multimodal_text"),
        "7": node("7", "6", "assistant", ["A pump."]),
    },
}


def test_of_chatgpt_the_branch_that_stands_is_told_without_tools_and_hidden_words() -> None:
    items = chatgpt(CHATGPT, "ada")
    assert contents(items) == ["Which boiler is mine?", "A Vaillant.", "And this?", "A pump."]
    said = [(one.session_id, one.message.role, one.message.speaker) for one in items if isinstance(one, ForeignMessage)]
    assert set(said) == {("chatgpt:c-1", "user", "ada"), ("chatgpt:c-1", "assistant", "beaver")}
    assert all(one.message.observed_ms == NOON_MS for one in items if isinstance(one, ForeignMessage))


def test_a_tree_that_goes_round_or_names_no_node_is_read_as_far_as_it_goes() -> None:
    round_ = {"1": node("1", "2", "user", ["one"]), "2": node("2", "1", "assistant", ["two"])}
    assert contents(chatgpt({**CHATGPT, "mapping": round_, "current_node": "2"}, "ada")) == ["one", "two"]
    assert contents(chatgpt({**CHATGPT, "current_node": None}, "ada"))[-1] == "A pump."
    assert chatgpt({**CHATGPT, "mapping": {}}, "ada") == []
    with pytest.raises(InvalidInput, match="mapping"):
        chatgpt({"id": "c-1"}, "ada")


def test_of_claude_every_message_with_words_is_told() -> None:
    conversation = {
        "uuid": "u-1",
        "name": "Boilers",
        "created_at": "2025-07-01T12:00:00.000000Z",
        "chat_messages": [
            {"sender": "human", "text": "old text", "content": [{"type": "text", "text": "Hello"}], "created_at": None},
            {"sender": "assistant", "text": "", "content": [{"type": "tool_use", "name": "x"}]},
            {"sender": "assistant", "text": "Hi Ada", "content": [], "created_at": "2025-07-01T12:00:05Z"},
        ],
    }
    items = claude(conversation, "ada")
    assert contents(items) == ["Hello", "Hi Ada"]
    first = items[0]
    assert isinstance(first, ForeignMessage)
    assert (first.session_id, first.message.observed_ms) == ("claude:u-1", NOON_MS)
    with pytest.raises(InvalidInput, match="sender"):
        claude({"uuid": "u", "chat_messages": [{"sender": "bot"}]}, "ada")
