"""What is forgotten is gone from everywhere, one user's only; and the place can be used again."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from sqlalchemy import text

from beaver.db.engine import Database, Transaction
from beaver.errors import InvalidInput, NotFound, Unauthenticated
from beaver.memory.forgetting import purge_store
from beaver.memory.forgetting.records import Forgotten
from beaver.memory.idempotency.identity import RequestIdentity
from beaver.memory.namespace import Namespace
from beaver.memory.observations.records import Evidence, NewObservation, ObservationEdit
from beaver.memory.records import NewDocument, NewMessage, Question
from beaver.memory.runtime import MemoryRuntime
from beaver.memory.tables import FULLTEXT_TABLE
from beaver.memory.upkeep.policy import RetentionPolicy
from beaver.schemas.gateway import SCOPES
from tests.support.memory_gateway import MORNING_MS
from tests.support.memory_views import held_words, last_sessions, observation

ADA, BOB = Namespace("default", "default", "ada"), Namespace("default", "default", "bob")
CANARY = "zanzibarcanary"


@pytest.fixture
async def runtime(runtime: MemoryRuntime) -> MemoryRuntime:
    await runtime.create_user("bob")
    return runtime


def said(content: str) -> NewMessage:
    return NewMessage("user", "ada", MORNING_MS, content)


async def texts(runtime: MemoryRuntime, namespace: Namespace, query: str = "") -> list[str]:
    found = await runtime.search(namespace, Question(query, "chat:s", SCOPES, 100))
    return sorted(memory.text for memory in found if memory.text)


async def learned(
    runtime: MemoryRuntime, namespace: Namespace, title: str, *message_ids: str, session_id: str | None = None
) -> str:
    evidence = tuple(Evidence(message_id.partition(".")[0], message_id) for message_id in message_ids)
    new = NewObservation("discovery", title, facts=(f"{title} indeed",), evidence=evidence, session_id=session_id)
    written = await runtime.write_observation(namespace, new)
    assert written.observation_id is not None
    return written.observation_id


async def test_a_message_is_gone_with_what_was_learned_from_it_alone(
    runtime: MemoryRuntime, memory_database: Database
) -> None:
    turn = await runtime.add(ADA, "chat:s", [said(f"the boat is called {CANARY}"), said("the boat is green")])
    first, second = turn.message_ids
    alone = await learned(runtime, ADA, f"Boat {CANARY}", first)
    both = await learned(runtime, ADA, "Owns a green boat", first, second)

    assert await runtime.forget_memory(ADA, first) == Forgotten(messages=1, observations=1)

    left = await runtime.list_memories(ADA)
    assert {memory.id for memory in left.memories} == {second, both}
    assert CANARY not in await held_words(memory_database)
    assert (await observation(runtime, ADA, both)).evidence == (Evidence(second.partition(".")[0], second),)
    with pytest.raises(NotFound):
        await observation(runtime, ADA, alone)
    with pytest.raises(NotFound):
        await runtime.forget_memory(ADA, first)


async def test_what_was_learned_from_several_messages_and_tells_of_the_forgotten_one_is_learned_anew(
    runtime: MemoryRuntime, memory_database: Database
) -> None:
    turn = await runtime.add(ADA, "chat:s", [said(f"I live in {CANARY}."), said("I prefer tabs over spaces.")])
    await runtime.flush(ADA, "chat:s")
    for message_id in turn.message_ids:
        both = await learned(runtime, ADA, f"Writes with tabs in {CANARY}", message_id)

    assert await runtime.forget_memory(ADA, turn.message_ids[0]) == Forgotten(messages=1, observations=2)

    assert CANARY not in await held_words(memory_database)
    with pytest.raises(NotFound):
        await observation(runtime, ADA, both)
    await runtime.flush(ADA, "chat:s")
    known = (await runtime.list_observations(ADA)).observations
    assert [(one.title, one.mention_count) for one in known] == [("I prefer tabs over spaces", 1)]


async def test_a_summary_is_written_anew_without_the_message_that_it_quoted(
    runtime: MemoryRuntime, memory_database: Database
) -> None:
    turn = await runtime.add(
        ADA, "chat:s", [said(f"Good morning from {CANARY}!"), said("We decided to use PostgreSQL.")]
    )
    await runtime.flush(ADA, "chat:s")

    assert await runtime.forget_memory(ADA, turn.message_ids[0]) == Forgotten(messages=1)

    (session,) = await last_sessions(runtime, ADA)
    assert session["request"] == "We decided to use PostgreSQL."
    assert CANARY not in await held_words(memory_database)


async def test_a_forgotten_observation_leaves_the_summaries_that_list_it(
    runtime: MemoryRuntime, memory_database: Database
) -> None:
    await runtime.add(ADA, "chat:s", [said("We decided to use PostgreSQL.")])
    decision = NewObservation("decision", f"Meets in {CANARY}", session_id="chat:s")
    written = await runtime.write_observation(ADA, decision)
    await runtime.flush(ADA, "chat:s")
    assert len((await last_sessions(runtime, ADA))[0]["decisions"]) == 2

    await runtime.forget_memory(ADA, str(written.observation_id))

    assert (await last_sessions(runtime, ADA))[0]["decisions"] == ["We decided to use PostgreSQL"]
    assert CANARY not in await held_words(memory_database)


@pytest.mark.parametrize("title", ['Says "100 %_/ \\ sure"', "Trifft Jörg um 鱼", "Sails to {}"])
async def test_a_title_is_found_in_summaries_however_it_is_written(
    runtime: MemoryRuntime, memory_database: Database, title: str
) -> None:
    await runtime.add(ADA, "chat:s", [said("We decided to use PostgreSQL.")])
    decisions = [NewObservation("decision", each, session_id="chat:s") for each in (title, "Paints the wall")]
    written = [await runtime.write_observation(ADA, each) for each in decisions]
    await runtime.flush(ADA, "chat:s")

    await runtime.forget_memory(ADA, str(written[0].observation_id))

    assert title not in (await last_sessions(runtime, ADA))[0]["decisions"]
    assert "Paints the wall" in (await last_sessions(runtime, ADA))[0]["decisions"]


async def test_what_lies_in_the_archive_goes_with_the_message_that_it_was_learned_from(
    memory_url: str, memory_database: Database
) -> None:
    now_ms = [MORNING_MS]
    runtime = await MemoryRuntime.open(memory_url, clock=lambda: now_ms[0])
    try:
        await runtime.create_user("ada")
        turn = await runtime.add(ADA, "chat:s", [said(f"the boat is called {CANARY}")])
        await learned(runtime, ADA, f"Boat {CANARY}", *turn.message_ids)
        now_ms[0] += 40 * 86_400_000
        assert (await runtime.maintain(RetentionPolicy())).archived == 1

        assert await runtime.forget_memory(ADA, turn.message_ids[0]) == Forgotten(messages=1, observations=1)

        assert CANARY not in await held_words(memory_database)
    finally:
        await runtime.close()


async def test_what_maintenance_deleted_for_its_age_is_gone_from_history_too(
    memory_url: str, memory_database: Database
) -> None:
    now_ms = [MORNING_MS]
    runtime = await MemoryRuntime.open(memory_url, clock=lambda: now_ms[0])
    try:
        await runtime.create_user("ada")
        observation_id = await learned(runtime, ADA, f"Boat {CANARY}")
        for days in (40, 400):
            now_ms[0] += days * 86_400_000
            await runtime.maintain(RetentionPolicy())

        assert CANARY not in await held_words(memory_database)
        assert [entry.event for entry in await runtime.observation_history(ADA, observation_id)][-1] == "DELETE"
    finally:
        await runtime.close()


async def test_a_purge_on_a_server_vacuums_what_held_words(runtime: MemoryRuntime, memory_database: Database) -> None:
    if memory_database.dialect.name == "sqlite":
        pytest.skip("a file is merged and its log emptied instead")
    turn = await runtime.add(ADA, "chat:s", [said(CANARY)])
    await runtime.forget_memory(ADA, turn.message_ids[0])
    await runtime.wait_until_purged()

    async with memory_database.read() as tx:
        vacuumed = text("SELECT relname FROM pg_stat_user_tables WHERE last_vacuum IS NOT NULL")
        assert {"messages", "passages", FULLTEXT_TABLE} <= set(await tx.scalars(vacuumed))
        assert await purge_store.noted(tx) is None


async def test_an_observation_is_gone_with_its_older_wordings(
    runtime: MemoryRuntime, memory_database: Database
) -> None:
    observation_id = await learned(runtime, ADA, f"Sails to {CANARY}")
    await runtime.edit_observation(ADA, observation_id, ObservationEdit(title="Sails to Malta", facts=()))

    assert (await runtime.forget_memory(ADA, observation_id)).observations == 1

    assert CANARY not in await held_words(memory_database)
    assert "malta" not in await held_words(memory_database)
    history = await runtime.observation_history(ADA, observation_id)
    assert [(entry.before, entry.after) for entry in history] == [(None, None)] * len(history)


async def test_2_a_forgotten_fact_is_not_captured_again(runtime: MemoryRuntime) -> None:
    observation_id = await learned(runtime, ADA, "Likes liquorice")
    await runtime.forget_memory(ADA, observation_id)
    again = NewObservation("discovery", "Likes liquorice", facts=("Likes liquorice indeed",), source="capture")
    assert (await runtime.write_observation(ADA, again)).observation_id is None


async def test_4_and_5_a_session_works_after_it_was_forgotten_and_its_words_may_be_said_again(
    runtime: MemoryRuntime, memory_database: Database
) -> None:
    turn = await runtime.add(ADA, "chat:s", [said(f"my secret is {CANARY}")])
    await runtime.add(ADA, "chat:t", [said("something else")])
    await learned(runtime, ADA, f"Has a secret {CANARY}", *turn.message_ids, session_id="chat:s")
    await learned(runtime, ADA, f"Whispered {CANARY}", session_id="chat:s")

    assert await runtime.forget_session(ADA, "chat:s") == Forgotten(messages=1, observations=2, sessions=1)

    assert CANARY not in await held_words(memory_database)
    assert await texts(runtime, ADA) == ["something else"]
    with pytest.raises(NotFound):
        await runtime.forget_session(ADA, "chat:s")
    await runtime.add(ADA, "chat:s", [said(f"my secret is {CANARY}")])
    await runtime.add(ADA, "chat:s", [said(f"my secret is {CANARY}")])
    found = await runtime.search(ADA, Question(CANARY, "chat:s", ("current_chat",), 8))
    assert [memory.why["copies"] for memory in found] == [2]


async def test_a_resource_is_gone_by_its_uri_only(runtime: MemoryRuntime, memory_database: Database) -> None:
    await runtime.put_resource(ADA, NewDocument("file:///a", "", f"the code is {CANARY}"))
    (passage,) = await runtime.search(ADA, Question("code", "chat:s", SCOPES, 8))
    with pytest.raises(InvalidInput, match="resource"):
        await runtime.forget_memory(ADA, passage.id)
    assert await runtime.forget_resource(ADA, "file:///a") == Forgotten(resources=1)
    assert CANARY not in await held_words(memory_database)
    with pytest.raises(NotFound):
        await runtime.forget_resource(ADA, "file:///a")
    await runtime.put_resource(ADA, NewDocument("file:///a", "", "the code has changed"))
    assert await texts(runtime, ADA, "code") == ["the code has changed"]


async def test_1_and_3_forgetting_a_user_spares_every_other_user_with_the_same_content(
    runtime: MemoryRuntime, memory_database: Database
) -> None:
    keys = {name: (await runtime.create_user(name)).key for name in ("carl", "dora")}
    identity = RequestIdentity("user:carl", "k", "hash")
    for name in ("carl", "dora"):
        own = Namespace("default", "default", name)
        await runtime.add(
            own,
            "chat:s",
            [said(f"the shared word is walrus, says {name}")],
            identity=identity if name == "carl" else None,
        )
        await runtime.put_resource(own, NewDocument("file:///shared", "", f"walrus of {name}"))
        await learned(runtime, own, f"Walrus of {name}")

    await runtime.forget_user("carl")

    words = await held_words(memory_database)
    assert "carl" not in words
    assert "says dora" in words
    dora = Namespace("default", "default", "dora")
    assert {"the shared word is walrus, says dora", "walrus of dora"} <= set(await texts(runtime, dora, "walrus"))
    await runtime.authenticate("dora", keys["dora"])
    with pytest.raises(Unauthenticated):
        await runtime.authenticate("carl", keys["carl"])
    with pytest.raises(NotFound):
        await runtime.forget_user("carl")
    await runtime.create_user("carl")
    assert await texts(runtime, Namespace("default", "default", "carl")) == []


async def test_what_is_anothers_is_not_found(runtime: MemoryRuntime) -> None:
    turn = await runtime.add(BOB, "chat:s", [said("bob's own")])
    await runtime.put_resource(BOB, NewDocument("file:///b", "", "bob's document"))
    await runtime.add(ADA, "chat:a", [said("ada's own")])
    for attempt in (
        runtime.forget_memory(ADA, turn.message_ids[0]),
        runtime.forget_session(ADA, "chat:s"),
        runtime.forget_resource(ADA, "file:///b"),
    ):
        with pytest.raises(NotFound):
            await attempt
    assert await texts(runtime, BOB) == ["bob's document", "bob's own"]


async def test_no_word_is_left_in_the_bytes_of_the_files(memory_sqlite_url: str) -> None:
    file = Path(memory_sqlite_url.removeprefix("sqlite:///"))
    runtime = await MemoryRuntime.open(memory_sqlite_url)
    try:
        for user_id in ("ada", "bob"):
            await runtime.create_user(user_id)
        turn = await runtime.add(ADA, "chat:s", [said(f"{CANARY}one {CANARY}two"), said("I live in Oslo.")])
        await runtime.flush(ADA, "chat:s")
        assert CANARY in (await last_sessions(runtime, ADA))[0]["request"]
        observation_id = await learned(runtime, ADA, f"{CANARY}three")
        await runtime.add(ADA, "chat:t", [said(f"{CANARY}four")])
        await runtime.put_resource(ADA, NewDocument("file:///a", "", f"{CANARY}five"))
        await runtime.add(BOB, "chat:s", [said("bob's words stay")])
        assert CANARY.encode() in _bytes_of(file)

        await runtime.forget_memory(ADA, turn.message_ids[0])
        await runtime.forget_memory(ADA, observation_id)
        await runtime.forget_session(ADA, "chat:t")
        await runtime.forget_resource(ADA, "file:///a")
        await runtime.wait_until_purged()

        assert CANARY.encode() not in _bytes_of(file)
        assert await texts(runtime, BOB, "words") == ["bob's words stay"]
    finally:
        await runtime.close()


async def test_a_purge_that_a_crash_prevented_is_made_up_for_at_the_next_start(memory_sqlite_url: str) -> None:
    file = Path(memory_sqlite_url.removeprefix("sqlite:///"))
    runtime = await MemoryRuntime.open(memory_sqlite_url)
    await runtime.create_user("ada")
    await runtime.add(ADA, "chat:s", [said(CANARY)])
    await runtime.forget_session(ADA, "chat:s")
    await runtime.close()  # before the purger has had its turn

    again = await MemoryRuntime.open(memory_sqlite_url)
    try:
        await again.wait_until_purged()
        assert CANARY.encode() not in _bytes_of(file)
    finally:
        await again.close()


async def test_a_close_lets_the_purges_step_end_and_begins_no_other(
    memory_sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, ended = asyncio.Event(), list[int]()

    async def step(_tx: Transaction, pages: int) -> int:
        begun.set()
        await asyncio.sleep(0.05)
        ended.append(pages)
        return 1_000_000  # there is always more to do

    monkeypatch.setattr(purge_store, "merge", step)
    runtime = await MemoryRuntime.open(memory_sqlite_url, clock=lambda: MORNING_MS)
    await runtime.create_user("ada")
    added = await runtime.add(ADA, "chat:s", [said(CANARY)])
    await runtime.forget_memory(ADA, added.message_ids[0])
    await begun.wait()
    before = len(ended)
    await runtime.close()
    assert 1 <= len(ended) <= before + 1


async def test_a_memory_closes_right_after_something_was_forgotten(memory_url: str) -> None:
    """Before the purge has made its first step: nobody waits for one that never began."""
    runtime = await MemoryRuntime.open(memory_url, clock=lambda: MORNING_MS)
    await runtime.create_user("ada")
    await runtime.wait_until_purged()
    await runtime.forget_user("ada")
    await runtime.close()
    assert not [task for task in asyncio.all_tasks() if not task.done() and task is not asyncio.current_task()]


async def test_23_a_thousand_messages_are_forgotten_in_a_few_statements_each(
    runtime: MemoryRuntime, memory_database: Database
) -> None:
    for _ in range(4):
        await asyncio.gather(
            *(runtime.add(ADA, "chat:s", [said(f"{CANARY} {number}") for number in range(25)]) for _ in range(10))
        )
    forgotten = await asyncio.wait_for(runtime.forget_session(ADA, "chat:s"), 60)
    assert forgotten.messages == 1000
    assert CANARY not in await held_words(memory_database)


def _bytes_of(file: Path) -> bytes:
    return b"".join(path.read_bytes().lower() for path in file.parent.glob(f"{file.name}*"))
