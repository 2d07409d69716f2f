"""A memory that moves to the other database is the same there: to the byte of its export, in its answers, in what stays out."""

from __future__ import annotations

import hashlib
import json
from collections.abc import AsyncIterator, Sequence
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from beaver.memory.namespace import Namespace
from beaver.memory.observations.records import NewObservation, ObservationEdit
from beaver.memory.portability.lines import encoded, end_line
from beaver.memory.portability.merging import Merged
from beaver.memory.records import Found, NewDocument, NewMessage, Question
from beaver.memory.runtime import MemoryRuntime
from beaver.memory.upkeep.policy import RetentionPolicy
from beaver.schemas.gateway import SCOPES
from tests.support.databases import MEMORY_MIGRATIONS, lent, put_migrated
from tests.support.lending import Lender
from tests.support.memory_engine import engine_with
from tests.support.memory_gateway import MORNING_MS

ADA = Namespace("default", "default", "ada")
DAY_MS = 86_400_000
ASKED = ("where do I live", "heron", "鱼", "boiler service", "Émile's café", "", "tea")
"""Of everything that a search finds, what is outdated included; nothing: what is newest."""
DOCUMENT = "# Handbook\n\n## Boiler\n\nService in March. 鱼 \U0001f41f\n\f\n## Pump\n\n" + "It pumps. " * 300


class Days:
    """A clock that stands still but for a test that lets days go by."""

    def __init__(self) -> None:
        self.ago = 0

    def __call__(self) -> int:
        return MORNING_MS - self.ago * DAY_MS


@pytest.fixture
def days() -> Days:
    return Days()


@pytest.fixture
async def runtime(memory_url: str, days: Days) -> AsyncIterator[MemoryRuntime]:
    """An engine with everything in it that a memory can hold."""
    async with engine_with(memory_url, "ada", clock=days) as opened:
        days.ago = 80
        old = NewObservation("event", "What is old", facts=("It is old",), tags=("x",))
        await opened.write_observation(ADA, old)
        days.ago = 0
        yield opened


@pytest.fixture
async def other(memory_lender: Lender | None, memory_databases: Lender, tmp_path: Path) -> AsyncIterator[MemoryRuntime]:
    """An engine over a database of the kind that the test's own is not."""
    url = put_migrated(tmp_path / "other.db", MEMORY_MIGRATIONS)
    async with (
        lent(memory_databases if memory_lender is None else None, url) as other_url,
        engine_with(other_url, "ada") as opened,
    ):
        yield opened


async def fill(runtime: MemoryRuntime) -> None:
    """A bit of everything that a memory can hold."""

    async def said(session: str, days_ago: int, *contents: str, speaker: str = "ada") -> None:
        at_ms = MORNING_MS - days_ago * DAY_MS
        await runtime.add(ADA, session, [NewMessage("user", speaker, at_ms, content) for content in contents])
        await runtime.flush(ADA, session)

    await said("chat:a", 90, "I live in Paris.", "A heron waits by the pond 鱼.")
    await said("chat:b", 60, "I moved to Berlin.", "I prefer green tea.", "My name is Ada Åström.")
    await said("chat:c", 1, 'Émile\'s café has a \U0001f995 and \\ "quotes"\ttabs.', speaker="Émile")
    await said("chat:gone", 2, "The secret otter sings at night.")
    await runtime.forget_session(ADA, "chat:gone")
    await runtime.put_resource(ADA, NewDocument("file:///handbook.pdf", "Handbook", DOCUMENT))
    await runtime.put_resource(ADA, NewDocument("file:///gone", "Gone", "a forgotten document"))
    await runtime.forget_resource(ADA, "file:///gone")
    kept = NewObservation(
        "task", "Call Émile", "Before noon", ("Call him",), related_people=("Émile",), related_files=("a/b.py",)
    )
    written = await runtime.write_observation(ADA, kept)
    assert written.observation_id is not None
    await runtime.edit_observation(ADA, written.observation_id, ObservationEdit(title="Call Émile soon"))
    await runtime.pin_observation(ADA, written.observation_id, True)
    await runtime.write_observation(
        ADA, NewObservation("event", "Is over soon", facts=("soon",), expires_ms=MORNING_MS + DAY_MS)
    )
    await runtime.add_alias(ADA, "Émile", "Mil")
    assert (await runtime.maintain(RetentionPolicy())).archived > 0


async def held(runtime: MemoryRuntime) -> dict[str, Any]:
    """All that somebody can see of a memory."""
    found = {
        asked: [(one.id, one.text, one.score, dict(one.why)) for one in await search(runtime, asked)] for asked in ASKED
    }
    observations = (await runtime.list_observations(ADA)).observations
    histories = {one.id: await runtime.observation_history(ADA, one.id) for one in observations}
    return {
        "found": found,
        "observations": observations,
        "histories": histories,
        "people": await runtime.list_people(ADA),
        "archive": await runtime.search_archive(ADA, "old"),
        "resources": (await runtime.list_resources(ADA)).resources,
        "memories": (await runtime.list_memories(ADA)).memories,
    }


async def search(runtime: MemoryRuntime, asked: str) -> Sequence[Found]:
    return await runtime.search(ADA, Question(asked, "chat:a", SCOPES, 50))


async def exported(runtime: MemoryRuntime) -> bytes:
    target = BytesIO()
    await runtime.export(ADA, target, lambda _done, _total: None)
    return target.getvalue()


async def test_29_the_other_database_holds_and_answers_the_same(runtime: MemoryRuntime, other: MemoryRuntime) -> None:
    await fill(runtime)
    file, before = await exported(runtime), await held(runtime)
    assert all(before[part] for part in before)
    assert all(before["found"].values())
    restored = await other.restore(ADA, BytesIO(file), _unwatched)
    assert restored.changed == file.count(b"\n") - 2
    assert await held(other) == before
    assert await exported(other) == file


async def test_2_what_was_forgotten_stays_forgotten_there_and_back(
    runtime: MemoryRuntime, other: MemoryRuntime
) -> None:
    await runtime.add(ADA, "chat:gone", [NewMessage("user", "ada", MORNING_MS, "The secret otter sings at night.")])
    await runtime.put_resource(ADA, NewDocument("file:///gone", "Gone", "a forgotten document"))
    whole = await exported(runtime)
    await fill(runtime)
    await other.restore(ADA, BytesIO(await exported(runtime)), _unwatched)
    merged = await other.merge(ADA, BytesIO(whole), _unwatched)
    assert merged.left_out == 2
    assert [one.text for one in await search(other, "secret otter") if "otter" in one.text] == []
    assert [one.text for one in await search(other, "forgotten document") if "forgotten" in one.text] == []


async def test_a_merge_into_an_empty_memory_there_answers_the_same(
    runtime: MemoryRuntime, other: MemoryRuntime
) -> None:
    await fill(runtime)
    file, before = await exported(runtime), await held(runtime)
    await other.merge(ADA, BytesIO(file), _unwatched)
    assert await other.merge(ADA, BytesIO(file), _unwatched) == Merged(unchanged=file.count(b"\n") - 2)
    after = await held(other)
    for part in ("observations", "histories", "people", "archive", "resources"):
        assert after[part] == before[part]
    assert {asked: {one[:2] for one in found} for asked, found in after["found"].items()} == {
        asked: {one[:2] for one in found} for asked, found in before["found"].items()
    }


def _unwatched(_done: int, _total: int) -> None:
    return None


async def test_a_file_of_a_release_that_wrote_tombstones_under_their_own_kind_is_read(
    runtime: MemoryRuntime, other: MemoryRuntime
) -> None:
    await fill(runtime)
    *lines, _end = (await exported(runtime)).splitlines(keepends=True)
    older = [_as_once_written(json.loads(line)) for line in lines]
    body = b"".join(encoded(line) for line in older)
    await other.restore(ADA, BytesIO(body + end_line(hashlib.sha256(body).hexdigest())), _unwatched)
    assert sum("of" in json.loads(line) for line in lines) == 2
    assert await held(other) == await held(runtime)
    assert await exported(other) == await exported(runtime)


def _as_once_written(line: dict[str, Any]) -> dict[str, Any]:
    kind = line.pop("of", line["kind"])
    return {**line, "kind": kind}
