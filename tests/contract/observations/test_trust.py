"""Trust: who writes where, who reads what, and that nobody's better rows hide the permitted ones."""

from __future__ import annotations

import pytest

from beaver.errors import NotFound
from beaver.memory.observations.records import ObservationFilter, ObservationQuestion, Store, Trust
from beaver.memory.tables import observations, people
from tests.contract.observations.scene import ADA, Scene, Told, learned


@pytest.mark.parametrize(
    ("trust", "store"),
    [("owner", "private"), ("full", "private"), ("inner", "shared"), ("familiar", "social")],
)
async def test_trust_decides_the_store(scene: Scene, trust: Trust, store: Store) -> None:
    await scene.add("Tea", "likes green tea", trust=trust)
    (read,) = await scene.active()
    assert (read.store, read.min_trust) == (store, trust)


async def test_public_writes_nothing_and_calls_no_model(scene: Scene) -> None:
    told = Told()
    await scene.add("Tea", "likes green tea")
    assert await scene.beside(told).write("Tea", "likes green tea with milk", trust="public") == ("skipped", None)
    assert told.asked == []
    assert await scene.count(observations) == 1


@pytest.mark.parametrize(
    ("trust", "titles"),
    [
        ("owner", ["Tea private", "Tea shared", "Tea social"]),
        ("full", ["Tea private", "Tea shared", "Tea social"]),
        ("inner", ["Tea shared", "Tea social"]),
        ("familiar", ["Tea social"]),
        ("public", []),
    ],
)
async def test_trust_decides_what_is_read_everywhere(scene: Scene, trust: Trust, titles: list[str]) -> None:
    writers: list[tuple[str, Trust]] = [("private", "owner"), ("shared", "inner"), ("social", "familiar")]
    made = {
        f"Tea {store}": await scene.add(f"Tea {store}", f"{store}.txt", trust=by, related_files=(f"{store}.txt",))
        for store, by in writers
    }
    assert sorted(await scene.titles("tea", trust=trust)) == titles
    assert sorted(await scene.titles("", trust=trust)) == titles
    assert sorted(one.title for one in await scene.active(trust=trust)) == titles
    assert len(await scene.reading.files(ADA, trust=trust)) == len(titles)
    for title, observation_id in made.items():
        if title in titles:
            assert (await scene.reading.get(ADA, observation_id, trust)).title == title
        else:
            with pytest.raises(NotFound):
                await scene.reading.get(ADA, observation_id, trust)
            with pytest.raises(NotFound):
                await scene.reading.timeline(ADA, observation_id, trust=trust)


async def test_a_filter_never_widens_what_trust_reads(scene: Scene) -> None:
    await scene.add("Tea", "likes green tea")
    everything = ObservationFilter(stores=("private", "shared", "social"))
    assert await scene.titles("tea", everything, trust="familiar") == []


async def test_200_nearer_private_rows_do_not_hide_50_permitted_ones(scene: Scene) -> None:
    notes = [learned(f"Note {number}", f"tea{number}", type="event") for number in range(50)]
    nearer = [learned(f"Tea tea {number}", f"green tea and tea{number % 50}", type="event") for number in range(210)]
    await scene.add_at_once("familiar", notes)
    await scene.add_at_once("owner", nearer)

    asked = " ".join(f"tea{number}" for number in range(50))
    question = ObservationQuestion(asked, ObservationFilter(), limit=50)
    found = await scene.reading.search(ADA, question, "familiar")
    assert {one.observation.title for one in found} == {f"Note {number}" for number in range(50)}


async def test_24_what_is_merged_is_trusted_as_its_least_trusted_source(scene: Scene) -> None:
    await scene.add("Garden", "grows beans")
    await scene.write("Garden", "grows peas", trust="full")
    assert (await scene.active())[0].min_trust == "full"
    await scene.write("Garden", "grows beans", "grows peas", trust="owner")
    assert (await scene.active())[0].min_trust == "full"


async def test_private_facts_are_not_learned_of_somebody_whom_others_may_see(scene: Scene) -> None:
    await scene.add("Bo plays chess", "plays chess", type="person", related_people=("Bo",), trust="familiar")
    await scene.add("Bo is ill", "has a bad back", type="person", related_people=("Bo",))
    known = await scene.people.find(ADA, "bo", "familiar")
    assert known is not None
    assert (known.store, known.facts, known.mention_count) == ("social", ("plays chess",), 2)


async def test_whom_only_private_rows_speak_of_stays_private(scene: Scene) -> None:
    await scene.add("Bo is ill", related_people=("Bo",))
    await scene.add("Bo came for dinner", related_people=("Bo",), trust="familiar")
    assert await scene.people.find(ADA, "Bo", "familiar") is None
    assert await scene.people.list(ADA, "familiar") == []
    assert [one.name for one in await scene.people.list(ADA, "owner")] == ["Bo"]
    assert await scene.count(people) == 1
