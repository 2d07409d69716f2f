"""What was forgotten leaves nothing beside its own rows either: in the index, among people, in the archive, on a receipt."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from beaver.db.engine import Database
from beaver.memory.idempotency.identity import identify
from beaver.memory.namespace import Namespace
from beaver.memory.observations.records import Evidence, NewObservation, ObservationEdit
from beaver.memory.records import NewMessage
from beaver.memory.runtime import MemoryRuntime
from beaver.memory.upkeep.policy import RetentionPolicy, UpkeepReport
from tests.support.memory_engine import engine_with
from tests.support.memory_gateway import MORNING_MS
from tests.support.memory_views import found_observations, held_words, last_sessions, observation

ADA = Namespace("default", "default", "ada")
CANARY = "zanzibarcanary"
DAY_MS = 86_400_000


@dataclass
class Memory:
    """Ada's, with a clock that the test sets."""

    runtime: MemoryRuntime
    days: list[int]

    async def say(self, session_id: str, *contents: str) -> tuple[str, ...]:
        said = [NewMessage("user", "ada", MORNING_MS, content) for content in contents]
        return (await self.runtime.add(ADA, session_id, said)).message_ids

    async def learn(self, new: NewObservation) -> str:
        written = await self.runtime.write_observation(ADA, new)
        assert written.observation_id is not None
        return written.observation_id

    async def maintain_after(self, days: int) -> UpkeepReport:
        self.days[0] += days
        return await self.runtime.maintain(RetentionPolicy())


@pytest.fixture
async def memory(memory_url: str) -> AsyncIterator[Memory]:
    days = [0]
    async with engine_with(memory_url, "ada", clock=lambda: MORNING_MS + days[0] * DAY_MS) as runtime:
        yield Memory(runtime, days)


def evidence(*message_ids: str) -> tuple[Evidence, ...]:
    return tuple(Evidence(message_id.partition(".")[0], message_id) for message_id in message_ids)


async def test_what_was_learned_in_two_sessions_is_found_in_the_one_that_stays_and_gone_with_both(
    memory: Memory, memory_database: Database
) -> None:
    runtime = memory.runtime
    for session_id in ("chat:a", "chat:b"):
        await memory.say(session_id, f"We decided to use {CANARY}.")
        await runtime.flush(ADA, session_id)

    await runtime.forget_session(ADA, "chat:a")

    (found,) = await found_observations(runtime, ADA, CANARY)
    assert (await observation(runtime, ADA, found["id"])).session_id == "chat:b"
    (session,) = await last_sessions(runtime, ADA)
    assert session["decisions"] == [f"We decided to use {CANARY}"]
    await runtime.forget_session(ADA, "chat:b")
    assert CANARY not in await held_words(memory_database)


async def test_what_was_noted_in_a_session_before_a_turn_of_it_was_stored_goes_with_the_session(
    memory: Memory, memory_database: Database
) -> None:
    runtime = memory.runtime
    noted = await memory.learn(NewObservation("event", f"Sails to {CANARY}", session_id="chat:s"))
    assert (await observation(runtime, ADA, noted)).session_id == "chat:s"
    await memory.say("chat:s", "good morning")

    forgotten = await runtime.forget_session(ADA, "chat:s")

    assert (forgotten.observations, forgotten.messages) == (1, 1)
    assert CANARY not in await held_words(memory_database)


async def test_a_session_goes_with_the_last_of_its_messages_unless_something_was_noted_in_it(
    memory: Memory, memory_database: Database
) -> None:
    runtime = memory.runtime
    first, last = await memory.say(f"chat:{CANARY}", "good morning", "I live in Oslo.")
    await runtime.flush(ADA, f"chat:{CANARY}")
    noted = await memory.learn(NewObservation("event", "Sails far", session_id=f"chat:{CANARY}"))

    for message_id in (first, last):
        await runtime.forget_memory(ADA, message_id)

    assert (await observation(runtime, ADA, noted)).session_id == f"chat:{CANARY}"
    await runtime.forget_memory(ADA, noted)
    assert CANARY not in await held_words(memory_database)
    await memory.say(f"chat:{CANARY}", "good evening")
    assert len((await runtime.list_memories(ADA)).memories) == 1


async def test_the_archive_does_not_name_a_session_that_was_forgotten(
    memory: Memory, memory_database: Database
) -> None:
    runtime, gone = memory.runtime, f"chat:{CANARY}"
    here, there = await memory.say(gone, "the boat is green"), await memory.say("chat:b", "the boat is green")
    both = NewObservation("event", "The boat is green", session_id=gone, evidence=evidence(*here, *there))
    elsewhere = NewObservation("event", "The boat is large", session_id=gone, evidence=evidence(*there))
    for new in (both, elsewhere):
        await memory.learn(new)
    assert (await memory.maintain_after(40)).archived == 2

    await runtime.forget_session(ADA, gone)

    assert CANARY not in await held_words(memory_database)
    archived = [one.observation for one in await runtime.search_archive(ADA, "boat")]
    assert [(one.session_id, one.evidence) for one in archived] == [("chat:b", evidence(*there))] * 2


@pytest.mark.parametrize("days", [0, 40])
async def test_who_was_known_from_an_observation_alone_goes_with_it_archived_or_not(
    memory: Memory, memory_database: Database, days: int
) -> None:
    runtime = memory.runtime
    about = NewObservation("event", "A visitor", facts=(f"{CANARY} came for tea",), related_people=(CANARY,))
    observation_id = await memory.learn(about)
    assert (await memory.maintain_after(days)).archived == (days > 0)

    await runtime.forget_memory(ADA, observation_id)

    assert CANARY not in await held_words(memory_database)


async def test_what_is_known_of_a_person_goes_with_an_archived_observation(
    memory: Memory, memory_database: Database
) -> None:
    runtime = memory.runtime
    about = NewObservation("person", "Anna", facts=(f"Anna lives in {CANARY}",), related_people=("Anna",))
    observation_id = await memory.learn(about)
    assert (await memory.maintain_after(40)).archived == 1
    await memory.learn(NewObservation("person", "Work", facts=("Anna is a plumber",), related_people=("Anna",)))

    await runtime.forget_memory(ADA, observation_id)

    assert CANARY not in await held_words(memory_database)
    assert [person.facts for person in await runtime.list_people(ADA)] == [("Anna is a plumber",)]


async def test_who_was_named_in_an_older_wording_only_goes_with_the_observation(
    memory: Memory, memory_database: Database
) -> None:
    runtime = memory.runtime
    observation_id = await memory.learn(NewObservation("event", "A visit", related_people=(CANARY,)))
    await runtime.edit_observation(ADA, observation_id, ObservationEdit(related_people=("Anna",)))

    await runtime.forget_memory(ADA, observation_id)

    assert CANARY not in await held_words(memory_database)


async def test_what_is_deleted_for_its_age_leaves_people_older_wordings_and_summaries_too(
    memory: Memory, memory_database: Database
) -> None:
    runtime = memory.runtime
    await memory.say("chat:s", "good morning")
    visits = (f"{CANARY} came in autumn storms", f"a plumber named {CANARY} mended it", f"seven buckets for {CANARY}")
    tasks = [NewObservation("task", f"Call {CANARY}", related_people=(CANARY,), session_id="chat:s")]
    for new in (*tasks, *(NewObservation("event", "The roof", facts=(visit,)) for visit in visits)):
        await memory.learn(new)
    await runtime.flush(ADA, "chat:s")
    assert (await memory.maintain_after(20)).compressed == 3

    deleted = [(await memory.maintain_after(days)).deleted for days in (40, 400)]

    assert deleted == [0, 2]
    assert CANARY not in await held_words(memory_database)


@pytest.mark.parametrize("expires_ms", [None, MORNING_MS + DAY_MS])
async def test_what_lay_hidden_and_said_the_same_goes_with_what_said_it_again(
    memory: Memory, memory_database: Database, expires_ms: int | None
) -> None:
    """Archived for its age, or ended since it had expired: nobody sees it beside the one that is known now."""
    runtime, said = memory.runtime, NewObservation("event", f"Sails to {CANARY}", facts=(f"{CANARY} is far",))
    first = await memory.learn(replace(said, expires_ms=expires_ms))
    if expires_ms is None:
        assert (await memory.maintain_after(40)).archived == 1
    else:
        memory.days[0] += 2
    again = await memory.learn(said)
    assert first != again

    forgotten = await runtime.forget_memory(ADA, again)

    assert forgotten.observations == 2
    assert CANARY not in await held_words(memory_database)


@pytest.mark.parametrize("field", ["tags", "related_files", "related_people"])
async def test_a_forgotten_messages_word_is_no_tag_file_or_person_of_what_stays(
    memory: Memory, memory_database: Database, field: str
) -> None:
    runtime = memory.runtime
    gone, left = await memory.say("chat:s", f"the boat is green, see {CANARY}", "the boat is green")
    learned = NewObservation("discovery", "The boat is green", evidence=evidence(gone, left), **{field: (CANARY,)})  # type: ignore[arg-type]
    await memory.learn(learned)

    await runtime.forget_memory(ADA, gone)

    assert CANARY not in await held_words(memory_database)


async def test_the_receipt_of_a_users_making_goes_with_the_user(memory: Memory, memory_database: Database) -> None:
    runtime = memory.runtime
    making = identify("admin", "a key", "create_user", {"user_id": CANARY})
    await runtime.create_user(CANARY, identity=making)

    await runtime.forget_user(CANARY)

    assert CANARY not in await held_words(memory_database)
    assert (await runtime.create_user(CANARY, identity=making)).user_id == CANARY


async def test_no_word_that_was_deleted_for_its_age_is_left_in_the_bytes_of_the_files(memory_sqlite_url: str) -> None:
    days, file = [0], Path(memory_sqlite_url.removeprefix("sqlite:///"))
    runtime = await MemoryRuntime.open(memory_sqlite_url, clock=lambda: MORNING_MS + days[0] * DAY_MS)
    try:
        await runtime.create_user("ada")
        memory = Memory(runtime, days)
        await memory.learn(NewObservation("event", f"{CANARY}one", facts=(f"{CANARY}two",)))
        for further in (40, 400):
            await memory.maintain_after(further)
        await runtime.wait_until_purged()

        assert CANARY.encode() not in b"".join(part.read_bytes() for part in file.parent.glob(f"{file.name}*"))
    finally:
        await runtime.close()
