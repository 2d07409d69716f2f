"""Writing observations: copies, evidence, bounds, isolation, and writers side by side."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from beaver.errors import Conflict, InvalidInput, NotFound
from beaver.memory.idempotency.identity import RequestIdentity
from beaver.memory.namespace import Namespace
from beaver.memory.observations.reconcile import Decision
from beaver.memory.observations.records import Candidate, Evidence, NewObservation, Observation, Written
from beaver.memory.tables import embeddings, observation_labels, observations, passages
from tests.contract.observations.scene import ADA, BOB, Scene, Told, learned


async def test_what_is_written_can_be_read_found_and_has_a_history(scene: Scene) -> None:
    made = await scene.add("Tea", "likes green tea", narrative="Said at breakfast.", tags=("drinks",))

    (read,) = await scene.active()
    assert (read.id, read.title, read.facts, read.tags) == (made, "Tea", ("likes green tea",), ("drinks",))
    assert (read.mention_count, read.store, read.min_trust, read.created_ms) == (1, "private", "owner", scene.at_ms)
    assert await scene.titles("which tea?") == ["Tea"]
    assert await scene.events(made) == ["ADD"]


async def test_an_active_observation_has_exactly_one_passage_even_a_long_one(scene: Scene) -> None:
    made = await scene.add("Long", *(f"fact number {number} {'word ' * 30}" for number in range(20)))
    assert await scene.count(passages, observation_id=made) == 1


async def test_an_exact_copy_is_a_mention_and_asks_no_model(scene: Scene) -> None:
    told = Told()
    beside = scene.beside(told)
    made = await scene.add("Tea", "likes green tea")

    assert await beside.write("Tea", "likes green tea") == ("exact_dup", made)

    (read,) = await scene.active()
    assert read.mention_count == 2
    assert told.asked == []
    assert await scene.events(made) == ["ADD"]


async def test_an_exact_copy_makes_the_row_recent_and_keeps_its_passage(scene: Scene) -> None:
    await scene.add("Tea", "likes green tea")
    async with scene.database.read() as tx:
        before = (await tx.execute(passages.select())).all()
    scene.later(days=3)

    await scene.write("Tea", "likes green tea")

    async with scene.database.read() as tx:
        assert (await tx.execute(passages.select())).all() == before
    assert (await scene.active())[0].updated_ms == scene.at_ms


async def test_6_the_same_messages_again_count_no_second_mention(scene: Scene) -> None:
    made = await scene.add("Tea", "likes green tea", message="m1")
    assert await scene.write("Tea", "likes green tea", message="m1") == ("exact_dup", made)
    assert (await scene.active())[0].mention_count == 1

    assert await scene.write("Tea", "likes green tea", message="m2") == ("exact_dup", made)
    (read,) = await scene.active()
    assert read.mention_count == 2
    assert read.evidence == (Evidence("turn", "m1"), Evidence("turn", "m2"))


async def test_6_messages_whose_news_are_superseded_bring_nothing_back(scene: Scene) -> None:
    await scene.add("Favourite colour", "favourite colour is blue", message="m1")
    await scene.write("Favourite colour", "favourite colour is green", message="m2")

    assert (await scene.write("Favourite colour", "favourite colour is blue", message="m1"))[0] == "skipped"
    assert [one.facts for one in await scene.active()] == [("favourite colour is green",)]


async def test_11_two_writes_in_one_millisecond_both_live(scene: Scene) -> None:
    await scene.add("Tea", "likes green tea")
    await scene.add("Skiing", "goes skiing in January")
    assert len(await scene.active()) == 2


async def test_concurrent_equal_writes_give_one_row(scene: Scene) -> None:
    written = await asyncio.gather(*(scene.write("Tea", "likes green tea") for _ in range(8)))

    assert sorted(outcome for outcome, _ in written) == ["added", *["exact_dup"] * 7]
    (read,) = await scene.active()
    assert {made for _, made in written} == {read.id}
    assert read.mention_count == 8
    assert await scene.count(passages, observation_id=read.id) == 1


async def test_a_decision_on_what_has_changed_meanwhile_is_asked_for_anew(scene: Scene) -> None:
    await scene.add("Tea", "likes green tea")

    class Slow(Told):
        async def decide(self, new: NewObservation, at_ms: int, candidates: Sequence[Candidate]) -> Decision:
            if not self.asked:
                await scene.service.write(ADA, learned("Tea time", "likes green tea at five"))
            return await super().decide(new, at_ms, candidates)

    slow = Slow()
    assert (await scene.beside(slow).write("Tea again", "likes green tea with milk"))[0] == "added"
    first, second = slow.asked
    assert [one.observation.facts for one in first] != [one.observation.facts for one in second]


async def test_30_a_retried_write_gives_the_same_receipt_and_stores_nothing(scene: Scene) -> None:
    identity = RequestIdentity("ada", "k", "hash")
    first = await scene.service.write(ADA, learned("Tea"), "owner", identity)
    assert await scene.service.write(ADA, learned("Tea"), "owner", identity) == first
    assert first.outcome == "added"
    assert (await scene.active())[0].mention_count == 1

    with pytest.raises(Conflict):
        await scene.service.write(ADA, learned("Coffee"), "owner", RequestIdentity("ada", "k", "other"))


async def test_13_one_user_never_sees_or_changes_anothers(scene: Scene) -> None:
    made = await scene.add("Tea", "likes green tea")

    assert await scene.write("Tea", "likes green tea", namespace=BOB) != ("exact_dup", made)
    with pytest.raises(NotFound):
        await scene.reading.get(BOB, made)
    with pytest.raises(NotFound):
        await scene.reading.history(BOB, made)
    with pytest.raises(NotFound):
        await scene.forget(made, BOB)
    with pytest.raises(NotFound):
        await scene.editing.pin(BOB, made, True)
    await scene.editing.mark_used(BOB, [made])
    assert (await scene.reading.get(ADA, made)).used_ms is None


async def test_what_is_too_long_is_clipped(scene: Scene) -> None:
    long = NewObservation(
        "event",
        "t" * 200,
        "n" * 900,
        facts=tuple(f"{number} {'f' * 300}" for number in range(30)),
        tags=("g" * 90, "", "g" * 90),
        related_files=("p" * 300,),
        related_people=("q" * 300,),
    )
    written = await scene.service.write(ADA, long)
    assert written == Written("added", written.observation_id)
    (read,) = await scene.active()
    assert (len(read.title), len(read.narrative), len(read.facts), len(read.facts[0])) == (80, 400, 20, 200)
    assert read.tags == ("g" * 50,)
    assert (len(read.related_files[0]), len(read.related_people[0])) == (200, 100)


@pytest.mark.parametrize(
    ("new", "field"),
    [
        (NewObservation("event", "  "), "title"),
        (NewObservation("gossip", "x"), "type"),  # type: ignore[arg-type]
        (NewObservation("event", "x", source=""), "source"),
        (NewObservation("event", "x", session_id="\n"), "session_id"),
        (NewObservation("event", "x", observed_ms=-1), "observed_ms"),
        (NewObservation("event", "x", expires_ms=10**18), "expires_ms"),
    ],
)
async def test_what_breaks_a_rule_is_refused_by_its_field(scene: Scene, new: NewObservation, field: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        await scene.service.write(ADA, new)
    assert refused.value.field == field
    assert await scene.count(observations) == 0


async def test_characters_that_no_database_holds_are_replaced(scene: Scene) -> None:
    await scene.add("a\x00b\ud800c", "fact\x00")
    (read,) = await scene.active()
    assert read.title == "a\ufffdb\ufffdc"


async def test_a_write_without_its_user_is_refused(scene: Scene) -> None:
    with pytest.raises(NotFound):
        await scene.service.write(Namespace("default", "default", "nobody"), learned("Tea"))


async def test_an_expired_row_is_gone_and_may_be_learned_again(scene: Scene) -> None:
    first = await scene.add("Parking", "the car stands on level 3", expires_ms=scene.at_ms + 1000)
    scene.later()
    assert await scene.active() == []
    assert await scene.titles("where is the car?") == []

    second = await scene.add("Parking", "the car stands on level 3")
    ended = await scene.reading.get(ADA, first)
    assert (ended.end_reason, [one.id for one in await scene.active()]) == ("expired", [second])


async def test_what_was_learned_earlier_keeps_its_time(scene: Scene) -> None:
    await scene.add("Tea", "likes green tea", observed_ms=scene.at_ms - 5000)
    ahead: Observation
    await scene.add("Skiing", "goes skiing", observed_ms=scene.at_ms + 5000)
    ahead, before = await scene.active()
    assert (before.created_ms, ahead.created_ms) == (scene.at_ms - 5000, scene.at_ms)


async def test_a_row_of_signs_alone_is_kept(scene: Scene) -> None:
    made = await scene.add("?!", type="event")
    assert await scene.count(observation_labels, observation_id=made) == 0
    assert await scene.count(embeddings) == 0
    assert [one.title for one in await scene.active()] == ["?!"]
