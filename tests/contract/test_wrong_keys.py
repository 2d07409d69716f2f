"""Wrong keys are limited by the address that they come from; right ones are never kept out by them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from beaver.server.guard.wrong_keys import AT_ONCE, WrongKeys
from beaver.sessions.key_store import KeyStore
from beaver.sessions.keys import make_key
from tests.contract.chat_server.limited import add_key
from tests.contract.chat_server.scene import ANSWER
from tests.support.chat_server import CURATED, RunningChatServer, running_chat_server

LOCKED = {**CURATED, "server": {"requireKeys": True}}


async def status(server: RunningChatServer, headers: dict[str, str]) -> int:
    return (await server.client.get("/v1/sessions", headers=headers)).status_code


def wrong() -> dict[str, str]:
    return {"Authorization": f"Bearer {make_key().secret}"}


async def test_after_many_wrong_keys_they_are_refused_without_a_look_and_a_right_one_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # However slow the machine is, none may come anew.
    monkeypatch.setattr("beaver.server.guard.keyring.WrongKeys", lambda: WrongKeys(every_s=1e6))
    looked: list[str] = []
    find = KeyStore.find

    async def counted(store: KeyStore, tx: Any, secret: str) -> Any:
        looked.append(secret)
        return await find(store, tx, secret)

    monkeypatch.setattr(KeyStore, "find", counted)
    async with running_chat_server(tmp_path, [ANSWER], config=LOCKED) as server:
        key = await add_key(server.engine.database, "k1", "read")
        assert [await status(server, wrong()) for _ in range(AT_ONCE + 3)] == [401] * AT_ONCE + [429] * 3
        assert len(looked) == AT_ONCE
        refused = await server.client.get("/v1/sessions", headers=wrong())
        assert (refused.json()["error"]["code"], "Retry-After" in refused.headers) == ("limit_exceeded", True)
        assert await status(server, key) == 200
        assert await status(server, wrong()) == 429


def test_an_address_may_send_a_few_at_once_and_then_one_in_a_while() -> None:
    now = [100.0]
    keys = WrongKeys(at_once=2, every_s=3, clock=lambda: now[0])
    for _ in range(2):
        assert not keys.were_too_many("a")
        keys.note("a")
    assert keys.were_too_many("a")
    assert not keys.were_too_many("b")
    now[0] += 3
    assert not keys.were_too_many("a")
    keys.note("a")
    assert keys.were_too_many("a")


def test_of_many_addresses_those_that_were_wrong_last_are_remembered() -> None:
    keys = WrongKeys(at_once=1, addresses_max=2, clock=lambda: 0.0)
    for address in ("a", "b", "a", "c"):
        keys.note(address)
    assert [keys.were_too_many(address) for address in ("a", "b", "c")] == [True, False, True]
