"""What a search finds, in which order, and that it never finds another's."""

from __future__ import annotations

import httpx
import pytest

from beaver.memory.namespace import Namespace
from beaver.memory.observations.records import NewObservation
from beaver.memory.records import NewMessage, Question
from beaver.schemas.gateway import SCOPES, ResourceReceipt, Scope
from tests.support.memory_engine import engine_with
from tests.support.memory_gateway import ALL_SCOPES, MORNING_MS, GatewayUser, new_user, running_gateway
from tests.support.memory_views import observation


async def test_a_message_is_found_as_soon_as_add_returns_without_a_flush(ada: GatewayUser) -> None:
    await ada.add("s", "My dog is called Rex")
    assert await ada.texts("what is my dog called?") == ["My dog is called Rex"]


async def test_scopes_hold_what_they_say(ada: GatewayUser) -> None:
    await ada.add("here", "badger in this chat")
    await ada.add("there", "badger in another chat")
    await ada.call("/resources", {"uri": "file:///badger.md", "title": "", "text": "badger in a document"})

    async def scoped(*scope: str) -> dict[str, str]:
        found = await ada.search("badger", session="here", scope=list(scope))
        return {result["text"]: result["source_scope"] for result in found}

    here, there, document = "badger in this chat", "badger in another chat", "badger in a document"
    assert await scoped("current_chat") == {here: "current_chat"}
    assert await scoped("resources") == {document: "resources"}
    assert await scoped("all_user_memory") == {here: "all_user_memory", there: "all_user_memory"}
    assert await scoped("current_chat", "all_user_memory") == {here: "current_chat", there: "all_user_memory"}
    assert await scoped(*ALL_SCOPES) == {here: "current_chat", there: "all_user_memory", document: "resources"}


async def test_a_session_of_another_prefix_is_not_the_current_chat(ada: GatewayUser) -> None:
    message = {"sender_id": "ada", "role": "user", "timestamp": MORNING_MS, "content": "otter outside of chats"}
    await ada.call("/memories/add", {"session_id": "s", "messages": [message]})
    assert await ada.texts("otter", session="s", scope=["current_chat"]) == []
    assert await ada.texts("otter", session="s", scope=["all_user_memory"]) == ["otter outside of chats"]


async def test_an_unrelated_query_returns_nothing(ada: GatewayUser) -> None:
    await ada.add("s", "My dog is called Rex", "What a fine name for a dog")
    await ada.add("s", "We decided to paint the kitchen green", "Green suits a kitchen")
    assert await ada.texts("Explain the Krebs cycle and mitochondrial respiration") == []
    assert await ada.texts("How do I configure nginx as a reverse proxy with TLS so that it is called by name?") == []


async def test_a_result_tells_when_and_by_whom_it_was_said_and_what_took_its_place(ada: GatewayUser) -> None:
    await ada.add("s", "I live in Paris", "A city of bridges")
    await ada.flush("s")
    await ada.add("t", "I moved to Berlin", at_ms=MORNING_MS + 5)
    await ada.flush("t")
    await ada.call("/resources", {"uri": "file:///paris.md", "title": "", "text": "bridges of Paris"})

    by_text = {one["text"]: one for one in await ada.search("Paris, Berlin, a city of bridges")}

    old, answer = by_text["I live in Paris"], by_text["A city of bridges"]
    assert (old["at"], old["role"], old["speaker"]) == (MORNING_MS, "user", "ada")
    (newer,) = old["superseded_by"]
    assert (newer["title"], newer["since"]) == ("I moved to Berlin", MORNING_MS + 5)
    assert (answer["role"], answer["speaker"], answer.get("superseded_by")) == ("assistant", "beaver", None)
    document = by_text["bridges of Paris"]
    assert document["at"] > MORNING_MS
    assert "role" not in document


async def test_an_observation_that_learned_more_tells_when_it_did(memory_url: str) -> None:
    namespace, day_ms = Namespace("default", "default", "ada"), 86_400_000
    async with engine_with(memory_url, "ada") as runtime:
        for days_ago, fact in ((60, "lives in Berlin"), (20, "lives in Hamburg")):
            facts, at_ms = (fact, "has two cats"), MORNING_MS - days_ago * day_ms
            await runtime.write_observation(
                namespace, NewObservation("event", "Profile", facts=facts, observed_ms=at_ms)
            )
        (found,) = await runtime.search(namespace, Question("Hamburg", "chat:s", SCOPES, 8))
    assert "Berlin" not in found.text
    assert found.why["observed_ms"] == MORNING_MS - 20 * day_ms


async def test_an_observation_that_stands_behind_its_message_is_used_too(memory_url: str) -> None:
    async with running_gateway(memory_url) as http:
        ada = await new_user(http, "ada")
        await ada.add("s", "I live in Paris")
        await ada.flush("s")
        (found,) = await ada.search("Paris")
        (learned,) = [one for one in (found["id"], *found["raw"]["also"]) if one.startswith("obs_")]
    async with engine_with(memory_url) as runtime:  # whatever was noted is written by now
        assert (await observation(runtime, Namespace("default", "default", "ada"), learned)).used_ms is not None


async def test_results_come_in_order_of_relevance(ada: GatewayUser) -> None:
    await ada.add("s", "The weather was fine in Porto")
    await ada.add("s", "The violin lesson in Porto is on Thursday at five")
    await ada.add("s", "A violin costs a lot")
    found = await ada.search("When is the violin lesson in Porto?")
    assert found[0]["text"] == "The violin lesson in Porto is on Thursday at five"
    scores = [result["score"] for result in found]
    assert scores == sorted(scores, reverse=True)
    assert len(set(scores)) > 1


async def test_a_question_with_a_slip_of_the_keyboard_is_answered(ada: GatewayUser) -> None:
    await ada.add("s", "My husband is called Tom")
    assert await ada.texts("what's the name of my husbnad") == ["My husband is called Tom"]


async def test_recency_decides_between_equals(ada: GatewayUser) -> None:
    await ada.add("old", "The office code is 1234", at_ms=MORNING_MS - 90 * 86_400_000)
    await ada.add("new", "The office code is 9876", at_ms=MORNING_MS)
    assert (await ada.texts("office code"))[0] == "The office code is 9876"


async def test_without_text_the_newest_in_scope_come_first(ada: GatewayUser) -> None:
    await ada.add("s", "first", at_ms=MORNING_MS)
    await ada.add("s", "second", at_ms=MORNING_MS + 1000)
    await ada.add("other", "third", at_ms=MORNING_MS + 2000)
    assert await ada.texts("  ", session="s", scope=["current_chat"]) == ["second", "first"]
    assert await ada.texts("", top_k=2) == ["third", "second"]


async def test_who_asks_what_is_known_of_them_is_told_what_was_learned_the_newest_first(ada: GatewayUser) -> None:
    await ada.add("a", "I live in Paris", "A fine city")
    await ada.flush("a")
    await ada.add("b", "I prefer tea to coffee", "Noted", at_ms=MORNING_MS + 5)
    await ada.flush("b")
    await ada.call("/resources", {"uri": "file:///me.md", "title": "", "text": "all that you know about me"})

    told = [text.splitlines()[0] for text in await ada.texts("What do you know about me?")]
    assert told == ["I prefer tea to coffee", "I live in Paris"]
    assert [one["raw"]["source"] for one in await ada.search("Who am I?", session="a", scope=["current_chat"])] == [
        "observation"
    ]
    assert await ada.texts("Who am I?", scope=["resources"]) == ["all that you know about me"]


async def test_a_question_that_names_nothing_but_a_day_is_answered_with_what_was_said_then(memory_url: str) -> None:
    namespace, day_ms = Namespace("default", "default", "ada"), 86_400_000
    async with engine_with(memory_url, "ada") as runtime:  # it is 28 May 2026
        for days_ago, text in ((1, "The heron came back"), (15, "We painted the boat"), (400, "A storm took the roof")):
            said = NewMessage("user", "ada", MORNING_MS - days_ago * day_ms, text)
            await runtime.add(namespace, "chat:s", [said])

        async def asked(text: str, *scopes: Scope) -> list[str]:
            found = await runtime.search(namespace, Question(text, "chat:new", scopes or SCOPES, 8))
            return [one.text for one in found]

        assert await asked("What did I say yesterday?") == ["The heron came back"]
        assert await asked("What did I tell you two weeks ago?") == ["We painted the boat"]
        assert await asked("what did we talk about on 13 May") == ["We painted the boat"]
        assert await asked("What did I say in May?") == ["The heron came back", "We painted the boat"]
        assert await asked("What happened in April 2025?") == ["A storm took the roof"]
        assert await asked("What did I say this month?") == ["The heron came back", "We painted the boat"]
        assert await asked("What did I say yesterday?", "current_chat") == []
        assert await asked("What did I say in May 2020?") == []
        assert (await asked("What did I paint two weeks ago?"))[0] == "We painted the boat"


async def test_where_nothing_was_learned_yet_what_was_said_last_is_told_instead(ada: GatewayUser) -> None:
    await ada.add("a", "Ich wohne in Hamburg", "Schön")
    assert await ada.texts("Was weißt du über mich?") == ["Schön", "Ich wohne in Hamburg"]


@pytest.mark.parametrize(
    "query",
    [
        "???",
        '"',
        "NEAR(a b)",
        'text : "x" OR scope : n1',
        "AND OR NOT",
        "*",
        "^dog",
        "-dog",
        "{text scope}: dog",
        "'; DROP TABLE messages; --",
        "%_\\",
        "\x00\x02\x03",
        "\ud800 lone",
        "(((((",
        "a" * 5000,
        "dog " * 5000,
        "🐶‍🦺\u200b\u202e",
    ],
)
async def test_no_query_is_an_error(ada: GatewayUser, query: str) -> None:
    await ada.add("s", "My dog is called Rex")
    body = {"conversation_id": "s", "scope": ALL_SCOPES, "top_k": 8}
    escaped = "".join(f"\\u{ord(sign):04x}" if ord(sign) < 0x10000 else sign for sign in query)
    raw = '{"query": "' + escaped + '", '
    raw += "".join(f'"{name}": "{value}", ' for name, value in [("user_id", ada.user_id), ("user_key", ada.user_key)])
    raw += f'"conversation_id": "{body["conversation_id"]}", "scope": ["all_user_memory"], "top_k": 8' + "}"
    response = await ada.http.post(
        "/memories/search", content=raw.encode(), headers={"content-type": "application/json"}
    )
    assert response.status_code == 200, response.text


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ("我喜欢在周末去杭州西湖边散步", "周末去哪里散步"),
        ("我的猫叫咪咪，今年三岁", "猫叫什么名字"),
        ("我最喜歡喝珍珠奶茶", "珍珠奶茶"),
        ("来週の金曜日に京都で会議があります", "京都の会議はいつですか"),
        ("好きな果物はりんごです", "りんご"),
        ("コーヒーよりも紅茶が好きです", "紅茶"),
        ("다음 주 금요일에 부산에서 회의가 있습니다", "부산 회의 언제"),
        ("저는 김치찌개를 제일 좋아해요", "김치찌개"),
        ("Meine Schwester heißt Jürgensen und wohnt in Köln", "Wer wohnt in Koeln?"),
        ("Der Schlüssel liegt unter der Fußmatte", "Wo liegt der Schluessel? Fussmatte?"),
        ("Ich fahre übermorgen nach Düsseldorf", "dusseldorf"),
    ],
)
async def test_17_memories_in_other_scripts_are_found(ada: GatewayUser, said: str, asked: str) -> None:
    for number, other in enumerate(
        ["今天天气很好", "明日は雨です", "오늘은 날씨가 좋다", "Heute ist Montag", "It is late"]
    ):
        await ada.add(f"s{number}", other)
    await ada.add("s", said)
    assert (await ada.texts(asked))[0] == said


async def test_a_text_of_a_megabyte_is_stored_and_its_middle_is_found(ada: GatewayUser) -> None:
    filler = "Nothing of note happened on that day in the valley. " * 10_000
    text = filler + "The treasure lies under the walnut tree. " + filler
    assert len(text) > 1_000_000
    added = await ada.add("s", text)
    assert added.status_code == 200
    (result,) = await ada.search("treasure walnut")
    assert "The treasure lies under the walnut tree." in result["text"]
    assert result["id"] == added.json()["message_ids"][0]
    assert len(result["text"]) <= 1200


async def test_a_document_is_found_with_its_uri(ada: GatewayUser) -> None:
    stored = await ada.call(
        "/resources", {"uri": "file:///handbook.md", "title": "Handbook", "text": "Thirty holidays."}
    )
    assert ResourceReceipt.model_validate(stored.json()) == ResourceReceipt(uri="file:///handbook.md", chunks=1)
    (result,) = await ada.search("how many holidays", scope=["resources"])
    assert (result["resource_uri"], result["source_scope"]) == ("file:///handbook.md", "resources")
    assert result["text"] == "Thirty holidays."
    assert "session_id" not in result


async def test_of_a_document_section_and_page_are_told_and_the_same_again_is_unchanged(ada: GatewayUser) -> None:
    text = "# Handbook\n\nWelcome.\n\f\n## Leave\n\nThirty holidays."
    body = {"uri": "file:///handbook.pdf", "title": "Handbook", "text": text}
    assert (await ada.call("/resources", body)).json() == {"uri": body["uri"], "chunks": 2, "replaced": False}
    again = await ada.call("/resources", body)
    assert again.json() == {"uri": body["uri"], "chunks": 2, "replaced": False, "unchanged": True}
    (result, *_) = await ada.search("how many holidays", scope=["resources"])
    assert (result["title"], result["section"], result["page"]) == ("Handbook", "Leave", 2)


async def test_the_same_uri_replaces_the_document_whole(ada: GatewayUser) -> None:
    long = "\n\n".join(f"Paragraph {number} about marmots. " + "And more words. " * 60 for number in range(5))
    first = await ada.call("/resources", {"uri": "file:///a", "text": long})
    second = await ada.call("/resources", {"uri": "file:///a", "text": "Only about herons."})
    assert first.json()["chunks"] == 5
    assert second.json() == {"uri": "file:///a", "chunks": 1, "replaced": True}
    assert await ada.texts("marmots") == []
    assert await ada.texts("herons") == ["Only about herons."]


async def test_13_search_never_crosses_users_apps_or_projects(http: httpx.AsyncClient, ada: GatewayUser) -> None:
    bob = await new_user(http, "bob")
    for user in (ada, bob):
        await user.add("same", f"the password hint of {user.user_id} is walrus")
        await user.call("/resources", {"uri": "file:///same", "text": f"walrus notes of {user.user_id}"})
    elsewhere = {"sender_id": "ada", "role": "user", "timestamp": MORNING_MS, "content": "walrus of another project"}
    await ada.call("/memories/add", {"session_id": "chat:same", "messages": [elsewhere], "project_id": "other"})

    assert set(await ada.texts("walrus", session="same")) == {
        "the password hint of ada is walrus",
        "walrus notes of ada",
    }
    assert set(await bob.texts("walrus", session="same")) == {
        "the password hint of bob is walrus",
        "walrus notes of bob",
    }
    assert len(await bob.texts("", session="same")) == 2
