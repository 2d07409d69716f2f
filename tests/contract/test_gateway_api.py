"""The Memory Gateway's API over a real socket: shapes, isolation, idempotency, search, refusals, silence about secrets."""

from __future__ import annotations

import asyncio
import io
import shutil
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from pydantic import SecretStr

from beaver.client.gateway import GatewayCallError, MemoryGatewayClient
from beaver.config.memory import GatewaySettings
from beaver.logs import configure_logs
from beaver.redaction import Redactor
from beaver.schemas.gateway import (
    AddReceipt,
    FlushReceipt,
    GatewayMessage,
    ResourceReceipt,
    SearchResponse,
    UserReceipt,
)
from tests.support.kept_logging import kept_logging
from tests.support.memory_gateway import (
    ALL_SCOPES,
    MORNING_MS,
    GatewayUser,
    gateway_process,
    migrated_database,
    new_user,
    running_gateway,
)


@pytest.fixture(scope="session")
async def empty_database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return await migrated_database(tmp_path_factory.mktemp("gateway") / "empty.db")


@pytest.fixture
def database(tmp_path: Path, empty_database: Path) -> Path:
    return Path(shutil.copy(empty_database, tmp_path / "gateway.db"))


@pytest.fixture
async def http(database: Path) -> AsyncIterator[httpx.AsyncClient]:
    async with running_gateway(database) as client:
        yield client


@pytest.fixture
async def ada(http: httpx.AsyncClient) -> GatewayUser:
    return await new_user(http, "ada")


# --- shapes -----------------------------------------------------------------------------------------------------------


async def test_a_new_user_gets_a_key_of_256_bits(http: httpx.AsyncClient) -> None:
    receipt = UserReceipt.model_validate((await http.post("/users", json={"user_id": "gateway_test_user"})).json())
    assert receipt.user_id == "gateway_test_user"
    assert receipt.user_key.startswith("uk_")
    assert len(receipt.user_key) >= len("uk_") + 43


async def test_a_user_without_an_id_gets_one(http: httpx.AsyncClient) -> None:
    first, second = await new_user(http), await new_user(http)
    assert first.user_id != second.user_id


async def test_a_taken_user_id_is_a_conflict(http: httpx.AsyncClient, ada: GatewayUser) -> None:
    response = await http.post("/users", json={"user_id": ada.user_id})
    assert (response.status_code, response.json()["error"]["code"]) == (409, "conflict")


async def test_the_turn_of_the_documents_is_added_flushed_and_found(http: httpx.AsyncClient) -> None:
    user = await new_user(http, "gateway_test_user")
    identity = {
        "user_id": user.user_id,
        "user_key": user.user_key,
        "app_id": "default",
        "project_id": "default",
    }
    messages = [
        {"sender_id": user.user_id, "role": "user", "timestamp": 1780000000000, "content": "I moved to Lisbon."},
        {"sender_id": "beaver", "role": "assistant", "timestamp": 1780000001000, "content": "Enjoy the sunshine!"},
    ]

    added = await http.post("/memories/add", json={**identity, "session_id": "chat:s1", "messages": messages})
    flushed = await http.post("/memories/flush", json={**identity, "session_id": "chat:s1"})
    search = {"conversation_id": "s1", "query": "Where did I move? Lisbon?", "scope": ["current_chat"], "top_k": 8}
    found = await http.post("/memories/search", json={**identity, **search})

    assert (added.status_code, flushed.status_code, found.status_code) == (200, 200, 200)
    receipt = AddReceipt.model_validate(added.json())
    assert (receipt.session_id, len(receipt.message_ids), receipt.duplicated) == ("chat:s1", 2, False)
    assert FlushReceipt.model_validate(flushed.json()) == FlushReceipt(session_id="chat:s1", flushed_messages=2)
    (result,) = SearchResponse.model_validate(found.json()).results
    assert result.id == receipt.message_ids[0]
    assert (result.session_id, result.text) == ("chat:s1", "I moved to Lisbon.")
    assert (result.source_scope, result.resource_uri) == ("current_chat", None)
    assert result.raw is not None
    assert (result.raw["role"], result.raw["speaker"]) == ("user", "gateway_test_user")


async def test_our_own_client_is_understood(http: httpx.AsyncClient, ada: GatewayUser) -> None:
    settings = GatewaySettings(base_url=str(http.base_url), user_id="ada", user_key=SecretStr(ada.user_key))
    client = MemoryGatewayClient(settings)
    message = GatewayMessage(sender_id="ada", role="user", timestamp=MORNING_MS, content="I keep bees.")
    try:
        for _ in range(2):
            await client.add(session_id="s", messages=[message], idempotency_key="run-1")
        await client.flush(session_id="s")
        (item,) = await client.search("s", "who keeps bees?")
        assert (item.session_id, item.text, item.source_scope) == ("chat:s", "I keep bees.", "current_chat")
        assert (await ada.flush("s")).json()["flushed_messages"] == 0
        with pytest.raises(GatewayCallError) as raised:
            await client.add(session_id="s", messages=[message, message], idempotency_key="run-1")
        assert (raised.value.status, raised.value.outcome) == (409, "refused")
    finally:
        await client.aclose()


async def test_app_and_project_are_default_when_left_out(http: httpx.AsyncClient, ada: GatewayUser) -> None:
    await ada.add("s", "The kettle is blue")
    body = {"user_id": ada.user_id, "user_key": ada.user_key, "conversation_id": "s", "query": "kettle"}
    response = await http.post("/memories/search", json={**body, "scope": ["current_chat"]})
    assert [result["text"] for result in response.json()["results"]] == ["The kettle is blue"]


async def test_health_needs_no_key(http: httpx.AsyncClient) -> None:
    response = await http.get("/health")
    assert (response.status_code, response.json()["status"]) == (200, "ok")


# --- search -----------------------------------------------------------------------------------------------------------


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


async def test_results_come_in_order_of_relevance(ada: GatewayUser) -> None:
    await ada.add("s", "The weather was fine in Porto")
    await ada.add("s", "The violin lesson in Porto is on Thursday at five")
    await ada.add("s", "A violin costs a lot")
    found = await ada.search("When is the violin lesson in Porto?")
    assert found[0]["text"] == "The violin lesson in Porto is on Thursday at five"
    scores = [result["score"] for result in found]
    assert scores == sorted(scores, reverse=True)
    assert len(set(scores)) > 1


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


# --- resources --------------------------------------------------------------------------------------------------------


async def test_a_document_is_found_with_its_uri(ada: GatewayUser) -> None:
    stored = await ada.call(
        "/resources", {"uri": "file:///handbook.md", "title": "Handbook", "text": "Thirty holidays."}
    )
    assert ResourceReceipt.model_validate(stored.json()) == ResourceReceipt(uri="file:///handbook.md", chunks=1)
    (result,) = await ada.search("how many holidays", scope=["resources"])
    assert (result["resource_uri"], result["source_scope"]) == ("file:///handbook.md", "resources")
    assert result["text"] == "Thirty holidays."
    assert "session_id" not in result


async def test_the_same_uri_replaces_the_document_whole(ada: GatewayUser) -> None:
    long = "\n\n".join(f"Paragraph {number} about marmots. " + "And more words. " * 60 for number in range(5))
    first = await ada.call("/resources", {"uri": "file:///a", "text": long})
    second = await ada.call("/resources", {"uri": "file:///a", "text": "Only about herons."})
    assert first.json()["chunks"] == 5
    assert second.json() == {"uri": "file:///a", "chunks": 1, "replaced": True}
    assert await ada.texts("marmots") == []
    assert await ada.texts("herons") == ["Only about herons."]


# --- isolation --------------------------------------------------------------------------------------------------------


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


# --- idempotency ------------------------------------------------------------------------------------------------------


async def test_30_a_retried_add_is_a_no_op_with_the_same_receipt(ada: GatewayUser) -> None:
    first = (await ada.add("s", "Remember the milk", key="run-1")).json()
    again = (await ada.add("s", "Remember the milk", key="run-1")).json()
    assert again == {**first, "duplicated": True}
    assert first["duplicated"] is False
    assert (await ada.flush("s")).json()["flushed_messages"] == 1


async def test_a_key_that_stood_for_another_body_is_a_conflict(ada: GatewayUser) -> None:
    await ada.add("s", "Remember the milk", key="run-1")
    response = await ada.add("s", "Remember the bread", key="run-1")
    assert (response.status_code, response.json()["error"]["code"]) == (409, "conflict")
    assert await ada.texts("bread") == []


async def test_without_a_key_the_same_body_is_stored_twice(ada: GatewayUser) -> None:
    await ada.add("s", "ping")
    await ada.add("s", "ping")
    assert (await ada.flush("s")).json()["flushed_messages"] == 2


async def test_keys_of_two_users_are_apart(http: httpx.AsyncClient, ada: GatewayUser) -> None:
    bob = await new_user(http, "bob")
    await ada.add("s", "from ada", key="run-1")
    response = await bob.add("s", "from bob", key="run-1")
    assert (response.status_code, response.json()["duplicated"]) == (200, False)


async def test_a_retried_document_is_not_replaced_by_itself(ada: GatewayUser) -> None:
    headers = {"Idempotency-Key": "doc-1"}
    body = {"uri": "file:///a", "text": "About herons."}
    first = await ada.call("/resources", body, headers)
    again = await ada.call("/resources", body, headers)
    assert (first.json(), again.json()) == ({"uri": "file:///a", "chunks": 1, "replaced": False},) * 2


async def test_a_retried_user_is_the_same_user_and_both_keys_work(http: httpx.AsyncClient) -> None:
    headers = {"Idempotency-Key": "setup"}
    first, again = [(await http.post("/users", json={}, headers=headers)).json() for _ in range(2)]
    assert first["user_id"] == again["user_id"]
    for receipt in (first, again):
        user = GatewayUser(http, receipt["user_id"], receipt["user_key"])
        assert (await user.flush("s")).status_code == 200


@pytest.mark.parametrize("key", ["", "x" * 256])
async def test_a_key_that_is_none_is_refused(ada: GatewayUser, key: str) -> None:
    response = await ada.call(
        "/memories/add",
        {
            "session_id": "chat:s",
            "messages": [{"sender_id": "ada", "role": "user", "timestamp": 1, "content": "x"}],
        },
        {"Idempotency-Key": key},
    )
    assert (response.status_code, response.json()["error"]["param"]) == (400, "Idempotency-Key")


async def test_many_senders_of_one_key_store_one_turn(ada: GatewayUser) -> None:
    receipts = [
        response.json() for response in await asyncio.gather(*(ada.add("s", "once", key="one") for _ in range(20)))
    ]
    assert len({tuple(receipt["message_ids"]) for receipt in receipts}) == 1
    assert sorted(receipt["duplicated"] for receipt in receipts) == [False] + [True] * 19
    assert (await ada.flush("s")).json()["flushed_messages"] == 1


# --- flush ------------------------------------------------------------------------------------------------------------


async def test_a_flush_can_be_repeated(ada: GatewayUser) -> None:
    await ada.add("s", "one", "two")
    assert [(await ada.flush("s")).json()["flushed_messages"] for _ in range(2)] == [2, 0]
    await ada.add("s", "three")
    assert (await ada.flush("s")).json()["flushed_messages"] == 1


async def test_a_flush_covers_its_session_only(ada: GatewayUser) -> None:
    await ada.add("a", "one")
    await ada.add("b", "two")
    assert (await ada.flush("a")).json() == {"session_id": "chat:a", "flushed_messages": 1}
    assert (await ada.flush("never")).json()["flushed_messages"] == 0


# --- refusals ---------------------------------------------------------------------------------------------------------


async def test_a_wrong_key_and_an_unknown_user_are_refused_alike(http: httpx.AsyncClient, ada: GatewayUser) -> None:
    wrong = await GatewayUser(http, ada.user_id, "uk_" + "x" * 43).flush("s")
    unknown = await GatewayUser(http, "nobody", ada.user_key).flush("s")
    assert wrong.status_code == 401
    assert wrong.json()["error"]["code"] == "unauthorized"
    assert (unknown.status_code, unknown.content) == (wrong.status_code, wrong.content)


async def test_a_key_of_another_user_is_refused(http: httpx.AsyncClient, ada: GatewayUser) -> None:
    bob = await new_user(http, "bob")
    assert (await GatewayUser(http, ada.user_id, bob.user_key).add("s", "x")).status_code == 401


@pytest.mark.parametrize(
    ("path", "change", "param"),
    [
        ("/memories/search", {"top_k": 0}, "top_k"),
        ("/memories/search", {"top_k": 101}, "top_k"),
        ("/memories/search", {"top_k": True}, "top_k"),
        ("/memories/search", {"scope": []}, "scope"),
        ("/memories/search", {"scope": ["everything"]}, "scope.0"),
        ("/memories/search", {"conversation_id": " "}, "conversation_id"),
        ("/memories/search", {"user_id": "a\nb"}, None),
        ("/memories/search", {"app_id": "x" * 257}, "app_id"),
        ("/memories/flush", {"session_id": ""}, "session_id"),
        ("/memories/flush", {"session_id": "a\x00b"}, "session_id"),
        ("/memories/add", {"messages": []}, "messages"),
        ("/memories/add", {"messages": [{"role": "user"}]}, "messages.0.sender_id"),
        ("/resources", {"uri": " "}, "uri"),
        ("/resources", {"uri": "x" * 2049}, "uri"),
    ],
)
async def test_a_broken_rule_names_its_field(
    ada: GatewayUser, path: str, change: dict[str, Any], param: str | None
) -> None:
    whole: dict[str, dict[str, Any]] = {
        "/memories/search": {"conversation_id": "s", "query": "q", "scope": ["resources"]},
        "/memories/flush": {"session_id": "chat:s"},
        "/memories/add": {"session_id": "chat:s", "messages": []},
        "/resources": {"uri": "file:///a", "text": "x"},
    }
    response = await ada.call(path, {**whole[path], **change})
    if param is None:
        assert response.status_code == 401
    else:
        assert (response.status_code, response.json()["error"]["code"]) == (400, "invalid_input")
        assert response.json()["error"]["param"] == param


@pytest.mark.parametrize("timestamp", [0, -1, True, 1.5, "1", 10**18])
async def test_a_time_that_is_none_is_refused_and_nothing_is_stored(ada: GatewayUser, timestamp: Any) -> None:
    message = {"sender_id": "ada", "role": "user", "timestamp": timestamp, "content": "early bird"}
    response = await ada.call("/memories/add", {"session_id": "chat:s", "messages": [message]})
    assert (response.status_code, response.json()["error"]["param"]) == (400, "messages.0.timestamp")
    assert await ada.texts("bird") == []


async def test_14_unknown_keys_are_refused_by_name(ada: GatewayUser) -> None:
    response = await ada.call(
        "/memories/search", {"conversation_id": "s", "query": "q", "scope": ["resources"], "filter_by": {}}
    )
    assert response.status_code == 400
    assert response.json()["error"] == {
        "message": "filter_by: is not a known key",
        "type": "invalid_request_error",
        "code": "invalid_input",
        "param": "filter_by",
    }


@pytest.mark.parametrize("body", [b"", b"{", b"\xff\xfe", b"[" * 100_000, b'{"a": ' + b"9" * 5000 + b"}"])
async def test_what_is_not_json_is_invalid_json(http: httpx.AsyncClient, body: bytes) -> None:
    response = await http.post("/memories/add", content=body, headers={"content-type": "application/json"})
    assert (response.status_code, response.json()["error"]["code"]) == (400, "invalid_json")


@pytest.mark.parametrize("body", ["[]", '"text"', "1", "null"])
async def test_json_that_is_no_object_is_refused(http: httpx.AsyncClient, body: str) -> None:
    response = await http.post("/memories/add", content=body, headers={"content-type": "application/json"})
    assert (response.status_code, response.json()["error"]["param"]) == (400, "body")


@pytest.mark.parametrize(
    ("media", "status"),
    [
        ("application/json; charset=utf-8", 200),
        ("application/vnd.beaver+json", 200),
        ("text/plain", 400),
        ("application/x-www-form-urlencoded", 400),
    ],
)
async def test_the_body_must_call_itself_json(http: httpx.AsyncClient, media: str, status: int) -> None:
    response = await http.post("/users", content=b"{}", headers={"content-type": media})
    assert response.status_code == status


async def test_a_body_without_a_type_is_read_as_json(http: httpx.AsyncClient) -> None:
    assert (await http.post("/users", content=b"{}")).status_code == 200


async def test_unknown_paths_and_methods_have_problems_too(http: httpx.AsyncClient) -> None:
    missing, wrong = await http.post("/memories/forget", json={}), await http.get("/memories/add")
    assert (missing.status_code, missing.json()["error"]["code"]) == (404, "not_found")
    assert (wrong.status_code, wrong.json()["error"]["code"]) == (405, "method_not_allowed")
    assert wrong.headers["allow"] == "POST"


@pytest.mark.parametrize("declared", [True, False])
async def test_a_body_over_the_limit_is_refused_while_it_is_read(database: Path, declared: bool) -> None:
    async def pieces() -> AsyncIterator[bytes]:
        for _ in range(40):
            yield b" " * 1000

    async with running_gateway(database, body_bytes_max=20_000) as http:
        content = b" " * 40_000 if declared else pieces()
        response = await http.post("/users", content=content, headers={"content-type": "application/json"})
        assert (response.status_code, response.json()["error"]["code"]) == (413, "payload_too_large")
        assert (await http.get("/health")).status_code == 200


# --- who may make users -----------------------------------------------------------------------------------------------


async def test_the_admin_key_makes_users_where_loopback_is_not_trusted(database: Path) -> None:
    async with running_gateway(database, admin_key="correct-horse", trust_loopback=False) as http:
        without = await http.post("/users", json={})
        wrong = await http.post("/users", json={}, headers={"Authorization": "Bearer wrong"})
        right = await http.post("/users", json={}, headers={"Authorization": "Bearer correct-horse"})
    assert [response.status_code for response in (without, wrong, right)] == [401, 401, 200]


async def test_without_an_admin_key_nobody_makes_users_from_outside(database: Path) -> None:
    async with running_gateway(database, trust_loopback=False) as http:
        for headers in ({}, {"Authorization": "Bearer"}, {"Authorization": "Bearer None"}):
            assert (await http.post("/users", json={}, headers=headers)).status_code == 401


@pytest.mark.parametrize(
    "header",
    [
        {"X-Forwarded-For": "127.0.0.1"},
        {"Forwarded": "for=127.0.0.1"},
        {"Origin": "https://evil.example"},
        {"Host": "evil.example"},
    ],
)
async def test_a_proxied_call_or_a_web_page_is_not_taken_for_this_machine(
    http: httpx.AsyncClient, header: dict[str, str]
) -> None:
    assert (await http.post("/users", json={}, headers=header)).status_code == 401


# --- silence ----------------------------------------------------------------------------------------------------------


async def test_neither_key_nor_text_is_ever_logged_or_told_back(database: Path) -> None:
    canary, stream = "canaryword7391", io.StringIO()
    with kept_logging():
        configure_logs("gateway", Redactor(), stream=stream)
        async with running_gateway(database, body_bytes_max=50_000) as http:
            user = await new_user(http, "ada")
            key = user.user_key
            await user.add("s", f"the word is {canary}")
            refused = [
                await GatewayUser(http, "mallory", key).add("s", canary),
                await user.call("/memories/add", {"session_id": canary * 30, "messages": [{"content": canary}]}),
                await user.call("/memories/add", {"session_id": "chat:s", "messages": canary}),
                await user.call("/memories/add", {"session_id": "chat:s", "messages": [], key: canary}),
                await user.call("/memories/search", {"conversation_id": "s", "query": 5, "scope": [canary]}),
                await user.call("/resources", {"uri": canary + "\n", "text": canary}),
                await user.add("s", canary * 10_000),
                await user.add("s", canary, key=canary * 30),
                await http.post("/memories/add", content=f'{{"{canary}": "{key}"'.encode()),
                await http.post(f"/{canary}", json={"user_key": key}),
            ]
    assert all(response.status_code >= 400 for response in refused)
    said = stream.getvalue() + "".join(response.text for response in refused)
    assert canary not in said
    assert key not in said


async def test_a_bug_of_ours_is_logged_by_place_and_told_as_internal(
    database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stream = io.StringIO()
    monkeypatch.setattr("beaver.memory.search.plan_query", _broken)
    with kept_logging():
        configure_logs("gateway", Redactor(), stream=stream)
        async with running_gateway(database) as http:
            user = await new_user(http, "ada")
            await user.add("s", "canaryword")
            response = await user.call(
                "/memories/search", {"conversation_id": "s", "query": "canaryword", "scope": ["resources"]}
            )
    assert (response.status_code, response.json()["error"]["code"]) == (500, "internal")
    assert "gateway.request_failed" in stream.getvalue()
    assert "RuntimeError" in stream.getvalue()
    assert "canaryword" not in stream.getvalue() + response.text


def _broken(text: str) -> None:
    raise RuntimeError(f"cannot plan {text}")


# --- processes --------------------------------------------------------------------------------------------------------


async def test_what_was_added_outlives_kill_9_and_so_does_its_receipt(tmp_path: Path) -> None:
    async with gateway_process(tmp_path) as process:
        async with httpx.AsyncClient(base_url=process.url, trust_env=False, timeout=30) as http:
            user = await new_user(http, "ada")
            receipt = (await user.add("s", "The spare key is at Olga's", key="run-1")).json()
            process.kill()
            await process.start()
            assert await user.texts("who has the spare key?") == ["The spare key is at Olga's"]
            again = (await user.add("s", "The spare key is at Olga's", key="run-1")).json()
            assert again == {**receipt, "duplicated": True}
            assert (await user.add("s", "another body", key="run-1")).status_code == 409
        assert process.stop() == 0
        log = process.log.read_text()
    assert "gateway.started" in log
    assert "gateway.stopped" in log
    assert user.user_key not in log
    assert "Olga" not in log


# --- many at once -----------------------------------------------------------------------------------------------------


async def test_fifty_adds_and_searches_at_once_all_succeed(ada: GatewayUser) -> None:
    added = await asyncio.gather(*(ada.add(f"s{number % 5}", f"parallel fact number {number}") for number in range(50)))
    assert {response.status_code for response in added} == {200}
    both: list[Any] = await asyncio.gather(
        *(ada.texts(f"fact number {number}") for number in range(25)),
        *(ada.add("s", f"later fact {number}") for number in range(25)),
    )
    for number in range(25):
        assert both[number][0] == f"parallel fact number {number}"
    flushed = await asyncio.gather(*(ada.flush(f"s{number}") for number in range(5)))
    assert sum(response.json()["flushed_messages"] for response in flushed) == 50
