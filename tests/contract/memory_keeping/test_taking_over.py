"""What other systems wrote becomes memory once, or not at all."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator

import pytest

from beaver.errors import InvalidInput
from beaver.memory.namespace import Namespace
from beaver.memory.portability.lines import InvalidFile
from beaver.memory.portability.merging import Merged
from beaver.memory.records import Question
from beaver.memory.runtime import MemoryRuntime
from beaver.schemas.gateway import SCOPES
from tests.support.memory_gateway import MORNING_MS

ADA = Namespace("default", "default", "ada")

CONVERSATIONS = "\n".join(
    json.dumps({"session_id": "old:1", "role": role, "timestamp": MORNING_MS + number, "content": content})
    for number, (role, content) in enumerate([("user", "I keep a raven"), ("assistant", "A raven is clever")])
)
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


@pytest.fixture
async def runtime(memory_sqlite_url: str) -> AsyncIterator[MemoryRuntime]:
    opened = await MemoryRuntime.open(memory_sqlite_url, clock=lambda: MORNING_MS)
    await opened.create_user("ada")
    yield opened
    await opened.close()


async def take(runtime: MemoryRuntime, text: str, shape: str) -> Merged:
    return await runtime.take_over(ADA, text.encode(), shape, lambda _done, _total: None)


@pytest.mark.parametrize(
    ("text", "shape", "new"),
    [
        (CONVERSATIONS, "conversations", 2),
        (CURATED, "curated", 2),
        (MEM0, "mem0", 1),
        (EVEROS_ADD, "everos", 1),
        (EVEROS_GET, "everos", 1),
    ],
)
async def test_each_shape_is_taken_over_once(runtime: MemoryRuntime, text: str, shape: str, new: int) -> None:
    assert await take(runtime, text, shape) == Merged(changed=new)
    assert await take(runtime, text, shape) == Merged(unchanged=new)


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


async def test_another_users_memory_and_an_unknown_shape_are_refused(runtime: MemoryRuntime) -> None:
    with pytest.raises(InvalidInput, match="user_id"):
        await take(runtime, MEM0.replace('"ada"', '"bob"'), "mem0")
    with pytest.raises(InvalidInput, match="--from"):
        await take(runtime, MEM0, "other")
