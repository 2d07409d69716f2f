"""Maintenance: what is old becomes less, nothing that matters ages out, nothing goes without a trace."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import Any

import pytest
from sqlalchemy import func, select

from beaver.db.engine import Database, Transaction
from beaver.errors import Conflict, InvalidInput, NotFound
from beaver.ids import new_id
from beaver.memory.embedding.store import Packed, add_vectors
from beaver.memory.forgetting.purge import Purger
from beaver.memory.namespace import Namespace
from beaver.memory.observations.records import NewObservation, ObservationType
from beaver.memory.portability.staging import Staging
from beaver.memory.records import NewMessage, Question
from beaver.memory.runtime import MemoryRuntime
from beaver.memory.tables import embeddings, observation_labels, passages
from beaver.memory.upkeep import store
from beaver.memory.upkeep.policy import DAY_MS, RetentionPolicy, UpkeepReport
from beaver.memory.upkeep.service import LEASE, UpkeepService
from beaver.schemas.gateway import SCOPES
from tests.support.memory_gateway import MORNING_MS
from tests.support.memory_views import observation
from tests.support.waiting import wait_until

ADA, BOB = Namespace("default", "default", "ada"), Namespace("default", "default", "bob")


@dataclass
class Place:
    """The engine with a clock that the test sets."""

    runtime: MemoryRuntime
    upkeep: UpkeepService
    database: Database
    days: list[int]

    async def learn(
        self,
        title: str,
        fact: str,
        type_: ObservationType = "event",
        whose: Namespace = ADA,
        expires_ms: int | None = None,
    ) -> str:
        written = await self.runtime.write_observation(
            whose, NewObservation(type_, title, facts=(fact,), source="tool", expires_ms=expires_ms)
        )
        assert written.observation_id is not None
        return written.observation_id

    async def after(self, days: int, policy: RetentionPolicy | None = None) -> UpkeepReport:
        self.days[0] = days
        return await self.upkeep.run(policy)

    async def active(self, whose: Namespace = ADA) -> list[str]:
        page = await self.runtime.list_observations(whose, limit=100)
        return [one.id for one in page.observations]

    async def history(self, observation_id: str) -> list[str]:
        return [entry.event for entry in await self.runtime.observation_history(ADA, observation_id)]


@pytest.fixture
async def place(memory_url: str) -> AsyncIterator[Place]:
    days = [0]

    def clock() -> int:
        return MORNING_MS + days[0] * DAY_MS

    runtime = await MemoryRuntime.open(memory_url, clock=clock)
    for user_id in ("ada", "bob"):
        await runtime.create_user(user_id)
    database = Database.open(memory_url)
    purger = Purger(database, new_id)
    upkeep = UpkeepService(database, clock, new_id, Staging(database, clock, purger), purger)
    yield Place(runtime, upkeep, database, days)
    await purger.close()
    await database.close()
    await runtime.close()


FACTS = ("the roof leaks in autumn storms", "a plumber named Otto came", "seven buckets stood upstairs")


async def test_old_observations_of_one_title_become_one_and_the_originals_are_hidden(place: Place) -> None:
    ids = [await place.learn(f"House {'repairs' if n else 'REPAIRS'}", fact) for n, fact in enumerate(FACTS)]
    assert len(set(ids)) == 3
    assert (await place.after(10)).compressed == 0

    report = await place.after(15)

    assert (report.compressed, report.summaries, report.archived) == (3, 1, 0)
    (summary,) = (await place.runtime.list_observations(ADA)).observations
    assert set(summary.facts) == set(FACTS)
    assert [await place.history(one) for one in ids] == [["ADD", "COMPRESS"]] * 3
    assert await place.history(summary.id) == ["ADD"]


async def test_what_nobody_used_is_archived_and_can_be_found_there_and_restored(place: Place) -> None:
    unused = await place.learn("The boiler", "serviced by Hanna")
    kept = await place.learn("Tea", "likes green tea", "preference")
    ruled = await place.learn("Deploys", "never on Fridays", "decision")
    pinned = await place.learn("The safe", "behind the clock")
    await place.runtime.pin_observation(ADA, pinned, True)

    report = await place.after(31)

    assert (report.archived, report.deleted) == (1, 0)
    assert set(await place.active()) == {kept, ruled, pinned}
    assert await place.history(unused) == ["ADD", "DELETE"]
    (found,) = await place.upkeep.search_archive(ADA, "boiler hanna")
    assert (found.observation.id, found.reason) == (unused, "unused")
    assert await place.upkeep.search_archive(BOB, "boiler") == []
    assert (await place.upkeep.restore(ADA, unused)).id == unused
    assert unused in await place.active()
    assert await place.upkeep.search_archive(ADA, "boiler") == []
    with pytest.raises(NotFound):
        await place.upkeep.restore(ADA, unused)


async def test_who_somebody_is_and_what_they_asked_to_be_remembered_does_not_age_and_is_put_right_months_later(
    place: Place,
) -> None:
    for number, said in enumerate(("I live in Paris.", "Remember that my locker code is 4471.")):
        await place.runtime.add(ADA, "chat:s", [NewMessage("user", "ada", MORNING_MS + number, said)])
    await place.runtime.flush(ADA, "chat:s")
    before = await place.active()

    assert (await place.after(90)).archived == 0
    assert await place.active() == before

    moved = [NewMessage("user", "ada", MORNING_MS + 90 * DAY_MS, "I moved to Berlin.")]
    await place.runtime.add(ADA, "chat:t", moved)
    await place.runtime.flush(ADA, "chat:t")
    titles = {one.title for one in (await place.runtime.list_observations(ADA)).observations}
    assert titles == {"I moved to Berlin", "my locker code is 4471"}


async def test_what_is_archived_leaves_words_vectors_and_labels(place: Place) -> None:
    await place.learn("The boiler", "serviced by Hanna")
    async with place.database.write() as tx:
        passage_id = await tx.scalar(select(passages.c.id))
        assert passage_id is not None
        assert await add_vectors(tx, 1, "words", [(passage_id, Packed(1, b"vector"))], MORNING_MS) == 1
    assert (await place.after(31)).archived == 1
    assert await place.runtime.search(ADA, Question("boiler", "chat:s", SCOPES, 8)) == []
    async with place.database.read() as tx:
        left = [
            await tx.scalar(select(func.count()).select_from(one)) for one in (passages, embeddings, observation_labels)
        ]
    assert left == [0, 0, 0]


async def test_what_is_learned_now_of_days_long_ago_is_not_put_away_at_once(place: Place) -> None:
    """An import, or a flush of an old conversation."""
    long_ago = NewObservation(
        "event", "The boiler", facts=("serviced by Hanna",), source="import", observed_ms=MORNING_MS - 400 * DAY_MS
    )
    await place.runtime.write_observation(ADA, long_ago)
    assert (await place.after(1)).archived == 0
    assert (await place.after(31)).archived == 1


async def test_what_served_an_answer_lately_does_not_age(place: Place) -> None:
    used, unused = await place.learn("The boiler", "serviced by Hanna"), await place.learn("The roof", "leaks")
    place.days[0] = 20
    place.runtime.note_used(ADA, [used, "obs_none", "turn_1.0"])
    await wait_until(lambda: _is_noted(place, used), what="the use being noted")
    assert (await place.after(31)).archived == 1
    assert await place.active() == [used]
    assert (await place.after(51)).archived == 1
    assert {one.observation.id for one in await place.upkeep.search_archive(ADA, "")} == {used, unused}


async def _is_noted(place: Place, observation_id: str) -> bool:
    return (await observation(place.runtime, ADA, observation_id)).used_ms is not None


async def test_what_another_says_by_now_is_not_restored_beside_it(place: Place) -> None:
    unused = await place.learn("The boiler", "serviced by Hanna")
    await place.after(31)
    await place.learn("The boiler", "serviced by Hanna")
    with pytest.raises(Conflict):
        await place.upkeep.restore(ADA, unused)


async def test_what_expired_is_archived_whatever_its_type(place: Place) -> None:
    await place.learn("Parking", "permit until June", "preference", expires_ms=MORNING_MS + DAY_MS)
    assert (await place.after(2)).archived == 1


async def test_28_the_archive_is_emptied_after_a_year_and_the_history_says_so(place: Place) -> None:
    unused = await place.learn("The boiler", "serviced by Hanna")
    await place.after(31)
    assert (await place.after(31 + 364)).deleted == 0
    assert (await place.after(31 + 366)).deleted == 1
    assert await place.upkeep.search_archive(ADA, "boiler") == []
    assert await place.history(unused) == ["ADD", "DELETE", "DELETE"]


async def test_a_run_is_bounded_and_the_next_one_goes_on_so_that_nobody_starves(place: Place) -> None:
    words = ("granite", "velvet", "saffron", "walrus", "copper")
    for whose in (ADA, BOB):
        for word in words:
            await place.learn(f"{word} matters", f"{word} was bought", whose=whose)
    few = RetentionPolicy(rows_a_run_max=3, cluster_max=3)

    assert (await place.after(31, few)).archived == 3
    assert len(await place.active(ADA)) == 2
    assert (await place.after(31, few)).archived == 3
    assert len(await place.active(BOB)) == 2
    assert [(await place.after(31, few)).archived for _ in range(3)] == [3, 1, 0]


async def test_two_runners_are_never_at_it_at_once_and_a_dead_ones_lease_runs_out(place: Place) -> None:
    await place.learn("The boiler", "serviced by Hanna")
    async with place.database.write() as tx:
        assert await store.take_lease(tx, LEASE, "another", 600_000) == {}
    assert not (await place.after(31)).ran
    async with place.database.write() as tx:
        assert await store.keep_lease(tx, LEASE, "another", -1)
    assert (await place.after(31)).archived == 1


async def test_a_run_that_is_ended_while_it_takes_the_lease_gives_it_back(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    take = store.take_lease

    async def taken_and_ended(tx: Transaction, name: str, holder: str, for_ms: int) -> Mapping[str, Any] | None:
        progress = await take(tx, name, holder, for_ms)
        task = asyncio.current_task()
        assert task is not None
        task.cancel()
        return progress

    with monkeypatch.context() as patched:
        patched.setattr(store, "take_lease", taken_and_ended)
        with pytest.raises(asyncio.CancelledError):
            await asyncio.create_task(place.after(31))
    assert (await place.after(31)).ran


@pytest.mark.parametrize(
    "rules",
    [
        {"compress_after_days": 40},
        {"archive_after_days": 400},
        {"compress_after_days": 0},
        {"cluster_min": 1},
        {"rows_a_run_max": 2},
    ],
)
def test_a_policy_that_contradicts_itself_is_refused(rules: dict[str, int]) -> None:
    with pytest.raises(InvalidInput):
        RetentionPolicy(**rules)
