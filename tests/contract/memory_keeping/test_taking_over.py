"""What other systems wrote becomes memory once, or not at all."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from io import BytesIO

import pytest
from sqlalchemy import select

from beaver.db.engine import Database
from beaver.errors import InvalidInput
from beaver.memory.namespace import Namespace
from beaver.memory.portability.lines import InvalidFile
from beaver.memory.portability.merging import Merged
from beaver.memory.records import Question
from beaver.memory.runtime import MemoryRuntime
from beaver.memory.tables import messages, turns
from beaver.memory.upkeep.policy import RetentionPolicy
from beaver.schemas.gateway import SCOPES
from tests.support.memory_engine import engine_with
from tests.support.memory_gateway import MORNING_MS
from tests.unit.memory.portability.test_foreign_items import CHATGPT

ADA = Namespace("default", "default", "ada")

CONVERSATIONS = "\n".join(
    json.dumps({"session_id": "old:1", "role": role, "timestamp": MORNING_MS + number, "content": content})
    for number, (role, content) in enumerate([("user", "I keep a raven"), ("assistant", "A raven is clever")])
)
PARTED = "Ada prefers rye bread,\nand only that\n§\n\n§\n - Works on Tuesdays\n"
CURATED = "# Memory\n\nSome words.\n\n- Prefers rye bread\n* Works on Tuesdays in the harbour office\n"
MEM0 = json.dumps(
    {"results": [{"id": "1", "memory": "Owns a kayak", "user_id": "ada", "created_at": "2026-05-01T08:00:00+02:00"}]}
)
EVEROS_ADD = json.dumps(
    {
        "session_id": "e:1",
        "messages": [{"sender_id": "ada", "role": "user", "timestamp": MORNING_MS, "content": "My kiln is hot"}],
    }
)
EVEROS_GET = json.dumps(
    {
        "data": {
            "episodes": [
                {"subject": "A trip to Oslo", "episode": "Ada went to Oslo.", "timestamp": "2026-05-28T11:30:36Z"}
            ]
        }
    }
)

EVEROS_PROFILES = json.dumps(
    {
        "data": {
            "profiles": [
                {
                    "user_id": "ada",
                    "profile_data": {
                        "explicit_info": [
                            {"category": "Sport", "description": "Rows every morning", "evidence": "Said so."}
                        ],
                        "implicit_traits": [
                            {"trait": "Patient", "description": "waits for the tide", "basis": "Her logs."}
                        ],
                    },
                }
            ]
        }
    }
)


@pytest.fixture
async def runtime(memory_sqlite_url: str) -> AsyncIterator[MemoryRuntime]:
    async with engine_with(memory_sqlite_url, "ada") as opened:
        yield opened


async def take(runtime: MemoryRuntime, text: str, shape: str) -> Merged:
    return await runtime.take_over(ADA, BytesIO(text.encode()), shape, lambda _done, _total: None)


@pytest.mark.parametrize(
    ("text", "shape", "new"),
    [
        (CONVERSATIONS, "conversations", 2),
        (CURATED, "curated", 2),
        (PARTED, "curated", 2),
        (MEM0, "mem0", 1),
        (EVEROS_ADD, "everos", 1),
        (EVEROS_GET, "everos", 1),
        (EVEROS_PROFILES, "everos", 2),
        (MEM0 + "\n" + MEM0.replace("kayak", "canoe"), "mem0", 2),
        (json.dumps([CHATGPT]), "chatgpt", 4),
        (json.dumps(CHATGPT), "chatgpt", 4),
    ],
)
async def test_each_shape_is_taken_over_once(runtime: MemoryRuntime, text: str, shape: str, new: int) -> None:
    assert await take(runtime, text, shape) == Merged(changed=new)
    assert await take(runtime, text, shape) == Merged(unchanged=new)


async def test_a_bullet_of_several_lines_is_one_entry(runtime: MemoryRuntime) -> None:
    text = (
        "# Memory\n\n- Prefers rye bread,\n  toasted on one side\n- Works on Tuesdays\nin the harbour\n\nNot an entry.\n\n"
        "1. Owns a kayak\r\n2) Rows at dawn\n## Next\nNor this.\n- [x] Bought a sail\n- [ ]\n"
    )
    assert await take(runtime, text, "curated") == Merged(changed=5)
    assert {one.title for one in (await runtime.list_observations(ADA)).observations} == {
        "Prefers rye bread, toasted on one side",
        "Works on Tuesdays in the harbour",
        "Owns a kayak",
        "Rows at dawn",
        "Bought a sail",
    }


async def test_what_was_taken_over_is_found_with_its_session(runtime: MemoryRuntime) -> None:
    await take(runtime, CONVERSATIONS, "conversations")
    found = await runtime.search(ADA, Question("raven", "chat:s", SCOPES, 10))
    assert {(one.text, one.session_id) for one in found} == {
        ("I keep a raven", "old:1"),
        ("A raven is clever", "old:1"),
    }


async def test_of_a_file_with_bad_lines_nothing_is_stored_and_each_is_told(runtime: MemoryRuntime) -> None:
    bad = CONVERSATIONS + "\n{broken\n" + json.dumps({"session_id": "s", "role": "system", "content": "x"})
    with pytest.raises(InvalidFile) as refused:
        await take(runtime, bad, "conversations")
    assert refused.value.lines == (
        (3, "line", "must be one JSON object"),
        (4, "role", "must be user or assistant"),
    )
    assert await runtime.search(ADA, Question("raven", "chat:s", SCOPES, 10)) == []


async def test_what_only_storing_would_refuse_is_told_by_its_line_too(runtime: MemoryRuntime) -> None:
    late = json.dumps({"session_id": "s" * 3000, "role": "user", "timestamp": MORNING_MS, "content": "x"})
    with pytest.raises(InvalidFile) as refused:
        await take(runtime, CONVERSATIONS + "\n" + late, "conversations")
    assert [(number, field) for number, field, _ in refused.value.lines] == [(3, "session_id")]
    assert await runtime.search(ADA, Question("raven", "chat:s", SCOPES, 10)) == []


async def test_another_users_memory_and_an_unknown_shape_are_refused(runtime: MemoryRuntime) -> None:
    with pytest.raises(InvalidInput, match="user_id"):
        await take(runtime, MEM0.replace('"ada"', '"bob"'), "mem0")
    with pytest.raises(InvalidInput, match="--from"):
        await take(runtime, MEM0, "other")


async def test_a_file_without_entries_is_refused(runtime: MemoryRuntime) -> None:
    with pytest.raises(InvalidInput, match="file: must have bullets"):
        await take(runtime, "# Memory\n\nAda prefers rye bread.\n", "curated")


@pytest.mark.parametrize(
    "text", [CONVERSATIONS + "\n\n", json.dumps([json.loads(one) for one in CONVERSATIONS.split("\n")], indent=2)]
)
async def test_lines_and_a_list_of_the_same_are_the_same(runtime: MemoryRuntime, text: str) -> None:
    assert await take(runtime, "\ufeff" + text, "conversations") == Merged(changed=2)
    assert await take(runtime, CONVERSATIONS, "conversations") == Merged(unchanged=2)


async def test_a_profile_keeps_what_it_rests_on(runtime: MemoryRuntime) -> None:
    await take(runtime, EVEROS_PROFILES, "everos")
    known = (await runtime.list_observations(ADA)).observations
    assert {(one.title, one.narrative, one.tags) for one in known} == {
        ("Rows every morning", "Said so.", ("Sport",)),
        ("Patient: waits for the tide", "Her logs.", ("trait",)),
    }


async def test_an_import_that_was_broken_off_goes_on_and_keeps_the_order(
    runtime: MemoryRuntime, memory_sqlite_url: str
) -> None:
    said = [f"note {number}" + " and more" * (600 if number == 70 else 0) for number in range(150)]
    lines = "\n".join(
        json.dumps({"session_id": "old:1", "role": "user", "timestamp": MORNING_MS, "content": content})
        for content in said
    )

    def break_off(done: int, _total: int) -> None:
        if done > 100:
            raise ConnectionResetError

    with pytest.raises(ConnectionResetError):
        await runtime.take_over(ADA, BytesIO(lines.encode()), "conversations", break_off)
    merged = await take(runtime, lines, "conversations")

    assert (merged.changed + merged.unchanged, merged.unchanged > 100) == (150, True)
    in_order = select(messages.c.content).join(turns, turns.c.id == messages.c.turn_id).order_by(turns.c.sequence)
    database = Database.open(memory_sqlite_url)
    try:
        async with database.read() as tx:
            assert list(await tx.scalars(in_order)) == said
    finally:
        await database.close()


@pytest.mark.parametrize(
    ("text", "shape", "field"),
    [
        (MEM0.replace('"1"', '"1", "categories": 5'), "mem0", "categories"),
        (json.dumps({"data": {"profiles": 5}}), "everos", "profiles"),
        (json.dumps({"data": {"profiles": [{"profile_data": {"explicit_info": [{}]}}]}}), "everos", "description"),
    ],
)
async def test_what_has_another_shape_than_it_should_is_told_by_field(
    runtime: MemoryRuntime, text: str, shape: str, field: str
) -> None:
    with pytest.raises(InvalidFile) as refused:
        await take(runtime, text, shape)
    assert [line[1] for line in refused.value.lines] == [field]


async def test_what_was_old_when_it_was_taken_over_is_not_archived_at_once(runtime: MemoryRuntime) -> None:
    await take(runtime, MEM0.replace("2026-05-01", "2019-05-01"), "mem0")
    assert (await runtime.maintain(RetentionPolicy())).archived == 0
    assert [one.title for one in (await runtime.list_observations(ADA)).observations] == ["Owns a kayak"]
