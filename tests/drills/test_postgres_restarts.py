"""A PostgreSQL that restarts while models speak delays their answers: none is lost, none told in vain, none stored twice."""

from __future__ import annotations

import asyncio
import io
from collections.abc import Iterator
from pathlib import Path

import pytest

from beaver.db.engine import Database
from beaver.db.migrate import ensure_schema
from beaver.logs import configure_logs
from beaver.outbox.store import OutboxStore
from beaver.redaction import Redactor
from beaver.sessions.store import SessionStore
from tests.support.chat_server import running_chat_server
from tests.support.engine import says
from tests.support.gateway import NO_QUEUE, NOWHERE
from tests.support.kept_logging import kept_logging
from tests.support.postgres import running_postgres
from tests.support.waiting import wait_until

CHATS = 5


@pytest.fixture
def log() -> Iterator[io.StringIO]:
    with kept_logging():
        stream = io.StringIO()
        configure_logs("chat", Redactor(), stream=stream)
        yield stream


async def test_answers_that_come_while_it_is_away_are_given_when_it_is_back(tmp_path: Path, log: io.StringIO) -> None:
    with running_postgres(mortal=True) as server:
        url = server.url("postgres")
        database = Database.open(url)
        await ensure_schema(database, "beaver.db.migrations")
        gateway = {"baseUrl": NOWHERE, "userId": "ada", "userKey": "k" * 40}
        config = {
            "sessions": {"databaseUrl": url},
            "memory": {"mode": "memory_gateway", "gateway": gateway},
            "queue": {"redisUrl": NO_QUEUE},
        }
        async with running_chat_server(tmp_path, [says("blue it is")], config=config, delay_s=0.5) as chat:

            async def all_speak() -> bool:
                return len(chat.provider.requests) == CHATS

            async def all_wait() -> bool:
                return log.getvalue().count("run.write_delayed") == CHATS

            asked = [asyncio.create_task(chat.stream("which?", f"s{number}")) for number in range(CHATS)]
            await wait_until(all_speak, what="every model to speak")
            await asyncio.to_thread(server.kill)
            await wait_until(all_wait, what="every answer to wait for the database")
            await asyncio.to_thread(server.start)
            answers = await asyncio.gather(*asked)
        assert [answer.content for answer in answers] == ["blue it is"] * CHATS
        assert [answer.data[-1] for answer in answers] == ["[DONE]"] * CHATS
        for number in range(CHATS):
            assert await said(database, f"s{number}") == [("user", "which?"), ("assistant", "blue it is")]
        async with database.read() as tx:
            assert await OutboxStore(database.dialect, SessionStore(database.dialect)).count_ready(tx) == CHATS
        await database.close()


async def said(database: Database, session_id: str) -> list[tuple[str | None, str]]:
    sessions = SessionStore(database.dialect)
    async with database.read() as tx:
        return [(event.role, event.content) for event in await sessions.history(tx, session_id)]
