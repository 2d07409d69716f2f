"""What must be right on day one and has no better place: many tenants, selective filters, pins.

The others stand where what they are about is tested; each test's name begins with the number of its point.
"""

from __future__ import annotations

import asyncio
import tomllib
from pathlib import Path

from sqlalchemy import insert, text

from beaver.db.engine import Database
from beaver.memory.namespace import Namespace
from beaver.memory.records import NewMessage, Question
from beaver.memory.runtime import MemoryRuntime
from beaver.memory.tables import users
from beaver.schemas.gateway import SCOPES
from tests.support.memory_gateway import MORNING_MS

TENANTS = 1_000


async def test_22_a_thousand_tenants_in_one_index_each_find_their_own(memory_sqlite_url: str) -> None:
    names = [f"tenant{number}" for number in range(TENANTS)]
    await _make_users(memory_sqlite_url, names)
    runtime = await MemoryRuntime.open(memory_sqlite_url)
    try:
        await asyncio.gather(
            *(
                runtime.add(_of(name), "chat:s", [NewMessage("user", name, MORNING_MS, f"the heron of {name}")])
                for name in names
            )
        )
        for name in names[:: TENANTS // 20]:
            found = await runtime.search(_of(name), Question("where is the heron?", "chat:s", SCOPES, 100))
            assert [memory.text for memory in found] == [f"the heron of {name}"]
    finally:
        await runtime.close()


async def test_21_a_listing_reads_the_rows_of_its_own_namespace_only(memory_sqlite_url: str) -> None:
    """By the plan, not by the clock."""
    database = Database.open(memory_sqlite_url)
    listed = "SELECT id FROM messages WHERE namespace_id = 1 AND observed_ms >= 5 ORDER BY observed_ms DESC LIMIT 10"
    removed = ("DELETE FROM messages WHERE namespace_id = 1", "DELETE FROM turns WHERE namespace_id = 1")
    try:
        async with database.read() as tx:
            plans = [
                row.detail
                for statement in (listed, *removed)
                for row in (await tx.execute(text(f"EXPLAIN QUERY PLAN {statement}"))).all()
            ]
    finally:
        await database.close()
    assert len(plans) >= len(removed)
    assert [plan for plan in plans if not plan.startswith("SEARCH")] == []


def test_25_every_dependency_is_pinned_to_one_version() -> None:
    project = tomllib.loads((Path(__file__).parents[3] / "pyproject.toml").read_text())
    pins = project["tool"]["uv"]["constraint-dependencies"]
    pinned = {pin.partition("==")[0].lower() for pin in pins if "==" in pin}
    asked = project["project"]["dependencies"] + [
        one for extra in project["project"]["optional-dependencies"].values() for one in extra
    ]
    names = {_name(one) for one in asked} - {"beaver-agent"}
    assert len(pinned) == len(pins)
    assert names - pinned == set()


def _name(requirement: str) -> str:
    end = next((at for at, sign in enumerate(requirement) if not (sign.isalnum() or sign in "-_.")), len(requirement))
    return requirement[:end].lower()


def _of(user_id: str) -> Namespace:
    return Namespace("default", "default", user_id)


async def _make_users(url: str, names: list[str]) -> None:
    database = Database.open(url)
    try:
        async with database.write() as tx:
            await tx.execute(insert(users), [{"id": name, "created_ms": MORNING_MS} for name in names])
    finally:
        await database.close()
