"""What a chat costs the session database does not grow with what is stored: the databases count it themselves, and no clock.

Of all that a chat server or a worker does, for somebody or by itself.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from sqlalchemy import text

from beaver import counting
from beaver.db.engine import Database
from beaver.db.fulltext import FORGET_DELETED_SQLITE
from beaver.sessions.memory import turn_store
from tests.support.chats import chats
from tests.support.databases import lent
from tests.support.lending import Lender
from tests.support.rows_read import analyse, rows_read
from tests.support.statement_work import Work, work_of
from tests.support.valkey import ValkeyServer

FEW = 4
MANY = 10 * FEW
"""Turns of one session, and as many other sessions of one turn each."""
GROWTH_MAX = 2
SMALL = 5
"""Steps of ten instructions that no growth counts for: an index grows a level."""
ROWS = 3000
"""Of turns: every second one is of the long session, each other one of a session of its own."""
READ_MAX = 400
"""Rows of a table that all acts together may read."""

# Turns that were answered, delivered and told of long ago.
_SESSION = "CASE WHEN i % 2 = 0 THEN 'long' ELSE 'old-' || i END"
_TURNS = f"generate_series(1, {ROWS}) AS t(i)"
_NOW_MS = "CAST(extract(epoch FROM now()) * 1000 AS bigint)"
OLD_TURNS = (
    f"INSERT INTO sessions (id, created_ms, updated_ms) SELECT 'old-' || i, i, i FROM {_TURNS}",
    f"INSERT INTO leases (session_id, fence, expires_ms) SELECT 'old-' || i, 1, 0 FROM {_TURNS}",
    "INSERT INTO runs (id, session_id, status, fence, created_ms, ended_ms)"
    f" SELECT 'run-' || i, {_SESSION}, 'completed', i, i, i FROM {_TURNS}",
    "INSERT INTO events (session_id, run_id, kind, role, content, payload, context_visible, created_ms)"
    f" SELECT {_SESSION}, 'run-' || i, 'message', role, 'Wall ' || i || ' is green.', '{{}}', true, i"
    f" FROM {_TURNS}, (VALUES ('user'), ('assistant')) AS who(role)",
    "INSERT INTO outbox (run_id, session_id, position, user_event_id, answer_event_id, user_at_ms, answer_at_ms,"
    " gateway_user_id, app_id, project_id, state, generation, attempt, holder, fence, due_ms, created_ms, updated_ms)"
    f" SELECT 'run-' || i, {_SESSION}, i, i, i, i, i, 'ada', 'default', 'default', 'flushed', 0, 1, 'w', 1, i, i, i"
    f" FROM {_TURNS}",
    "INSERT INTO outbox_timeline (run_id, at_ms, from_state, to_state, actor, attempt, detail)"
    f" SELECT 'run-' || i, i, 'pending', 'flushed', 'w', 1, '{{}}' FROM {_TURNS}",
    "INSERT INTO run_events (run_id, seq, kind, payload, created_ms)"
    f" SELECT 'run-' || i, 1, 'text', '{{}}', {_NOW_MS} FROM {_TURNS}",
    "INSERT INTO run_requests (caller, key, body_hash, run_id, session_id, created_ms, expires_ms)"
    f" SELECT 'c', 'k' || i, 'h', 'run-' || i, {_SESSION}, i, {_NOW_MS} + 9999999 FROM {_TURNS}",
    "INSERT INTO memory_turns (run_id, tenant, user_id, session_id, mode, attempted, accepted, deduped, superseded,"
    f" remote, rejected, at_ms) SELECT 'run-' || i, tenant, user_id, '', 'write', 1, 1, 0, 0, 0, '{{}}', i"
    f" FROM {_TURNS}, (SELECT tenant, user_id FROM memory_turns LIMIT 1) AS theirs",
)


@pytest.fixture(autouse=True)
def bounds_that_few_turns_reach(monkeypatch: pytest.MonkeyPatch) -> None:
    """What needs nobody is counted now and then, and all of it each time; other things are looked at up to a bound."""
    monkeypatch.setattr(counting, "QUICK_S", 0)
    monkeypatch.setattr(counting, "KEPT_TIMES", float("inf"))
    for bound in ("WINDOW_TURNS", "SUMMED_TURNS_MAX"):
        monkeypatch.setattr(turn_store, bound, FEW)


async def steps_beside(root: Path, valkey: ValkeyServer, turns: int) -> Counter[str]:
    """Of the longest execution of each statement, beside so many turns."""
    async with chats(root / str(turns), valkey, f"sqlite:///{root / f'{turns}.db'}") as made:
        await made.grow(turns)
        await made.watch()  # counts what there is
        works = [work_of(database) for database in made.databases]
        await made.disconnect()  # what is connected anew is counted
        await made.all()
        return longest(works)


def longest(works: list[Work]) -> Counter[str]:
    cost = Counter[str]()
    for work in works:
        for statement, steps in work.longest.items():
            said = " ".join(statement.split())
            cost[said] = max(cost[said], steps)
    return cost


async def test_nothing_that_is_done_again_and_again_looks_at_all_that_is_stored(
    tmp_path: Path, valkey: ValkeyServer
) -> None:
    few, many = [await steps_beside(tmp_path, valkey, turns) for turns in (FEW, MANY)]

    grown = {of: (few[of], steps) for of, steps in many.items() if steps > GROWTH_MAX * few[of] + SMALL}

    assert grown.keys() <= set(FORGET_DELETED_SQLITE)


async def test_nor_does_postgresql_read_a_table_for_it(
    tmp_path: Path, valkey: ValkeyServer, session_databases: Lender, sqlite_url: str
) -> None:
    async with lent(session_databases, sqlite_url) as url, chats(tmp_path, valkey, url) as made:
        await made.grow(FEW)
        await age(made.parts.database)
        await made.all()  # counts what there is
        read = await rows_read(url, made.databases, made.all)

    assert read["events"] > 0
    assert {table: rows for table, rows in read.items() if rows > READ_MAX} == {}


async def age(database: Database) -> None:
    """Enter old turns."""
    async with database.write() as tx:
        for statement in OLD_TURNS:
            await tx.execute(text(statement))
    await analyse(database)
