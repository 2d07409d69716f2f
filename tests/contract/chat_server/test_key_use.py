"""When a key was last used: noted by whichever server it comes to, once a minute, behind the request's back."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest
import structlog

from beaver.db.engine import Database
from beaver.errors import Unavailable
from beaver.server.guard.key_use import NOTED_EVERY_S, KeyUse
from beaver.sessions.key_store import KeyStore
from tests.contract.chat_server.limited import LimitedServers, add_key
from tests.contract.chat_server.scene import ANSWER
from tests.support.chat_server import RunningChatServer
from tests.support.waiting import wait_until


@pytest.fixture
async def locked(tmp_path: Path, database_url: str) -> AsyncIterator[RunningChatServer]:
    async with AsyncExitStack() as opened:
        servers = LimitedServers(opened, tmp_path, database_url, "redis://127.0.0.1:1")
        yield await servers.start("one", ANSWER, requireKeys=True)


class Writes:
    """How often a use was written, in place of what writes it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.of: list[str] = []
        monkeypatch.setattr(KeyStore, "note_use", self._written)

    async def _written(self, _tx: Any, key_id: str, *, every_ms: int) -> None:
        assert every_ms == NOTED_EVERY_S * 1000
        self.of.append(key_id)


async def test_a_key_that_is_used_says_so_and_one_that_is_not_does_not(locked: RunningChatServer) -> None:
    used, _ = [await add_key(locked.engine.database, key_id, "read") for key_id in ("k1", "k2")]
    assert (await locked.client.get("/v1/sessions", headers=used)).status_code == 200
    await wait_until(lambda: _used_ms(locked.engine.database, "k1"), what="the time of the use")
    assert await _used_ms(locked.engine.database, "k2") is None


async def test_a_use_is_written_once_a_minute_and_key(
    sqlite_database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    now, writes = [0.0], Writes(monkeypatch)
    use = KeyUse(sqlite_database, clock=lambda: now[0])
    for second in (0.0, 1.0, 59.9, 60.0, 61.0):
        now[0] = second
        for key_id in ("k1", "k2"):
            use.note(key_id)
    await use.aclose()
    assert sorted(writes.of) == ["k1", "k1", "k2", "k2"]


async def test_what_is_under_way_is_written_before_the_end(database: Database) -> None:
    await add_key(database, "k1", "read")
    use = KeyUse(database)
    use.note("k1")
    await use.aclose()
    assert await _used_ms(database, "k1") is not None


async def test_a_use_that_cannot_be_written_fails_no_request(
    locked: RunningChatServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = await add_key(locked.engine.database, "k1", "read")

    def away() -> Any:
        raise Unavailable("the database cannot serve")

    monkeypatch.setattr(locked.engine.database, "write", away)
    with structlog.testing.capture_logs() as logged:
        assert [(await locked.client.get("/v1/sessions", headers=key)).status_code for _ in range(3)] == [200] * 3

        async def warned() -> bool:
            return any(entry["event"] == "key.use_not_noted" for entry in logged)

        await wait_until(warned, what="the warning")
    told = [(entry["key_id"], entry["code"]) for entry in logged if entry["event"] == "key.use_not_noted"]
    assert told == [("k1", "unavailable")]


async def _used_ms(database: Database, key_id: str) -> int | None:
    async with database.read() as tx:
        (found,) = [
            record for record in await KeyStore(database.dialect).list_keys(tx, limit=50) if record.id == key_id
        ]
    return found.used_ms
