"""A PostgreSQL that answers and refuses: tables that are locked, a server that takes no writes, rights that are gone."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from beaver.db.engine import Database
from beaver.errors import Unavailable
from beaver.server import probes
from beaver.sessions.store import SessionStore
from tests.contract.chat_server.scene import ANSWER
from tests.support.chat_server import RunningChatServer, running_chat_server
from tests.support.postgres import PostgresServer

DETAIL = "/health/detail"


@pytest.fixture
async def name(postgres_server: PostgresServer, postgres_template: str) -> AsyncIterator[str]:
    name = await postgres_server.create_database(postgres_template)
    yield name
    await postgres_server.drop_database(name)


@pytest.fixture
async def operator(postgres_server: PostgresServer, name: str) -> AsyncIterator[Any]:
    async with postgres_server.connected(name) as connection:
        yield connection


@pytest.fixture
async def server(
    tmp_path: Path, postgres_server: PostgresServer, name: str, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[RunningChatServer]:
    monkeypatch.setattr(probes, "PROBE_S", 30)
    config = {"memory": {"mode": "curated"}, "sessions": {"databaseUrl": postgres_server.url(name)}}
    async with running_chat_server(tmp_path, [ANSWER], config=config) as server:
        yield server


async def test_tables_that_somebody_has_locked_make_it_unready_and_delay_a_turn(
    server: RunningChatServer, operator: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(probes, "PROBE_S", 0.5)
    async with operator.transaction():
        await operator.execute("LOCK TABLE sessions IN ACCESS EXCLUSIVE MODE")
        asked = asyncio.create_task(server.say("Hello", "s1"))
        assert (await server.client.get("/health")).status_code == 200
        assert (await server.client.get("/ready")).status_code == 503
    assert (await asked).status_code == 200
    monkeypatch.setattr(probes, "PROBE_S", 30)
    assert (await server.client.get("/ready")).status_code == 200


async def test_connections_to_a_server_that_takes_no_writes_are_not_kept_for_when_it_does(
    server: RunningChatServer, operator: Any, postgres_server: PostgresServer, name: str
) -> None:
    assert (await server.say("Hello", "s1")).status_code == 200
    await operator.execute(f"ALTER DATABASE {name} SET default_transaction_read_only = on")
    await operator.execute(
        "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = $1 AND pid <> pg_backend_pid()",
        name,
    )
    assert (await server.say("Hello", "s1")).status_code == 503
    assert (await server.client.get("/ready")).status_code == 503
    detail = (await server.client.get(DETAIL)).json()
    assert "it takes no writes" in detail["parts"]["sessions"]["trouble"]
    await operator.execute(f"ALTER DATABASE {name} RESET default_transaction_read_only")
    assert (await server.say("Hello", "s1")).status_code == 200
    assert (await server.client.get("/ready")).status_code == 200


async def test_nor_is_one_that_was_only_read_by_meanwhile(
    operator: Any, postgres_server: PostgresServer, name: str
) -> None:
    database = Database.open(postgres_server.url(name))
    sessions = SessionStore(database.dialect)
    await operator.execute(f"ALTER DATABASE {name} SET default_transaction_read_only = on")
    with pytest.raises(Unavailable):
        async with database.write() as tx:
            await sessions.ensure_session(tx, "s1")
    async with database.read() as tx:
        assert await sessions.find_session(tx, "s1") is None
    await operator.execute(f"ALTER DATABASE {name} RESET default_transaction_read_only")
    async with database.write() as tx:
        await sessions.ensure_session(tx, "s1")
    async with database.read() as tx:
        assert await sessions.find_session(tx, "s1") is not None
    await database.close()


async def test_rights_that_are_gone_are_a_condition_and_no_bug(
    tmp_path: Path, operator: Any, postgres_server: PostgresServer, name: str
) -> None:
    await operator.execute(f"CREATE ROLE weak_{name} LOGIN")
    await operator.execute(f"GRANT ALL ON ALL TABLES IN SCHEMA public TO weak_{name}")
    await operator.execute(f"GRANT ALL ON ALL SEQUENCES IN SCHEMA public TO weak_{name}")
    url = postgres_server.url(name).replace("postgres@", f"weak_{name}@")
    config = {"memory": {"mode": "curated"}, "sessions": {"databaseUrl": url}}
    async with running_chat_server(tmp_path, [ANSWER], config=config) as server:
        assert (await server.say("Hello", "s1")).status_code == 200
        await operator.execute(f"REVOKE UPDATE ON sessions FROM weak_{name}")
        assert (await server.say("Hello", "s1")).status_code == 503
        assert (await server.client.get("/ready")).status_code == 503
        detail = (await server.client.get(DETAIL)).json()
        assert "this user may not do that" in detail["parts"]["sessions"]["trouble"]
    await operator.execute(f"DROP OWNED BY weak_{name}")
    await operator.execute(f"DROP ROLE weak_{name}")
