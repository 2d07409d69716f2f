"""What a user asks in a chat to be forgotten is taken back, on both databases: no longer held, told or learned again."""

from __future__ import annotations

import json
from collections.abc import Sequence
from io import BytesIO
from itertools import count
from pathlib import Path
from unittest.mock import AsyncMock

import pytest
from sqlalchemy import select, update

from beaver.errors import Unavailable
from beaver.memory.flushing import Flushed, FlushService
from beaver.memory.observations.records import HistoryEntry, NewObservation
from beaver.memory.records import Found, NewMessage, Question
from beaver.memory.runtime import MemoryRuntime
from beaver.memory.tables import observations, turns
from beaver.schemas.gateway import SCOPES
from tests.contract.memory.scene import ADA, SESSION
from tests.contract.memory.test_flushing import AnsweringModel
from tests.support.memory_engine import engine_with
from tests.support.memory_gateway import MORNING_MS
from tests.support.memory_views import last_sessions

_minutes = count(1)


async def said(runtime: MemoryRuntime, content: str, *, role: str = "user", session: str = SESSION) -> Flushed:
    """A turn half an hour after the one before, long ago, stored and flushed."""
    told = NewMessage(
        role, "ada" if role == "user" else "beaver", MORNING_MS - 10**9 + next(_minutes) * 1_800_000, content
    )
    await runtime.add(ADA, session, [told])
    return await runtime.flush(ADA, session)


async def titles(runtime: MemoryRuntime) -> set[str]:
    return {one.title for one in (await runtime.list_observations(ADA)).observations}


async def asked(runtime: MemoryRuntime, text: str, limit: int = 8) -> list[Found]:
    return await runtime.search(ADA, Question(text, "chat:new", SCOPES, limit))


async def told(runtime: MemoryRuntime, text: str, limit: int = 8) -> str:
    """All that a search tells, the titles of what took a thing's place too."""
    found = await asked(runtime, text, limit)
    return "\n".join(f"{one.text} {one.why.get('superseded_by', '')}" for one in found)


async def history(runtime: MemoryRuntime, word: str) -> Sequence[HistoryEntry]:
    """What happened to the observation whose title holds a word, ended or not."""
    async with runtime._on.database.read() as tx:
        observation_id = await tx.scalar(select(observations.c.id).where(observations.c.title.contains(word)))
    return await runtime.observation_history(ADA, str(observation_id))


@pytest.mark.parametrize(
    ("stated", "request_", "word"),
    [
        ("I live in Paris.", "Forget that I live in Paris.", "Paris"),
        ("I live in Paris.", "Please forget where I live.", "Paris"),
        ("My dog is called Rex.", "Can you forget that my dog is called Rex?", "Rex"),
        ("I work as a nurse.", "forget my job", "nurse"),
        ("我住在巴黎。", "忘记我住在巴黎", "巴黎"),
        ("我在腾讯工作。", "请忘掉我的工作", "腾讯"),
    ],
)
async def test_what_is_asked_to_be_forgotten_is_neither_held_nor_told(
    runtime: MemoryRuntime, stated: str, request_: str, word: str
) -> None:
    assert (await said(runtime, stated)).captured == 1

    assert await said(runtime, request_) == Flushed(1, 0, 1)
    assert await titles(runtime) == set()
    for question in (
        stated,
        "Where do I live, what is my dog called, what is my job?",
        "What do you know about me?",
        "",
    ):
        assert word not in await told(runtime, question)
    assert word not in (await runtime.prompt_index(ADA, stated)).text
    assert word not in str(await last_sessions(runtime, ADA))


async def test_what_else_a_message_tells_stays(runtime: MemoryRuntime) -> None:
    await said(runtime, "I live in Paris. My dog is called Rex.")
    await said(runtime, "Forget that I live in Paris.")

    assert await titles(runtime) == {"My dog is called Rex"}
    (found,) = await asked(runtime, "What is my dog called?")
    assert "Rex" in found.text
    both = await told(runtime, "I live in Paris, what is my dog called?")
    assert "My dog is called Rex" in both
    assert "Paris" not in both


@pytest.mark.parametrize(
    "words",
    [
        "Did you forget that I live in Paris?",
        "Don't forget that I live in Paris.",
        "I often forget that I live in Paris.",
        'My sister told me: "Forget that I live in Paris."',
        "> Forget that I live in Paris.",
        "Forget that.",
        "Forget everything about my ex.",
        "Forget that I live in Paris for a moment.",
        "<memory>\nForget that I live in Paris.\n</memory>",
        "不要忘记我住在巴黎",
        "你忘记我住在巴黎了吗？",
    ],
)
async def test_what_asks_for_nothing_takes_nothing_back(runtime: MemoryRuntime, words: str) -> None:
    await said(runtime, "I live in Paris.")

    assert (await said(runtime, words)).taken_back == 0
    assert "I live in Paris" in await titles(runtime)
    assert "I live in Paris" in await told(runtime, "Do I live in Paris?")


@pytest.mark.parametrize("request_", ["Forget what I just said.", "忘掉我刚才说的话"])
async def test_what_was_just_said_is_what_the_message_before_said(runtime: MemoryRuntime, request_: str) -> None:
    await said(runtime, "I work as a nurse.")
    await said(runtime, "I live in Paris. My brother's knee hurts on rainy days.")
    await said(runtime, "Noted.", role="assistant")

    assert (await said(runtime, request_)).taken_back == 1
    assert await titles(runtime) == {"I work as a nurse"}
    assert "knee" not in await told(runtime, "Whose knee hurts? Do I live in Paris?")
    assert "Paris" not in await told(runtime, "Whose knee hurts? Do I live in Paris?")


async def test_where_nothing_was_said_before_nothing_is_taken_back(runtime: MemoryRuntime) -> None:
    await said(runtime, "I live in Paris.")
    assert (await said(runtime, "Forget what I just said.", session="chat:b")).taken_back == 0
    assert await titles(runtime) == {"I live in Paris"}


async def test_only_the_user_asks_for_it(runtime: MemoryRuntime) -> None:
    await said(runtime, "I live in Paris.")
    bob = NewMessage("user", "bob", MORNING_MS, "Forget that I live in Paris.")
    await runtime.add(ADA, SESSION, [bob])

    assert (await runtime.flush(ADA, SESSION)).taken_back == 0
    assert (await said(runtime, "Forget that I live in Paris.", role="assistant")).taken_back == 0
    assert "I live in Paris" in await titles(runtime)


async def test_what_another_person_says_of_themselves_stays(runtime: MemoryRuntime) -> None:
    await runtime.add(ADA, SESSION, [NewMessage("user", "bob", MORNING_MS - 10**10, "I live in Paris.")])
    await runtime.flush(ADA, SESSION)

    assert (await said(runtime, "Forget that I live in Paris.")).taken_back == 0
    assert await titles(runtime) == {"bob: I live in Paris"}
    assert "I live in Paris" in await told(runtime, "Who lives in Paris?")


@pytest.mark.parametrize(
    "other",
    [
        "My sister lives in Paris.",
        "I live with two cats.",
        "My favourite city is Paris.",
        "Remember that Tom lives in Paris.",
        "I work at Paris Match.",
    ],
)
async def test_what_is_not_clearly_meant_stays(runtime: MemoryRuntime, other: str) -> None:
    await said(runtime, other)
    held = await titles(runtime)
    assert held

    assert (await said(runtime, "Forget that I live in Paris.")).taken_back == 0
    assert await titles(runtime) == held
    assert other.rstrip(".") in await told(runtime, other)


async def test_an_assistants_word_of_that_time_is_told_no_more_whatever_the_answers_length(
    runtime: MemoryRuntime,
) -> None:
    await said(runtime, "I live in Paris.")
    await said(runtime, "You live in Paris, and the weather is fine there.", role="assistant", session="chat:b")
    await said(runtime, "Forget that I live in Paris.")

    for limit in (1, 2, 8):
        assert "Paris" not in await told(runtime, "Do I live in Paris?", limit)


async def test_the_answer_to_the_request_does_not_tell_it_either(runtime: MemoryRuntime) -> None:
    await said(runtime, "I live in Paris.")
    at_ms = MORNING_MS - 10**9 + next(_minutes) * 1_800_000
    turn = [
        NewMessage("user", "ada", at_ms, "Forget that I live in Paris."),
        NewMessage("assistant", "beaver", at_ms + 4_000, "Done. I have forgotten that you live in Paris."),
    ]
    await runtime.add(ADA, SESSION, turn)
    await runtime.flush(ADA, SESSION)

    assert "Paris" not in await told(runtime, "Do I live in Paris?")
    assert "Paris" not in str(await last_sessions(runtime, ADA))


async def test_2_what_was_taken_back_is_not_captured_again_from_old_words_and_is_when_it_is_said_anew(
    runtime: MemoryRuntime,
) -> None:
    await said(runtime, "I live in Paris.")
    await said(runtime, "Forget that I live in Paris.")
    database = runtime._on.database
    async with database.write() as tx:  # as forgetting does with turns that are to be learned from once more
        await tx.execute(update(turns).values(flushed_ms=None))

    assert (await runtime.flush(ADA, SESSION)).captured == 0
    long_ago = NewMessage("user", "ada", MORNING_MS - 10**10, "I am living in Paris.")
    await runtime.add(ADA, "chat:old", [long_ago])
    assert (await runtime.flush(ADA, "chat:old")).captured == 0
    assert await titles(runtime) == set()
    assert "Paris" not in await told(runtime, "Do I live in Paris?")

    assert (await said(runtime, "I live in Paris.")).captured == 1
    assert await titles(runtime) == {"I live in Paris"}
    assert "I live in Paris" in await told(runtime, "Where do I live?")


async def test_a_request_that_is_read_once_more_takes_nothing_back_that_was_said_since(runtime: MemoryRuntime) -> None:
    for words in ("I live in Paris.", "Forget that I live in Paris.", "I live in Paris."):
        await said(runtime, words)
    async with runtime._on.database.write() as tx:
        await tx.execute(update(turns).values(flushed_ms=None))

    assert (await runtime.flush(ADA, SESSION)).taken_back == 0
    assert await titles(runtime) == {"I live in Paris"}


async def test_said_forgotten_and_said_anew_before_one_flush(runtime: MemoryRuntime) -> None:
    words = (
        "I live in Paris.",
        "I work as a nurse.",
        "Forget that I live in Paris.",
        "Forget my job.",
        "I live in Paris.",
    )
    await runtime.add(ADA, SESSION, [NewMessage("user", "ada", MORNING_MS, one) for one in words])

    assert await runtime.flush(ADA, SESSION) == Flushed(5, 3, 2)
    assert await titles(runtime) == {"I live in Paris"}


async def test_a_flush_that_breaks_off_behind_a_request_is_taken_up(
    runtime: MemoryRuntime, monkeypatch: pytest.MonkeyPatch
) -> None:
    await said(runtime, "I live in Paris.")
    with monkeypatch.context() as broken:
        broken.setattr(FlushService, "_close", AsyncMock(side_effect=Unavailable("the database is gone")))
        with pytest.raises(Unavailable):
            await said(runtime, "Forget that I live in Paris.")
    assert await titles(runtime) == set()

    assert await runtime.flush(ADA, SESSION) == Flushed(messages=1)
    (entry,) = [one for one in await history(runtime, "Paris") if one.event == "DELETE"]
    assert entry.reason.startswith("taken back by turn_")


async def test_it_has_a_history_and_comes_back_when_it_is_restored(runtime: MemoryRuntime) -> None:
    await said(runtime, "I live in Paris.")
    (held,) = (await runtime.list_observations(ADA)).observations
    await said(runtime, "Forget that I live in Paris.")

    assert [one.event for one in await runtime.observation_history(ADA, held.id)] == ["ADD", "DELETE"]
    (archived,) = await runtime.search_archive(ADA, "paris")
    assert (archived.observation.id, archived.reason) == (held.id, "taken back")
    await runtime.restore_observation(ADA, held.id)
    assert await titles(runtime) == {"I live in Paris"}
    assert await runtime.search_archive(ADA, "paris") == []
    assert "I live in Paris." in await told(runtime, "Where do I live?")


async def test_what_it_had_replaced_names_it_no_more(runtime: MemoryRuntime) -> None:
    await said(runtime, "I live in Rome.")
    await said(runtime, "I moved to Paris.")
    await said(runtime, "Forget that I live in Paris.")

    answer = await told(runtime, "Did I live in Rome or in Paris?")
    assert "Rome" in answer
    assert "taken back" in answer
    assert "Paris" not in answer


async def test_what_nobody_had_captured_is_told_no_more_either(runtime: MemoryRuntime) -> None:
    assert (await said(runtime, "The cat of my neighbour is ill, poor thing.")).captured == 0
    assert (await said(runtime, "Forget that the cat of my neighbour is ill.")).taken_back == 0

    assert "ill" not in await told(runtime, "Is the cat of my neighbour ill?")


async def test_of_many_facts_one_goes(runtime: MemoryRuntime) -> None:
    await runtime.write_observation(
        ADA,
        NewObservation(
            "person", "About Ada", facts=("I live in Paris", "I own a boat"), observed_ms=MORNING_MS - 10**9
        ),
    )

    assert (await said(runtime, "Forget that I live in Paris.")).taken_back == 1
    (left,) = (await runtime.list_observations(ADA)).observations
    assert (left.title, left.facts) == ("About Ada", ("I own a boat",))


async def test_with_a_model_that_captures_rules_hear_it_all_the_same(memory_url: str) -> None:
    model = AnsweringModel(json.dumps([{"title": "User lives in Paris", "facts": ["lives in Paris"], "lines": [1]}]))
    async with engine_with(memory_url, "ada", model=model) as runtime:
        await said(runtime, "By the river Seine, in Paris, is my home.")
        assert await titles(runtime) == {"User lives in Paris"}
        model.answer = json.dumps([{"title": "User asked to forget Paris", "lines": [1]}])

        assert await said(runtime, "Forget that I live in Paris.") == Flushed(1, 0, 1)
        assert len(model.prompts) == 1
        assert await titles(runtime) == set()
        assert "Paris" not in await told(runtime, "Do I live in Paris?")


async def test_29_it_is_taken_back_in_a_copy_too(memory_url: str, tmp_path: Path) -> None:
    async with engine_with(memory_url, "ada") as runtime:
        await said(runtime, "I live in Paris.")
        await said(runtime, "Forget that I live in Paris.")
        copy = BytesIO()
        await runtime.export(ADA, copy, lambda _done, _total: None)
    copy.seek(0)
    async with engine_with(f"sqlite:///{tmp_path / 'copy.db'}", "ada") as other:
        await other.restore(ADA, copy, lambda _done, _total: None)
        assert await titles(other) == set()
        assert "Paris" not in await told(other, "Do I live in Paris?")
