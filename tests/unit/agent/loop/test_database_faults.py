"""A session store that fails for a moment under a run delays its answer, and neither loses nor doubles what is written."""

from __future__ import annotations

import asyncio
import io
import sqlite3
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from beaver.agent.messages import ProviderRequest
from beaver.agent.recording import LeaseTerms
from beaver.db.engine import Database, Transaction
from beaver.errors import Unavailable
from beaver.logs import configure_logs
from beaver.redaction import Redactor
from tests.support.engine import Engine, Tells, asks, engine, says
from tests.support.gateway import gateway_service
from tests.support.kept_logging import kept_logging
from tests.support.waiting import wait_until

WRITES = ["the tool's call", "the tool's result", "the answer"]


@pytest.fixture
async def impatient_database(sqlite_url: str) -> AsyncIterator[Database]:
    opened = Database.open(sqlite_url, busy_budget_s=0.1)
    yield opened
    await opened.close()


@pytest.fixture
def log() -> Iterator[io.StringIO]:
    with kept_logging():
        stream = io.StringIO()
        configure_logs("chat", Redactor(), stream=stream)
        yield stream


def lock(url: str) -> sqlite3.Connection:
    connection = sqlite3.connect(url.removeprefix("sqlite:///"), isolation_level=None, check_same_thread=False)
    connection.execute("BEGIN IMMEDIATE")
    return connection


async def test_a_store_that_is_locked_when_the_answer_comes_gets_it_when_it_is_free(
    impatient_database: Database, sqlite_url: str, log: io.StringIO
) -> None:
    locks: list[sqlite3.Connection] = []

    def answer(_request: ProviderRequest) -> Any:
        locks.append(lock(sqlite_url))
        return says("blue")

    async with gateway_service() as gateway:
        built = engine(impatient_database, [answer], gateway=gateway)
        asked = asyncio.create_task(built.ask("which colour?"))

        async def is_told() -> bool:
            return "run.write_delayed" in log.getvalue()

        await wait_until(is_told, what="a write that failed")
        locks[0].rollback()
        assert (await asked).text == "blue"
    assert await built.spoken() == [("user", "which colour?"), ("assistant", "blue")]
    assert [row.state for row in await built.ledger()] == ["pending"]
    assert [run.status for run in await built.runs()] == ["completed"]


async def test_a_store_that_stays_away_fails_the_run_within_a_bound(
    impatient_database: Database, sqlite_url: str
) -> None:
    locks: list[sqlite3.Connection] = []

    def answer(_request: ProviderRequest) -> Any:
        locks.append(lock(sqlite_url))
        return says("blue")

    built = engine(impatient_database, [answer], lease_terms=LeaseTerms("test", again_s=0.2))
    assert (await built.ask("which colour?")).error == "unavailable"
    locks[0].rollback()


class LosesAReply(Database):
    """Commits one write and loses the reply: nobody can tell what became of it. `lose_at` counts from the first on."""

    lose_at = 0
    writes = 0

    @asynccontextmanager
    async def write(self) -> AsyncIterator[Transaction]:
        async with super().write() as tx:
            yield tx
        self.writes += 1
        if self.writes == self.lose_at:
            raise Unavailable("the database cannot be reached")


@pytest.mark.parametrize("lost", range(len(WRITES)), ids=WRITES)
async def test_a_write_that_was_committed_unheard_is_not_written_again(database_url: str, lost: int) -> None:
    database = LosesAReply.open(database_url)
    assert isinstance(database, LosesAReply)
    database.lose_at = 2 + lost
    steps = [asks(("lookup", {})), says("blue")]
    async with gateway_service() as gateway:
        built = engine(database, steps, tools=[Tells()], gateway=gateway)
        assert (await built.ask("which colour?")).text == "blue"
    assert await _roles(built) == ["user", "assistant", "tool", "assistant"]
    assert [kind for kind, _ in await built.audit()] == ["memory_gateway_recall_failed"]
    assert [row.state for row in await built.ledger()] == ["pending"]
    assert [run.status for run in await built.runs()] == ["completed"]
    assert (await built.ask("and again?")).error is None
    await database.close()


async def _roles(built: Engine) -> list[str | None]:
    return [role for role, _ in await built.spoken()]
