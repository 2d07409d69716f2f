"""A search knows people by all their names, as the tools do, on both databases; a memory without such pays nothing for it."""

from __future__ import annotations

from pathlib import Path

from beaver.memory.observations.records import NewObservation
from beaver.memory.records import Found, NewMessage, Question
from beaver.memory.runtime import MemoryRuntime
from beaver.schemas.gateway import SCOPES
from tests.contract.memory.scene import ADA, SESSION
from tests.support.memory_engine import engine_with
from tests.support.memory_gateway import MORNING_MS
from tests.support.plans import plan_of, statements_of

QUESTION = "Which instrument is Bob's?"


async def say(runtime: MemoryRuntime, *contents: str) -> None:
    told = [NewMessage("user", "ada", MORNING_MS - 10**6 + number, one) for number, one in enumerate(contents)]
    await runtime.add(ADA, SESSION, told)


async def asked(runtime: MemoryRuntime, text: str = QUESTION) -> list[Found]:
    return await runtime.search(ADA, Question(text, "chat:new", SCOPES, 8))


async def test_whoever_is_asked_for_by_another_name_is_found(runtime: MemoryRuntime) -> None:
    await say(runtime, "Robert plays the cello.", "Tom has a boat.")
    known = NewObservation("person", "Robert is a cellist", related_people=("Robert Smith",))
    await runtime.write_observation(ADA, known)
    assert not any("cell" in one.text for one in await asked(runtime))

    await runtime.add_alias(ADA, "Robert Smith", "Bob")
    assert {one.text for one in (await asked(runtime))[:2]} == {"Robert plays the cello.", "Robert is a cellist"}


async def test_it_works_both_ways_and_is_read_again_only_after_a_write(runtime: MemoryRuntime) -> None:
    await say(runtime, "Bob plays the cello.")
    await runtime.write_observation(ADA, NewObservation("person", "A friend", related_people=("Robert",)))
    await runtime.add_alias(ADA, "Robert", "Bob")
    assert "Bob plays the cello." in {one.text for one in await asked(runtime, "And Robert?")}

    made = statements_of(runtime._on.database)
    await asked(runtime, "And Robert?")
    assert made
    assert not [
        one.statement for one in made if "FROM people" in one.statement or "end_reason = 'deleted'" in one.statement
    ]


async def test_few_are_looked_at_however_many_people_and_observations_there_are(tmp_path: Path) -> None:
    async with engine_with(f"sqlite:///{tmp_path / 'memory.db'}", "ada") as runtime:
        await say(runtime, "Bob plays the cello.")
        made = statements_of(runtime._on.database)
        await asked(runtime)
        read = [one for one in made if "FROM people" in one.statement or "end_reason = 'deleted'" in one.statement]
        async with runtime._on.database.read() as tx:
            plans = [step for one in read for step in await plan_of(tx, one) if step.startswith(("SEARCH", "SCAN"))]
    assert sorted(plans) == [
        "SEARCH observations USING INDEX ix_observations_taken_back (namespace_id=?)",
        "SEARCH people USING INDEX ix_people_of_several_names (namespace_id=?)",
    ]
