"""Looking through a memory over HTTP, mending it, forgetting; users and their keys."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from tests.support.memory_gateway import MORNING_MS, GatewayUser, new_user, running_gateway


async def page(user: GatewayUser, **query: Any) -> dict[str, Any]:
    response = await user.asked("GET", "/memories", params=query)
    assert response.status_code == 200, response.text
    return dict(response.json())


async def test_memories_are_listed_page_by_page_the_newest_first(ada: GatewayUser) -> None:
    for number in range(5):
        await ada.add("s", f"note {number}", at_ms=MORNING_MS + number // 2)
    told, cursor = list[str](), None
    for _ in range(3):
        answer = await page(ada, limit=2, **({} if cursor is None else {"cursor": cursor}))
        told += [memory["text"] for memory in answer["memories"]]
        cursor = answer.get("next_cursor")
    assert cursor is None
    assert told == ["note 4", "note 3", "note 2", "note 1", "note 0"]


async def test_filters_apply_before_the_limit(ada: GatewayUser) -> None:
    await ada.add("here", "the oldest, here", at_ms=MORNING_MS)
    for number in range(10):
        await ada.add("there", f"newer {number}", at_ms=MORNING_MS + 1 + number)
    here = await page(ada, session_id="chat:here", limit=1)
    early = await page(ada, until=MORNING_MS + 1)
    late = await page(ada, since=MORNING_MS + 10)
    none = await page(ada, kind="observation")
    typed = await page(ada, type="preference")
    assert [memory["text"] for memory in here["memories"]] == ["the oldest, here"]
    assert [memory["text"] for memory in early["memories"]] == ["the oldest, here"]
    assert [memory["text"] for memory in late["memories"]] == ["newer 9"]
    assert none == typed == {"memories": []}


@pytest.mark.parametrize(
    ("query", "param"),
    [
        ({"colour": "red"}, "colour"),
        ({"kind": "dream"}, "kind"),
        ({"type": "dream"}, "type"),
        ({"since": "yesterday"}, "since"),
        ({"limit": "0"}, "limit"),
        ({"limit": "201"}, "limit"),
        ({"cursor": "x"}, "cursor"),
        ({"cursor": "9" * 19 + ":a"}, "cursor"),
    ],
)
async def test_14_what_is_no_filter_is_refused_by_name(ada: GatewayUser, query: dict[str, str], param: str) -> None:
    response = await ada.asked("GET", "/memories", params=query)
    assert (response.status_code, response.json()["error"]["param"]) == (400, param)


async def test_10_a_failure_is_no_empty_page(ada: GatewayUser) -> None:
    assert await page(ada) == {"memories": []}
    without = await ada.http.get("/memories")
    wrong = await ada.asked("GET", "/memories", headers={"Authorization": "Bearer uk_wrong"})
    assert (without.status_code, wrong.status_code) == (401, 401)
    assert (await ada.asked("GET", "/memories/turn_1.0")).status_code == 404


async def test_a_memory_is_read_and_forgotten_by_its_id(ada: GatewayUser) -> None:
    added = await ada.add("s", "The gate code is 4711", "Noted")
    memory_id, other_id = added.json()["message_ids"]
    read = await ada.asked("GET", f"/memories/{memory_id}")
    assert read.json() == {
        "id": memory_id,
        "kind": "message",
        "text": "The gate code is 4711",
        "at": MORNING_MS,
        "session_id": "chat:s",
        "role": "user",
        "speaker": "ada",
    }
    gone = await ada.asked("DELETE", f"/memories/{memory_id}")
    assert (gone.status_code, gone.json()["messages"]) == (200, 1)
    assert (await ada.asked("DELETE", f"/memories/{memory_id}")).status_code == 404
    assert [memory["id"] for memory in (await page(ada))["memories"]] == [other_id]
    assert await ada.texts("gate code") == []


async def test_a_message_stands_as_it_was_said(ada: GatewayUser) -> None:
    memory_id = (await ada.add("s", "as I said")).json()["message_ids"][0]
    response = await ada.asked("PATCH", f"/memories/{memory_id}", json={"title": "as I did not say"})
    assert (response.status_code, response.json()["error"]["param"]) == (400, "memory_id")


async def test_a_body_does_not_say_again_what_the_path_says(ada: GatewayUser) -> None:
    response = await ada.asked("PATCH", "/memories/m1", json={"memory_id": "m2", "title": "x"})
    assert (response.status_code, response.json()["error"]["param"]) == (400, "body")


async def test_a_session_is_forgotten_and_can_be_used_again(ada: GatewayUser) -> None:
    await ada.add("s", "one", "two")
    gone = await ada.asked("DELETE", "/sessions/chat:s")
    assert gone.json() == {"messages": 2, "observations": 0, "summaries": 0, "resources": 0, "sessions": 1, "users": 0}
    assert (await ada.asked("DELETE", "/sessions/chat:s")).status_code == 404
    await ada.add("s", "three")
    assert [memory["text"] for memory in (await page(ada))["memories"]] == ["three"]


async def test_resources_are_listed_and_forgotten_by_uri(ada: GatewayUser) -> None:
    for name in ("b", "a", "c"):
        await ada.call("/resources", {"uri": f"file:///{name} x", "title": name, "text": "herons"})
    first = (await ada.asked("GET", "/resources", params={"limit": 2})).json()
    rest = (await ada.asked("GET", "/resources", params={"cursor": first["next_cursor"]})).json()
    assert [one["uri"] for one in (*first["resources"], *rest["resources"])] == [f"file:///{n} x" for n in "abc"]
    assert first["resources"][0]["characters"] == 6
    gone = await ada.asked("DELETE", "/resources", params={"uri": "file:///b x"})
    assert gone.json()["resources"] == 1
    assert (await ada.asked("DELETE", "/resources", params={"uri": "file:///b x"})).status_code == 404
    assert len((await ada.asked("GET", "/resources")).json()["resources"]) == 2


async def test_1_a_user_is_forgotten_and_no_other(http: httpx.AsyncClient, ada: GatewayUser) -> None:
    bob = await new_user(http, "bob")
    for user in (ada, bob):
        await user.add("s", "the same words")
    assert (await http.delete("/users/ada")).json()["users"] == 1
    assert (await http.delete("/users/ada")).status_code == 404
    assert (await ada.flush("s")).status_code == 401
    assert [memory["text"] for memory in (await page(bob))["memories"]] == ["the same words"]


async def test_one_user_neither_sees_nor_forgets_anothers(http: httpx.AsyncClient, ada: GatewayUser) -> None:
    bob = await new_user(http, "bob")
    memory_id = (await ada.add("s", "ada's own")).json()["message_ids"][0]
    await bob.add("t", "bob's own")
    for method, path in (
        ("GET", f"/memories/{memory_id}"),
        ("DELETE", f"/memories/{memory_id}"),
        ("PATCH", f"/memories/{memory_id}"),
        ("DELETE", "/sessions/chat:s"),
    ):
        assert (await bob.asked(method, path)).status_code == 404
    assert len((await page(ada))["memories"]) == 1


async def test_keys_are_added_listed_by_their_hash_and_revoked(http: httpx.AsyncClient, ada: GatewayUser) -> None:
    second = GatewayUser(http, "ada", (await http.post("/users/ada/keys")).json()["user_key"])
    assert {(await user.flush("s")).status_code for user in (ada, second)} == {200}
    listed = await http.get("/users/ada/keys")
    keys = listed.json()["keys"]
    assert len(keys) == 2
    assert ada.user_key not in listed.text
    revoked = [await http.delete(f"/users/ada/keys/{key['key_id']}") for key in keys]
    assert [response.status_code for response in revoked] == [200, 200]
    assert all(key["revoked_at"] for key in revoked[-1].json()["keys"])
    assert {(await user.flush("s")).status_code for user in (ada, second)} == {401}
    assert (await http.delete("/users/ada/keys/0123456789ab")).status_code == 404
    assert (await http.get("/users/nobody/keys")).status_code == 404


async def test_users_and_keys_are_the_administrators(memory_url: str) -> None:
    async with running_gateway(memory_url, admin_key="correct-horse", trust_loopback=False) as http:
        for method, path in (
            ("DELETE", "/users/ada"),
            ("POST", "/users/ada/keys"),
            ("GET", "/users/ada/keys"),
            ("DELETE", "/users/ada/keys/12345678"),
        ):
            refused = await http.request(method, path, headers={"X-User-Id": "ada", "Authorization": "Bearer uk_x"})
            allowed = await http.request(method, path, headers={"Authorization": "Bearer correct-horse"})
            assert (refused.status_code, allowed.status_code) == (401, 404)


async def test_a_user_who_asks_too_often_is_told_when_to_come_back_and_others_are_not(memory_url: str) -> None:
    async with running_gateway(memory_url, rate_per_minute=3) as http:
        ada, bob = await new_user(http, "ada"), await new_user(http, "bob")
        answers = [await ada.flush("s") for _ in range(4)]
        assert [answer.status_code for answer in answers] == [200, 200, 200, 429]
        assert answers[-1].json()["error"]["code"] == "limit_exceeded"
        assert 1 <= int(answers[-1].headers["retry-after"]) <= 20
        assert (await bob.flush("s")).status_code == 200
