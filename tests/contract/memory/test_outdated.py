"""What was superseded is told so in an answer, and stands behind what holds now; on both databases."""

from __future__ import annotations

import re

import pytest
from sqlalchemy import select

from beaver.db.engine import Database
from beaver.memory.observations.records import Evidence, NewObservation
from beaver.memory.records import Found, NewMessage, Question
from beaver.memory.retrieval.answer.outdated_store import read_replacements
from beaver.memory.runtime import MemoryRuntime
from beaver.memory.tables import namespaces
from beaver.memory.upkeep.policy import RetentionPolicy
from beaver.schemas.gateway import SCOPES
from tests.contract.memory.scene import ADA
from tests.support.memory_engine import engine_with
from tests.support.memory_gateway import MORNING_MS
from tests.support.plans import plan_of, statements_of

DAY_MS = 86_400_000


async def said(runtime: MemoryRuntime, session: str, content: str, *, days_ago: int) -> str:
    """A turn, stored and flushed; its message's id."""
    told = NewMessage("user", "ada", MORNING_MS - days_ago * DAY_MS, content)
    (message_id,) = (await runtime.add(ADA, session, [told])).message_ids
    await runtime.flush(ADA, session)
    return message_id


async def asked(runtime: MemoryRuntime, text: str, limit: int = 8) -> list[Found]:
    return await runtime.search(ADA, Question(text, "chat:new", SCOPES, limit))


def replaced(one: Found) -> list[str]:
    return [each["title"] for each in one.why.get("superseded_by", [])]


async def test_26_a_message_that_is_outdated_says_by_what_and_since_when_and_the_newer_one_stands_before_it(
    runtime: MemoryRuntime,
) -> None:
    await said(runtime, "chat:a", "I live in Paris.", days_ago=60)
    await said(runtime, "chat:b", "I moved to Berlin.", days_ago=20)

    newer, outdated = await asked(runtime, "Do I live in Paris?")

    assert "Berlin" in newer.text
    assert outdated.text == "I live in Paris."
    assert newer.score >= outdated.score
    (told,) = outdated.why["superseded_by"]
    assert (told["title"], told["since_ms"]) == ("I moved to Berlin", MORNING_MS - 20 * DAY_MS)
    assert replaced(newer) == []


@pytest.mark.parametrize(
    ("stated", "over"),
    [
        ("I live in Paris.", "I no longer live in Paris."),
        ("My dog is called Biscuit.", "We no longer have Biscuit."),
        ("I drive a Volvo.", "I sold my Volvo last week."),
        ("I drink coffee every morning.", "I stopped drinking coffee."),
    ],
)
async def test_what_is_said_to_be_over_is_outdated(runtime: MemoryRuntime, stated: str, over: str) -> None:
    await said(runtime, "chat:a", stated, days_ago=60)
    await said(runtime, "chat:b", over, days_ago=20)

    assert {one.title for one in (await runtime.list_observations(ADA)).observations} == {over.rstrip(".")}
    by_text = {one.text: one for one in await asked(runtime, stated)}
    assert replaced(by_text[stated]) == [over.rstrip(".")]


async def test_what_was_replaced_again_and_again_names_what_holds_now(runtime: MemoryRuntime) -> None:
    await said(runtime, "chat:a", "I live in Paris.", days_ago=60)
    await said(runtime, "chat:b", "I moved to Berlin.", days_ago=40)
    await said(runtime, "chat:c", "I moved to Oslo.", days_ago=20)

    by_text = {one.text: one for one in await asked(runtime, "Paris, Berlin, Oslo?")}
    assert replaced(by_text["I live in Paris."]) == ["I moved to Oslo"]
    assert replaced(by_text["I moved to Berlin."]) == ["I moved to Oslo"]


async def test_what_was_said_anew_later_holds(runtime: MemoryRuntime) -> None:
    await said(runtime, "chat:a", "I live in Paris.", days_ago=60)
    await said(runtime, "chat:b", "I moved to Berlin.", days_ago=40)
    await said(runtime, "chat:c", "I live in Paris.", days_ago=20)

    by_text = {one.text: one for one in await asked(runtime, "Paris or Berlin?")}
    assert replaced(by_text["I live in Paris."]) == []
    assert replaced(by_text["I moved to Berlin."]) == ["I live in Paris"]


async def test_what_replaced_it_is_told_from_the_archive_too_and_not_once_it_is_forgotten(memory_url: str) -> None:
    async with engine_with(memory_url, "ada") as runtime:
        for days_ago, session, town in ((60, "chat:a", "Paris"), (20, "chat:b", "Berlin")):
            message_id = await said(runtime, session, f"Home is {town} now", days_ago=days_ago)
            told = NewObservation("event", f"lives in {town}", evidence=(Evidence("turn", message_id),))
            await runtime.write_observation(ADA, told)
    async with engine_with(memory_url, clock=lambda: MORNING_MS + 50 * DAY_MS) as runtime:
        assert (await runtime.maintain(RetentionPolicy())).archived == 1
        (outdated,) = await asked(runtime, "Paris")
        assert replaced(outdated) == ["lives in Berlin"]

        await runtime.forget_session(ADA, "chat:b")
        (left,) = await asked(runtime, "Paris")
        assert replaced(left) == []


async def test_an_observation_that_quotes_what_is_outdated_says_so_too(runtime: MemoryRuntime) -> None:
    await said(runtime, "chat:a", "I'm a vegetarian and I love Thai food.", days_ago=60)
    await said(runtime, "chat:b", "I'm vegan now.", days_ago=20)

    by_text = {one.text: one for one in await asked(runtime, "love Thai food")}
    (quoting,) = [one for text, one in by_text.items() if "love Thai food" in text]
    assert replaced(quoting) == ["I'm vegan now"]


async def test_what_said_the_same_at_that_time_is_outdated_too_and_what_says_the_newer_is_not(
    runtime: MemoryRuntime,
) -> None:
    await said(runtime, "chat:a", "I live in Paris with my husband Tom.", days_ago=60)
    await said(runtime, "chat:b", "I moved to Berlin.", days_ago=20)
    answers = (
        (50, "You told me: you live in Paris, near the river."),
        (49, "Do you live in Paris by any chance?"),
        (48, "Paris is a city where many live well."),
        (10, "You live in Berlin."),
        (9, "I wonder whether you live in Paris still."),
    )
    for days_ago, text in answers:
        at_ms = MORNING_MS - days_ago * DAY_MS
        await runtime.add(ADA, f"chat:{days_ago}", [NewMessage("assistant", "beaver", at_ms, text)])

    found = await asked(runtime, "Do I live in Paris or in Berlin?", limit=20)

    outdated = {one.text for one in found if replaced(one)}
    assert outdated == {"I live in Paris with my husband Tom.", answers[0][1]}


async def test_what_is_outdated_is_looked_up_and_not_searched_for(memory_sqlite_url: str) -> None:
    """By the plan, not by the clock."""
    async with engine_with(memory_sqlite_url, "ada") as runtime:
        message_id = await said(runtime, "chat:a", "I live in Paris.", days_ago=60)
        await said(runtime, "chat:b", "I moved to Berlin.", days_ago=20)
    database = Database.open(memory_sqlite_url)
    try:
        told = statements_of(database)
        async with database.read() as tx:
            namespace_id = await tx.scalar(select(namespaces.c.id))
            assert namespace_id is not None
            told.clear()
            assert await read_replacements(tx, namespace_id, [message_id])
            steps = [step for each in tuple(told) for step in await plan_of(tx, each)]
    finally:
        await database.close()
    read = [step for step in steps if re.search(r"observation", step)]
    assert len(read) == 3
    assert [
        step for step in read if not re.search(r"SEARCH .*\((?:id|namespace_id=\? AND message_id)=\?\)", step)
    ] == []
