"""Reconciliation as it is applied: candidates, the four decisions and their histories, what the rules and a model decide."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from beaver.errors import DeadlineExceeded, PeerFault
from beaver.memory.observations.reconcile import Decision, Mention, Supersede, Update
from beaver.memory.observations.reconcile_model import ModelReconciler
from beaver.memory.observations.records import Content
from beaver.memory.tables import observation_labels, passages
from tests.contract.observations.scene import ADA, Scene, Told

MERGED = Content("Tea", "Both.", ("likes green tea", "with milk"))


class Answers:
    """A language model with one answer, or one fault."""

    def __init__(self, answer: str | Exception) -> None:
        self.answer = answer
        self.prompts: list[dict[str, Any]] = []

    async def complete(self, system: str, prompt: str, *, timeout_s: float) -> str:
        self.prompts.append(json.loads(prompt))
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


async def test_what_is_new_asks_nobody(scene: Scene) -> None:
    told = Told()
    await scene.beside(told).add("Tea", "likes green tea")
    await scene.beside(told).add("Skiing", "goes skiing in January")
    assert told.asked == []


async def test_an_update_merges_into_the_row_and_is_found_by_its_new_words(scene: Scene) -> None:
    made = await scene.add("Tea", "likes green tea", expires_ms=scene.at_ms + 10**9)
    scene.later()

    written = await scene.beside(Told([Update(0, MERGED)])).write("Tea with milk", "takes green tea with milk")

    assert written == ("updated", made)
    (read,) = await scene.active()
    assert (read.facts, read.mention_count, read.expires_ms) == (MERGED.facts, 2, read.created_ms + 10**9)
    assert await scene.events(made) == ["ADD", "UPDATE"]
    assert await scene.titles("milk") == ["Tea"]
    assert await scene.count(passages, observation_id=made) == 1


async def test_a_superseded_row_ends_marked_with_time_and_successor_and_nothing_finds_it(scene: Scene) -> None:
    old = await scene.add("Tea", "likes green tea")
    scene.later()

    outcome, new = await scene.beside(Told([Supersede(0)])).write("Tea now", "likes black tea")

    assert outcome == "deleted"
    ended = await scene.reading.get(ADA, old)
    assert (ended.ended_ms, ended.end_reason, ended.successor_id) == (ended.created_ms + 86_400_000, "superseded", new)
    assert [one.id for one in await scene.active()] == [new]
    assert await scene.titles("green tea") == ["Tea now"]
    assert await scene.events(old) == ["ADD", "DELETE"]
    assert await scene.events(str(new)) == ["ADD"]
    assert await scene.count(passages, observation_id=old) == 0
    assert await scene.count(observation_labels, observation_id=old) == 0


async def test_nothing_new_is_a_mention_and_leaves_the_history_alone(scene: Scene) -> None:
    made = await scene.add("Tea", "likes green tea")
    assert await scene.beside(Told([Mention(0)])).write("Tea again", "does like green tea") == ("skipped", made)
    assert (await scene.active())[0].mention_count == 2
    assert await scene.events(made) == ["ADD"]


async def test_candidates_are_alike_and_of_the_same_store_and_type(scene: Scene) -> None:
    await scene.add("Tea at home", "likes green tea", type="event")
    await scene.add("Tea for guests", "likes green tea", trust="inner")
    await scene.add("Skiing", "goes skiing in January every year")
    alike = await scene.add("Tea", "likes green tea")
    told = Told()

    await scene.beside(told).write("Tea again", "does like green tea")

    (asked,) = told.asked
    assert [one.observation.id for one in asked] == [alike]
    assert 0 < asked[0].score <= 1


async def test_there_are_at_most_six_candidates_the_likest_first(scene: Scene) -> None:
    told = Told()
    beside = scene.beside(told)
    for number in range(9):
        await beside.write(f"Tea {number}", "likes green tea", "very much")
    await beside.write("Tea", "likes green tea", "very much")
    scores = [one.score for one in told.asked[-1]]
    assert len(scores) == 6
    assert scores == sorted(scores, reverse=True)


async def test_a_merge_that_says_what_another_row_says_already_makes_no_copy(scene: Scene) -> None:
    await scene.add("Tea", "likes green tea")
    twin = await scene.beside(Told()).write("Milk tea", "likes green tea with milk")
    said = Content("Milk tea", "", ("likes green tea with milk",))

    class First(Told):
        async def decide(self, _new: Any, _at_ms: int, candidates: Any) -> Decision:
            index = next(at for at, one in enumerate(candidates) if one.observation.title == "Tea")
            return Update(index, said)

    assert await scene.beside(First()).write("Tea and milk", "likes green tea, milk") == ("skipped", twin[1])
    assert sorted(one.title for one in await scene.active()) == ["Milk tea", "Tea"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("favourite colour is blue", "favourite colour is green"),
        ("My favorite color is blue", "favourite colour: green"),
        ("lives in Berlin", "moved to Hamburg"),
        ("I live in Berlin", "I have moved to Hamburg"),
        ("works at Siemens", "now works for Bosch"),
        ("the deadline is 3 May", "the deadline is 10 May"),
        ("Our address is Rue Lepic 12", "Our new address is Elm Street 5"),
        ("my locker code is 4471", "Correction: my locker code is 4472"),
        ("I'm a vegetarian", "I'm vegan now"),
        ("I'm 34 years old", "I'm 35 now"),
        ("My son's name is Max", "My son's name is Felix, not Max"),
        ("I like coffee in the morning", "I like tea in the morning, not coffee"),
        (
            "We decided to use PostgreSQL for the shop project",
            "We decided to use SQLite instead of PostgreSQL for the shop project",
        ),
        ("我的儿子叫小明", "我的儿子是小华,不是小明"),
        ("我住在北京", "我搬到了上海"),
        ("我最喜欢的颜色是蓝色", "我最喜欢的颜色是绿色"),
    ],
)
async def test_26_without_a_model_another_value_of_one_attribute_supersedes(
    scene: Scene, before: str, after: str
) -> None:
    old = await scene.add(before, before)
    scene.later()
    outcome, new = await scene.write(after, after)
    assert outcome == "deleted"
    ended = await scene.reading.get(ADA, old)
    assert (ended.successor_id, ended.ended_ms) == (new, scene.at_ms)
    assert [one.title for one in await scene.active()] == [after]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Ada lives in Berlin", "Bob lives in Rome"),
        ("likes green tea", "likes black coffee"),
        ("favourite colour is blue", "favourite food is soup"),
        ("meeting on Monday at 9", "meeting on Monday at 10"),
        ("eats fish on Fridays", "never eats fish on Fridays"),
        ("Ada is taller than Bob", "Bob is taller than Ada"),
        ("used to live in Bonn", "lives in Berlin"),
        ("My son's name is Max", "My daughter's name is Ida, not Max"),
        ("likes coffee with milk in the morning", "likes tea, not coffee"),
    ],
)
async def test_without_a_model_what_may_both_be_true_lives_side_by_side(scene: Scene, before: str, after: str) -> None:
    await scene.add(before, before)
    await scene.add(after, after)
    assert len(await scene.active()) == 2


async def test_without_a_model_one_wrong_fact_of_several_is_replaced_and_the_rest_stays(scene: Scene) -> None:
    made = await scene.add("Profile", "lives in Berlin", "has two cats")
    assert await scene.write("Profile", "lives in Hamburg") == ("updated", made)
    assert (await scene.active())[0].facts == ("has two cats", "lives in Hamburg")


async def test_without_a_model_older_news_do_not_put_newer_right(scene: Scene) -> None:
    await scene.add("Home", "lives in Hamburg")
    old = await scene.write("Home", "lives in Berlin", observed_ms=scene.at_ms - 10_000)
    assert old == ("skipped", None)
    assert [one.facts for one in await scene.active()] == [("lives in Hamburg",)]


async def test_without_a_model_the_same_in_other_words_is_a_mention_and_more_is_an_update(scene: Scene) -> None:
    made = await scene.add("Likes green tea in the morning")
    assert await scene.write("likes   green tea, in the morning!") == ("skipped", made)
    assert await scene.write("Likes green tea in the morning with milk") == ("updated", made)
    assert [one.title for one in await scene.active()] == ["Likes green tea in the morning with milk"]


async def test_7_of_merged_memories_only_the_merged_one_is_recalled(scene: Scene) -> None:
    await scene.add("Garden", "grows tomatoes")
    await scene.write("Garden", "grows beans")
    assert await scene.titles("what does the garden grow?") == ["Garden"]
    assert (await scene.active())[0].facts == ("grows tomatoes", "grows beans")


async def test_a_model_is_shown_dense_indices_and_no_ids(scene: Scene) -> None:
    for number in range(3):
        await scene.beside(Told()).write(f"Tea {number}", "likes green tea", message=f"m{number}")
    model = Answers('{"decision": "NONE", "candidate_index": 1, "merged": null}')

    outcome, _ = await scene.beside(ModelReconciler(model)).write("Tea", "likes green tea")

    (prompt,) = model.prompts
    assert outcome == "skipped"
    assert [one["index"] for one in prompt["candidates"]] == [0, 1, 2]
    assert set(prompt["candidates"][0]) == {"index", "score", "mention_count", "created_at", "observation"}
    assert "obs_" not in json.dumps(prompt)
    assert "m1" not in json.dumps(prompt)


def _fenced(answer: str) -> str:
    return f"Here you are:\n```json\n{answer}\n```\nDone."


def _in_prose(answer: str) -> str:
    return f"I think {answer} is right."


@pytest.mark.parametrize("put", [str, _fenced, _in_prose])
async def test_a_models_answer_is_read_raw_fenced_or_out_of_prose(scene: Scene, put: Callable[[str], str]) -> None:
    made = await scene.add("Tea", "likes green tea")
    answer = put(
        '{"decision": "UPDATE", "candidate_index": 0, "merged": {"title": "Tea", "facts": ["green", "black"]}}'
    )
    written = await scene.beside(ModelReconciler(Answers(answer))).write("Black tea", "likes black tea")
    assert written == ("updated", made)
    assert (await scene.active())[0].facts == ("green", "black")


async def test_a_model_supersedes(scene: Scene) -> None:
    old = await scene.add("Tea", "likes green tea")
    model = Answers('{"decision": "DELETE", "candidate_index": 0}')
    outcome, new = await scene.beside(ModelReconciler(model)).write("No tea", "likes tea no longer")
    assert outcome == "deleted"
    assert (await scene.reading.get(ADA, old)).successor_id == new


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "no idea",
        "[]",
        '{"decision": "DROP", "candidate_index": 0}',
        '{"decision": "NONE", "candidate_index": 7}',
        '{"decision": "NONE", "candidate_index": -1}',
        '{"decision": "NONE", "candidate_index": "0"}',
        '{"decision": "NONE", "candidate_index": null}',
        '{"decision": "UPDATE", "candidate_index": 0}',
        '{"decision": "UPDATE", "candidate_index": 0, "merged": {"title": " "}}',
        '{"decision": "NONE", "candidate_index": 0, "store": "social"}',
        '{"decision": "UPDATE", "candidate_index": 0, "merged": {"title": "x", "store": "social"}}',
    ],
)
async def test_an_answer_that_makes_no_sense_adds(scene: Scene, answer: str) -> None:
    await scene.add("Tea", "likes green tea")
    beside = scene.beside(ModelReconciler(Answers(answer)))
    assert (await beside.write("Green tea", "likes green tea"))[0] == "added"


@pytest.mark.parametrize("fault", [DeadlineExceeded("late"), PeerFault("broken"), TimeoutError()])
async def test_a_model_that_cannot_be_asked_leaves_it_to_the_rules(scene: Scene, fault: Exception) -> None:
    await scene.add("Home", "lives in Berlin")
    beside = scene.beside(ModelReconciler(Answers(fault)))
    assert (await beside.write("Home", "moved to Hamburg"))[0] == "deleted"


async def test_what_a_model_merges_is_clipped_and_keeps_its_store(scene: Scene) -> None:
    await scene.add("Tea", "likes green tea", trust="inner")
    merged = {"title": "T" * 300, "narrative": "n" * 900, "facts": ["f" * 500] * 3 + ["g"] * 30}
    answer = json.dumps({"decision": "UPDATE", "candidate_index": 0, "merged": merged})
    await scene.beside(ModelReconciler(Answers(answer))).write("Black tea", "likes black tea", trust="inner")
    (read,) = await scene.active()
    assert (len(read.title), len(read.narrative), [len(fact) for fact in read.facts]) == (80, 400, [200, 1])
    assert read.store == "shared"
