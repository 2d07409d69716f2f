"""What must be right on day one and has no better place: another encoder, many tenants, selective filters, pins.

The others stand where what they are about is tested; each test's name begins with the number of its point.
"""

from __future__ import annotations

import asyncio
import tomllib
from pathlib import Path

import structlog
from sqlalchemy import insert

from beaver.db.engine import Database
from beaver.memory.namespace import Namespace
from beaver.memory.observations.records import NewObservation
from beaver.memory.records import NewMessage, Question
from beaver.memory.runtime import MemoryRuntime
from beaver.memory.tables import users
from beaver.schemas.gateway import SCOPES
from tests.support.encoders import TestedEncoder
from tests.support.memory_gateway import MORNING_MS
from tests.support.memory_views import found_observations
from tests.support.plans import Told, plan_of
from tests.support.waiting import wait_until

ADA = Namespace("default", "default", "ada")
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


async def test_19_a_search_asks_the_former_encoder_until_the_new_ones_vectors_cover_all(memory_sqlite_url: str) -> None:
    before = await MemoryRuntime.open(memory_sqlite_url, encoder=TestedEncoder("former"))
    await before.create_user("ada")
    await before.add(ADA, "chat:s", [NewMessage("user", "ada", MORNING_MS, "the heron waded in the pond")])
    await before.write_observation(ADA, NewObservation("event", "A heron", facts=("it waded in the pond",)))
    await before.wait_until_encoded()
    await before.close()
    former, newer = TestedEncoder("former"), TestedEncoder("newer", 32)
    newer.gate.clear()
    with structlog.testing.capture_logs() as logged:
        runtime = await MemoryRuntime.open(memory_sqlite_url, encoder=newer, former_encoders=lambda _model: former)
        await wait_until(lambda: _is_asked(newer), what="the new encoder being asked")
    try:
        assert [line["to"] for line in logged if line["event"] == "embedding.migrates"] == ["newer"]
        assert await _found_by(runtime) == ("pieces", True)
        newer.gate.set()
        await runtime.wait_until_encoded()
        assert await _found_by(runtime) == ("pieces", True)
        assert former.closed
    finally:
        await runtime.close()


async def _is_asked(encoder: TestedEncoder) -> bool:
    return bool(encoder.asked)


async def _found_by(runtime: MemoryRuntime) -> tuple[str, bool]:
    """By what a memory is found, and whether an observation is found by its vector too."""
    first, *_ = await runtime.search(ADA, Question("the heron in the pond", "chat:s", SCOPES, 8))
    (learned,) = await found_observations(runtime, ADA, "the heron in the pond")
    return first.why["by"], learned["why"]["vector"] > 0


async def test_21_a_listing_reads_the_rows_of_its_own_namespace_only(memory_sqlite_url: str) -> None:
    """By the plan, not by the clock."""
    database = Database.open(memory_sqlite_url)
    listed = "SELECT id FROM messages WHERE namespace_id = 1 AND observed_ms >= 5 ORDER BY observed_ms DESC LIMIT 10"
    removed = ("DELETE FROM messages WHERE namespace_id = 1", "DELETE FROM turns WHERE namespace_id = 1")
    try:
        async with database.read() as tx:
            plans = [step for each in (listed, *removed) for step in await plan_of(tx, Told(each, ()))]
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
