"""Forgetting and editing: gone everywhere and not learned again, unless somebody asks; a person's corrections."""

from __future__ import annotations

import pytest
from sqlalchemy import insert, select

from beaver.errors import Conflict, InvalidInput, NotFound
from beaver.memory.observations.reconcile import Update
from beaver.memory.observations.records import Content, ObservationEdit, Person
from beaver.memory.tables import (
    metadata,
    observation_archive,
    observation_labels,
    observations,
    passages,
    tombstones,
)
from tests.contract.observations.scene import ADA, Scene, Told


async def words_anywhere(scene: Scene, word: str) -> list[str]:
    """The tables in whose rows the word stands."""
    async with scene.database.read() as tx:
        rows = {table.name: (await tx.execute(select(table))).all() for table in metadata.sorted_tables}
    return [name for name, held in rows.items() if word in str(held)]


async def test_a_forgotten_observation_is_unreadable_everywhere_its_history_included(scene: Scene) -> None:
    made = await scene.add("Zanzibar", "went to zanzibar", type="person", related_people=("Zanzibar Joe",))
    merged = Content("Zanzibar trip", "", ("went to zanzibar twice",), related_people=("Zanzibar Joe",))
    assert await scene.beside(Told([Update(0, merged)])).write("Zanzibar again", "went to zanzibar", type="person") == (
        "updated",
        made,
    )
    assert await words_anywhere(scene, "anzibar") != []

    await scene.forget(made)

    assert await words_anywhere(scene, "anzibar") == []
    assert await scene.titles("zanzibar") == []
    assert await scene.count(passages) == await scene.count(observation_labels) == 0
    with pytest.raises(NotFound):
        await scene.reading.get(ADA, made)
    history = await scene.reading.history(ADA, made)
    assert [(entry.event, entry.before, entry.after) for entry in history] == [
        ("ADD", None, None),
        ("UPDATE", None, None),
        ("DELETE", None, None),
    ]
    with pytest.raises(NotFound):
        await scene.forget(made)


@pytest.mark.parametrize("source", ["capture", "import"])
async def test_2_what_was_forgotten_is_not_captured_again_in_any_of_its_versions(scene: Scene, source: str) -> None:
    made = await scene.add("Garden", "grows beans", source=source, message="m1")
    await scene.write("Garden", "grows beans", "grows peas", source=source, message="m2")
    await scene.forget(made)

    told = Told()
    for facts in (("grows beans",), ("grows beans", "grows peas"), ("Grows  PEAS",)):
        assert await scene.beside(told).write("Garden", *facts, source=source, message="m1") == ("skipped", None)
    assert await scene.active() == []
    assert told.asked == []


async def test_2_what_was_forgotten_is_remembered_again_when_somebody_asks(scene: Scene) -> None:
    made = await scene.add("Garden", "grows beans", source="auto_capture")
    await scene.forget(made)

    await scene.add("Garden", "grows beans", source="person")

    assert await scene.write("Garden", "grows beans", source="auto_capture") != ("skipped", None)
    assert await scene.count(tombstones) == 0


async def test_5_what_is_added_after_forgetting_stays(scene: Scene) -> None:
    made = await scene.add("Garden", "grows beans")
    await scene.forget(made)
    again = await scene.add("Garden", "grows beans")
    assert [one.id for one in await scene.active()] == [again]
    assert await scene.titles("beans") == ["Garden"]


async def test_1_forgetting_touches_one_observation_of_one_user_only(scene: Scene) -> None:
    other = await scene.add("Skiing", "goes skiing")
    made = await scene.add("Tea", "likes green tea")
    await scene.forget(made)
    assert [one.id for one in await scene.active()] == [other]
    assert await scene.events(other) == ["ADD"]


async def test_a_superseded_and_an_archived_observation_can_be_forgotten(scene: Scene) -> None:
    superseded = await scene.add("Home", "lives in Berlin")
    await scene.write("Home", "lives in Hamburg")
    namespace_id = await scene.namespace_id()
    async with scene.database.write() as tx:
        said = {"title": "Old", "facts": ["was in Oslo"]}
        archived = {"namespace_id": namespace_id, "store": "private", "type": "event", "title": "Old", "words": "old"}
        row = {**archived, "observation_id": "obs_old", "observation": said, "reason": "aged", "archived_ms": 1}
        await tx.execute(insert(observation_archive).values(row))

    await scene.forget(superseded)
    await scene.forget("obs_old")

    assert await words_anywhere(scene, "Berlin") == await words_anywhere(scene, "Oslo") == []
    assert [one.facts for one in await scene.active()] == [("lives in Hamburg",)]
    assert await scene.write("Old", "was in Oslo", source="import") == ("skipped", None)


async def test_an_unknown_id_cannot_be_forgotten_edited_or_pinned(scene: Scene) -> None:
    await scene.add("Tea")
    with pytest.raises(NotFound):
        await scene.forget("obs_none")
    with pytest.raises(NotFound):
        await scene.editing.edit(ADA, "obs_none", ObservationEdit(title="x"))
    with pytest.raises(NotFound):
        await scene.editing.pin(ADA, "obs_none", True)


async def test_a_person_corrects_what_is_remembered(scene: Scene) -> None:
    made = await scene.add("Tea", "likes green tea", tags=("drinks",))
    scene.later()

    edited = await scene.editing.edit(ADA, made, ObservationEdit(facts=("likes black tea",)))

    assert await scene.reading.get(ADA, made) == edited
    assert (edited.title, edited.facts, edited.tags, edited.updated_ms) == (
        "Tea",
        ("likes black tea",),
        ("drinks",),
        scene.at_ms,
    )
    assert await scene.titles("black") == ["Tea"]
    assert await scene.titles("green") == []
    before, after = [(entry.before, entry.after) for entry in await scene.reading.history(ADA, made)][1]
    assert before is not None
    assert after is not None
    assert (before["facts"], after["facts"]) == (["likes green tea"], ["likes black tea"])


async def test_an_edit_that_changes_nothing_leaves_no_history(scene: Scene) -> None:
    made = await scene.add("Tea", "likes green tea")
    await scene.editing.edit(ADA, made, ObservationEdit(title=" Tea "))
    assert await scene.events(made) == ["ADD"]


async def test_an_edit_may_not_copy_another_row_or_break_a_rule(scene: Scene) -> None:
    await scene.add("Tea", "likes green tea")
    made = await scene.add("Skiing", "goes skiing")
    with pytest.raises(Conflict):
        await scene.editing.edit(ADA, made, ObservationEdit(title="Tea", facts=("likes green tea",)))
    with pytest.raises(InvalidInput):
        await scene.editing.edit(ADA, made, ObservationEdit(title=" "))
    assert len(await scene.active()) == 2


async def test_pins_and_use_are_remembered(scene: Scene) -> None:
    made = await scene.add("Tea")
    assert (await scene.editing.pin(ADA, made, True)).pinned
    scene.later()
    await scene.editing.mark_used(ADA, [made, "obs_none"])
    await scene.editing.mark_used(ADA, [])
    read = await scene.reading.get(ADA, made)
    assert (read.pinned, read.used_ms) == (True, scene.at_ms)

    scene.later(days=-1)
    await scene.editing.mark_used(ADA, [made])
    assert (await scene.reading.get(ADA, made)).used_ms == read.used_ms
    assert not (await scene.editing.pin(ADA, made, False)).pinned


async def test_people_know_what_observations_say_of_them_now(scene: Scene) -> None:
    home = await scene.add("Bo's home", "Bo lives in Oslo", type="person", related_people=("Bo",))
    await scene.add("Bo's work", "Bo bakes bread", type="person", related_people=("BO",))
    await scene.write("Bo's home", "Bo lives in Bergen", type="person", related_people=("Bo",))
    assert (await person(scene)).facts == ("Bo bakes bread", "Bo lives in Bergen")

    (current,) = [one for one in await scene.active() if "Bergen" in str(one.facts)]
    await scene.forget(current.id)
    assert (await person(scene)).facts == ("Bo bakes bread",)
    assert (await scene.reading.get(ADA, home)).end_reason == "superseded"


async def person(scene: Scene) -> Person:
    found = await scene.people.find(ADA, "bo", "owner")
    assert found is not None
    return found


async def test_a_person_whom_nothing_speaks_of_any_more_is_forgotten(scene: Scene) -> None:
    first = await scene.add("Bo came", related_people=("Bo",))
    second = await scene.add("Bo left again", related_people=("Bobby",))
    await scene.people.add_alias(ADA, "Bo", "Robert", "owner")
    await scene.forget(first)
    await scene.forget(second)
    assert await scene.people.list(ADA, "owner") == []
    assert await scene.count(observations) == 0


async def test_people_have_other_names_by_which_everything_finds_them(scene: Scene) -> None:
    await scene.add("Bo came", related_people=("Bo",))
    await scene.add("Cy came", related_people=("Cy",))
    known = await scene.people.add_alias(ADA, " bO ", "Robert", "owner")
    assert (known.name, known.aliases) == ("Bo", ("Robert",))
    assert (await scene.people.add_alias(ADA, "Robert", "ROBERT", "owner")).aliases == ("Robert",)

    scene.later()
    await scene.add("Robert called", related_people=("robert",))

    assert [(one.name, one.mention_count) for one in await scene.people.list(ADA, "owner")] == [("Bo", 2), ("Cy", 1)]
    with pytest.raises(Conflict):
        await scene.people.add_alias(ADA, "Cy", "Robert", "owner")
    with pytest.raises(NotFound):
        await scene.people.add_alias(ADA, "Nobody", "X", "owner")
    with pytest.raises(NotFound):
        await scene.people.add_alias(ADA, "Bo", "X", "familiar")
    with pytest.raises(InvalidInput):
        await scene.people.add_alias(ADA, "Bo", " ", "owner")
