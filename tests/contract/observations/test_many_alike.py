"""Where many observations are of the same words, a write looks at few of them, and at these once."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest

from beaver.db.engine import Database
from beaver.memory.observations import finding, listing_store
from beaver.memory.observations.listing_store import Wanted, heaviest, heaviest_of_newest, holding
from beaver.memory.observations.reconcile import Add, Decision, RuleReconciler
from beaver.memory.observations.records import Candidate, NewObservation, ObservationFilter
from tests.contract.observations.scene import Scene, learned
from tests.support.plans import plan_of, statements_of

CHECKS = 60
WORDS = ("boiler", "cellar", "check", "hous")


@pytest.fixture
async def alike(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> Scene:
    """Many that share their words, of which more than so many hold each is common."""
    monkeypatch.setattr(listing_store, "HOLDERS_MAX", 10)
    monkeypatch.setattr(finding, "HOLDERS_MAX", 10)
    some = [
        learned(f"House {number}", f"the boiler in the cellar of house {number} was checked")
        for number in range(CHECKS)
    ]
    await scene.add_at_once("owner", some)
    return scene


async def asked_of(scene: Scene, title: str, fact: str) -> list[str]:
    """The titles of what a write is compared with, the likest first."""
    asked: list[Sequence[Candidate]] = []

    class Asked(RuleReconciler):
        async def decide(self, new: NewObservation, at_ms: int, candidates: Sequence[Candidate]) -> Decision:
            asked.append(candidates)
            return Add()

    await scene.beside(Asked()).write(title, fact)
    return [one.observation.title for one in asked[-1]] if asked else []


@pytest.mark.parametrize("number", [0, 31, CHECKS - 1])
async def test_what_shares_a_word_that_few_have_is_found_however_old(alike: Scene, number: int) -> None:
    found = await asked_of(alike, "Visit", f"the boiler in the cellar of house {number} was checked again")
    assert found[0] == f"House {number}"


async def test_of_what_shares_common_words_alone_the_newest_is_found(alike: Scene) -> None:
    assert await asked_of(alike, "Visit", "the boiler in the cellar of the house was checked") != []


async def test_what_it_leads_to_is_weighed_by_all_words(alike: Scene) -> None:
    """As by all of them, where the newest are all that count."""
    wanted = Wanted(1, ObservationFilter(), alike.at_ms)
    weights = dict.fromkeys(WORDS, 1.0) | {"7": 5.0}
    async with alike.database.read() as tx:
        every = [one.id for one in await heaviest(tx, wanted, weights, limit=11)]
        newest = [one.id for one in await heaviest_of_newest(tx, wanted, weights, WORDS, limit=11)]
    assert newest == every


async def test_no_step_goes_through_all_that_hold_a_common_word(memory_sqlite_url: str) -> None:
    """By the plan, not by the clock: only the words that few hold, and so many of each other word, are looked up."""
    database = Database.open(memory_sqlite_url)
    told = statements_of(database)
    try:
        async with database.read() as tx:
            wanted = Wanted(1, ObservationFilter(types=("task",)), 1)
            await heaviest_of_newest(tx, wanted, dict.fromkeys((*WORDS, "7"), 1.0), WORDS, limit=5)
            steps = [step for each in told[-2:] for step in await plan_of(tx, each)]
    finally:
        await database.close()
    by_label = [step for step in steps if "ix_observation_labels_namespace_id_kind_label_id" in step]
    assert len(by_label) == 1 + len(WORDS)
    assert all("COVERING" in step for step in by_label)
    weighed = "SEARCH observation_labels USING INDEX sqlite_autoindex_observation_labels_1 "
    assert f"{weighed}(observation_id=? AND kind=? AND label=?)" in steps
    assert not [step for step in steps if re.match(r"SCAN observation|SEARCH observations .*namespace_id", step)]
    assert steps.count("USE TEMP B-TREE FOR ORDER BY") == 1  # of what was weighed; the newest lie in order


async def test_how_many_hold_a_word_is_counted_no_further_than_how_many_there_are(
    alike: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with alike.database.read() as tx:
        assert await holding(tx, 1, [*WORDS, "nobody"], CHECKS) == dict.fromkeys(WORDS, CHECKS)
        monkeypatch.setattr(listing_store, "COUNTED_MAX", 50)
        assert await holding(tx, 1, [*WORDS, "7", "nobody"], 50) == dict.fromkeys(WORDS, 50) | {"7": 1}


async def test_a_write_looks_once_unless_another_came_between(alike: Scene) -> None:
    told = statements_of(alike.database)
    await alike.write("Visit", "the boiler in the cellar of house 3 was checked by Ann")
    assert len([one for one in told if "GROUP BY observation_labels.observation_id" in one.statement]) == 1

    class Slow(RuleReconciler):
        async def decide(self, new: NewObservation, at_ms: int, candidates: Sequence[Candidate]) -> Decision:
            await alike.write("Meanwhile", f"something else is said {len(told)}", type="event")
            return await super().decide(new, at_ms, candidates)

    told.clear()
    await alike.beside(Slow()).write("Visit", "the boiler in the cellar of house 4 was checked by Ann")
    mine = [one for one in told if "GROUP BY observation_labels.observation_id" in one.statement]
    assert len(mine) >= 2
