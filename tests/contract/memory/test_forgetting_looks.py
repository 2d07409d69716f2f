"""Forgetting one memory or one session looks at what matches alone, however much lies in the archive; and misses none of it."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from io import BytesIO

import pytest
from sqlalchemy import select, text, update

from beaver.db.engine import Database
from beaver.ids import new_id
from beaver.memory.forgetting.purge import Purger
from beaver.memory.forgetting.records import Forgotten
from beaver.memory.forgetting.service import ForgettingService
from beaver.memory.observations.archive_store import find_archived
from beaver.memory.observations.entries import content_hash
from beaver.memory.observations.records import Evidence, NewObservation, ObservationEdit
from beaver.memory.records import NewMessage
from beaver.memory.runtime import MemoryRuntime
from beaver.memory.tables import archive_evidence, observation_archive, observation_evidence, observations
from beaver.memory.upkeep.policy import DAY_MS, RetentionPolicy
from tests.contract.memory.scene import ADA
from tests.support.memory_gateway import MORNING_MS
from tests.support.memory_views import held_words
from tests.support.plans import plan_of, statements_of

CANARY = "zanzibarcanary"
_UNREAD = """
INSERT INTO observation_archive
  (observation_id, namespace_id, store, type, title, words, observation, reason, archived_ms, hash)
VALUES (:id, 1, 'private', 'task', :told, '', '"whoever reads it as an observation fails"', 'unused', 1, :told)
"""


@dataclass
class Scene:
    """Ada's memory and the hands of its clock."""

    runtime: MemoryRuntime
    database: Database
    forgetting: ForgettingService
    now_ms: list[int]

    async def said(self, session_id: str, *contents: str) -> Sequence[str]:
        """The ids of messages of one turn."""
        messages = [NewMessage("user", "ada", MORNING_MS, content) for content in contents]
        return (await self.runtime.add(ADA, session_id, messages)).message_ids

    async def learned(self, title: str, *message_ids: str, session_id: str | None = None) -> str:
        """The id of what was learned from these messages."""
        evidence = tuple(Evidence(one.partition(".")[0], one) for one in message_ids)
        new = NewObservation("discovery", title, evidence=evidence, session_id=session_id)
        return str((await self.runtime.write_observation(ADA, new)).observation_id)

    async def put_away(self) -> None:
        """All that was learned goes into the archive."""
        self.now_ms[0] += 40 * DAY_MS
        assert (await self.runtime.maintain(RetentionPolicy())).archived

    async def count_rows(self) -> None:
        """Have a database that plans by what it has counted count."""
        if self.database.dialect.name == "postgresql":
            async with self.database.write() as tx:
                await tx.execute(text("ANALYZE"))

    async def fill(self, rows: int = 50) -> None:
        """Archived observations of the same memory that say and come from something else, and cannot be read as such."""
        async with self.database.write() as tx:
            numbers = range(rows)
            await tx.execute(text(_UNREAD), [{"id": f"unread{each}", "told": f"other{each}"} for each in numbers])


Forgetting = Callable[[ForgettingService], Awaitable[Forgotten]]
Case = Callable[[Scene], Awaitable[Forgetting]]


@pytest.fixture
async def scene(memory_url: str) -> AsyncIterator[Scene]:
    now_ms = [MORNING_MS]
    runtime, database = await MemoryRuntime.open(memory_url, clock=lambda: now_ms[0]), Database.open(memory_url)
    await runtime.create_user("ada")
    purger = Purger(database, new_id)
    yield Scene(runtime, database, ForgettingService(database, lambda: now_ms[0], new_id, purger), now_ms)
    await purger.close()
    await database.close()
    await runtime.close()


async def a_message(scene: Scene) -> Forgetting:
    (message_id,) = await scene.said("chat:s", f"The boat is called {CANARY}.")
    await scene.learned(f"Boat {CANARY}", message_id)
    await scene.put_away()
    return lambda by: by.forget_memory(ADA, message_id)


async def an_archived_one(scene: Scene) -> Forgetting:
    archived = await scene.learned(f"Boat {CANARY}")
    await scene.put_away()
    return lambda by: by.forget_memory(ADA, archived)


async def one_that_an_archived_one_repeats(scene: Scene) -> Forgetting:
    await scene.learned(f"Boat {CANARY}")
    await scene.put_away()
    again = await scene.learned(f"Boat {CANARY}", session_id="chat:s")
    return lambda by: by.forget_memory(ADA, again)


async def a_session(scene: Scene) -> Forgetting:
    first, *_ = await scene.said("chat:s", f"The boat is called {CANARY}.", "It is green.")
    other, *_ = await scene.said("chat:t", f"A boat {CANARY}.")
    await scene.learned(f"Boat {CANARY}", first)
    await scene.learned(f"Whispered {CANARY}", session_id="chat:s")
    await scene.learned("Owns a boat", first, other, session_id="chat:s")
    await scene.put_away()
    return lambda by: by.forget_session(ADA, "chat:s")


CASES: dict[Case, Forgotten] = {
    a_message: Forgotten(messages=1, observations=1),
    an_archived_one: Forgotten(observations=1),
    one_that_an_archived_one_repeats: Forgotten(observations=2),
    a_session: Forgotten(messages=2, observations=2, sessions=1),
}
every_case = pytest.mark.parametrize("case", CASES, ids=lambda one: one.__name__)


@every_case
async def test_of_the_archive_what_matches_is_read_alone(scene: Scene, case: Case) -> None:
    forget = await case(scene)
    await scene.fill()
    assert await forget(scene.forgetting) == CASES[case]
    told = await held_words(scene.database)
    assert CANARY not in told.replace(f"a boat {CANARY}", "").replace("canari'\"", "")
    assert told.count("other49") == 2  # title and hash


WHOLE = {
    "sqlite": re.compile(r"SEARCH (?!session_summaries)\w+ .*\(namespace_id=\?\)$|SCAN (?!anon|CONSTANT|.*VIRTUAL)"),
    "postgresql": re.compile(r".*Seq Scan on observation_archive|.*Index Cond: \(namespace_id = \d+\)$"),
}
"""Steps that go through all of a memory. Not of its summaries, of which any may list a title; and PostgreSQL's only where the
archive is what is large: of a small table it rather reads all."""


@every_case
async def test_no_statement_of_a_forgetting_goes_through_a_whole_memory(scene: Scene, case: Case) -> None:
    """By the plan, not by the clock."""
    forget = await case(scene)
    await scene.fill(2000)
    await scene.count_rows()
    told = statements_of(scene.database)
    await forget(scene.forgetting)
    asked = [one for one in told if one.statement.split()[0] in ("SELECT", "UPDATE", "DELETE")]
    async with scene.database.read() as tx:
        plans = {(step, one.statement) for one in asked for step in await plan_of(tx, one)}
    assert len([statement for _, statement in plans if "observation_archive" in statement]) > 1
    assert {plan for plan in plans if WHOLE[scene.database.dialect.name].match(plan[0])} == set()


async def test_what_an_older_releases_process_wrote_since_the_migration_is_forgotten_too(scene: Scene) -> None:
    (message_id,) = await scene.said("chat:s", "It is green.")
    archived = await scene.learned(f"Boat {CANARY}")
    await scene.put_away()
    evidence = [{"turn_id": message_id.partition(".")[0], "message_id": message_id}]
    async with scene.database.write() as tx:
        content = await find_archived(tx, 1, archived)
        assert content is not None
        await tx.execute(update(observation_archive).values(hash=None, observation={**content, "evidence": evidence}))
    again = await scene.learned(f"Boat {CANARY}")

    assert (await scene.runtime.forget_memory(ADA, again)).observations == 2
    assert CANARY not in await held_words(scene.database)


async def test_what_is_looked_up_is_in_step_whatever_becomes_of_an_observation(scene: Scene) -> None:
    first, second, third = await scene.said("chat:s", "I live in Oslo.", "Oslo it is.", "I live in Rome.")
    (elsewhere,) = await scene.said("chat:t", "Still in Oslo.")
    one = await scene.learned("Lives in Oslo", first, session_id="chat:s")
    assert await scene.learned("Lives in Oslo", second, elsewhere) == one  # a mention
    assert await in_step(scene.database) == 3
    await scene.runtime.edit_observation(ADA, one, ObservationEdit(title="Lives in Oslo now"))
    await scene.learned("Lives in Rome now", third, session_id="chat:s")
    assert await in_step(scene.database) == 4
    await scene.put_away()
    assert await in_step(scene.database) == 4
    await scene.runtime.forget_memory(ADA, second)
    assert await in_step(scene.database) == 3
    await scene.runtime.forget_session(ADA, "chat:s")
    assert await in_step(scene.database) == 0


async def test_what_is_restored_from_a_file_is_looked_up_as_what_was_learned_here(scene: Scene) -> None:
    first, *_ = await scene.said("chat:s", "I live in Oslo.", "It is green.")
    await scene.learned("Lives in Oslo", first, session_id="chat:s")
    await scene.put_away()
    await scene.learned("Likes tea", first)
    file = BytesIO()
    await scene.runtime.export(ADA, file, lambda _done, _total: None)
    await scene.runtime.forget_user("ada")
    assert await in_step(scene.database) == 0
    await scene.runtime.create_user("ada")
    file.seek(0)
    await scene.runtime.restore(ADA, file, lambda _done, _total: None)
    assert await in_step(scene.database) == 2
    assert (await scene.runtime.forget_memory(ADA, first)).observations == 2
    assert await in_step(scene.database) == 0


async def in_step(database: Database) -> int:
    """How many messages observations name, having compared what is looked up with what they hold."""
    rows = observations.c
    async with database.read() as tx:
        held = {tuple(row) for row in await tx.execute(select(observation_evidence))}
        archived = {tuple(row) for row in await tx.execute(select(archive_evidence))}
        stored = (await tx.execute(select(rows.id, rows.evidence, rows.namespace_id))).all()
        put_away = (await tx.execute(select(observation_archive))).all()
    assert held == {(one, each["message_id"], place) for one, evidence, place in stored for each in evidence}
    assert archived == {
        (row.observation_id, each["message_id"], row.namespace_id)
        for row in put_away
        for each in row.observation["evidence"]
    }
    for row in put_away:
        content = row.observation
        assert (row.hash, row.session_id) == (content_hash(content["title"], content["facts"]), content["session_id"])
    return len(held) + len(archived)
