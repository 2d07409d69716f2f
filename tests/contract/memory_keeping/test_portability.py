"""A namespace as a file: nothing is lost on the way out and back, nothing forgotten comes back, nothing is half imported."""

from __future__ import annotations

import hashlib
import json
from collections.abc import AsyncIterator
from io import BytesIO

import pytest
from sqlalchemy import BigInteger, Boolean, Integer, Text, event
from sqlalchemy.types import JSON

from beaver.db.engine import Database
from beaver.errors import Conflict, InvalidInput
from beaver.ids import new_id
from beaver.memory.forgetting.purge import Purger
from beaver.memory.namespace import Namespace
from beaver.memory.observations.records import NewObservation
from beaver.memory.portability import store
from beaver.memory.portability.kinds import LINES, check
from beaver.memory.portability.lines import InvalidFile
from beaver.memory.portability.merging import Merged
from beaver.memory.portability.service import PortabilityService
from beaver.memory.portability.staging import Staging
from beaver.memory.records import NewDocument, NewMessage, Question
from beaver.memory.runtime import MemoryRuntime
from beaver.schemas.gateway import SCOPES
from tests.support.memory_gateway import MORNING_MS

ADA = Namespace("default", "default", "ada")
EXAMPLES: dict[type, object] = {Text: "x", BigInteger: 1, Integer: 1, Boolean: True, JSON: {}}


@pytest.fixture
async def keeping(runtime: MemoryRuntime, memory_database: Database) -> AsyncIterator[PortabilityService]:
    purger = Purger(memory_database, new_id)
    yield PortabilityService(memory_database, _morning, Staging(memory_database, _morning, purger))
    await purger.close()


def _morning() -> int:
    return MORNING_MS


def _unwatched(_done: int, _total: int) -> None:
    return None


async def fill(runtime: MemoryRuntime) -> None:
    for number in range(6):
        session = f"chat:{number % 2}"
        messages = [
            NewMessage("user", "ada", MORNING_MS + number, f"the heron number {number} likes 鱼"),
            NewMessage("assistant", "beaver", MORNING_MS + number, f"noted, heron {number}"),
        ]
        await runtime.add(ADA, session, messages)
        if number == 2:
            await runtime.put_resource(ADA, NewDocument("file:birds", "Birds", "Herons wade. " * 300))
        if number == 3:
            await runtime.write_observation(
                ADA, NewObservation("preference", "Ada likes herons", facts=("herons wade",), session_id="chat:0")
            )
    await runtime.flush(ADA, "chat:0")


async def exported(keeping: PortabilityService) -> bytes:
    target = BytesIO()
    await keeping.export(ADA, target, _unwatched)
    return target.getvalue()


async def answers(runtime: MemoryRuntime, text: str) -> list[tuple[str, str, float]]:
    found = await runtime.search(ADA, Question(text, "chat:0", SCOPES, 50))
    return [(one.id, one.text, one.score) for one in found]


async def emptied(runtime: MemoryRuntime) -> None:
    await runtime.forget_user("ada")
    await runtime.wait_until_purged()
    await runtime.create_user("ada")


def resealed(lines: list[dict[str, object]]) -> bytes:
    body = b"".join(
        json.dumps(line, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode() + b"\n" for line in lines
    )
    return body + json.dumps({"kind": "end", "sha256": hashlib.sha256(body).hexdigest()}).encode() + b"\n"


async def test_29_export_and_import_give_the_same_bytes_and_the_same_search_results(
    runtime: MemoryRuntime, keeping: PortabilityService
) -> None:
    await fill(runtime)
    before, found = await exported(keeping), [await answers(runtime, text) for text in ("heron", "鱼", "")]
    assert all(found)
    await emptied(runtime)

    await keeping.restore(ADA, BytesIO(before), _unwatched)

    assert await exported(keeping) == before
    assert [await answers(runtime, text) for text in ("heron", "鱼", "")] == found


async def test_a_file_that_was_changed_is_refused_and_nothing_of_it_is_stored(
    runtime: MemoryRuntime, keeping: PortabilityService
) -> None:
    await fill(runtime)
    whole = await exported(keeping)
    await emptied(runtime)
    with pytest.raises(InvalidInput, match="fingerprint"):
        await keeping.restore(ADA, BytesIO(whole.replace(b"heron number 1", b"heron number 9")), _unwatched)
    with pytest.raises(InvalidInput, match="ends too early"):
        await keeping.restore(ADA, BytesIO(whole[: whole.rindex(b'{"kind":"end"')]), _unwatched)
    assert await answers(runtime, "heron") == []


async def test_bad_lines_are_told_with_number_field_and_rule(
    runtime: MemoryRuntime, keeping: PortabilityService
) -> None:
    await fill(runtime)
    lines = [json.loads(line) for line in (await exported(keeping)).splitlines()[:-1]]
    turn = next(number for number, line in enumerate(lines) if line["kind"] == "turn")
    lines[turn]["messages"][0]["observed_ms"] = "noon"
    lines[turn + 1] |= {"surprise": 1}
    with pytest.raises(InvalidFile) as refused:
        await keeping.merge(ADA, BytesIO(resealed(lines)), _unwatched)
    assert refused.value.lines == (
        (turn + 1, "messages.0.observed_ms", "must be a whole number"),
        (turn + 2, "surprise", "is not a known key"),
    )


@pytest.mark.parametrize(
    ("kind", "field", "value", "rule"),
    [
        ("history", "after", {"title": "t", "facts": 5}, "must describe an observation"),
        ("history", "before", [], "must be an object"),
        ("observation", "evidence", [{"turn_id": "t"}], "must be a list of objects of message_id, turn_id"),
        ("observation", "facts", [1], "must be a list of strings"),
        ("archived", "observation", {"title": "t"}, "must be a whole observation"),
        ("turn", "actor", "ada", "must be an object"),
    ],
)
def test_what_the_engine_could_not_read_later_is_refused_now(kind: str, field: str, value: object, rule: str) -> None:
    columns = LINES[kind].carried
    line: dict[str, object] = {name: None for name, column in columns.items() if column.nullable}
    line |= {name: EXAMPLES[type(column.type)] for name, column in columns.items() if not column.nullable}
    line |= {name: [] for name in ("facts", "tags", "related_files", "related_people", "evidence") if name in columns}
    with pytest.raises(InvalidInput) as refused:
        check(LINES[kind], line | {field: value})
    assert (refused.value.field, refused.value.rule) == (field, rule)


async def test_a_namespace_that_holds_something_is_not_restored_over(
    runtime: MemoryRuntime, keeping: PortabilityService
) -> None:
    await fill(runtime)
    older = await exported(keeping)
    await runtime.add(ADA, "chat:0", [NewMessage("user", "ada", MORNING_MS, "said since")])
    whole = await exported(keeping)
    with pytest.raises(Conflict):
        await keeping.restore(ADA, BytesIO(older), _unwatched)
    assert await exported(keeping) == whole


async def test_a_restore_that_is_repeated_changes_nothing(runtime: MemoryRuntime, keeping: PortabilityService) -> None:
    await fill(runtime)
    whole = await exported(keeping)
    await emptied(runtime)
    restored = await keeping.restore(ADA, BytesIO(whole), _unwatched)
    assert await keeping.restore(ADA, BytesIO(whole), _unwatched) == Merged(unchanged=restored.changed)
    assert await exported(keeping) == whole


async def test_pages_end_early_where_documents_are_long_and_progress_is_told_page_by_page(
    runtime: MemoryRuntime, keeping: PortabilityService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "PAGE_SIZE", 1_000)
    for number in range(4):
        await runtime.put_resource(ADA, NewDocument(f"file:{number}", f"Book {number}", "Herons wade. " * 90))
    target, told = BytesIO(), list[tuple[int, int]]()
    await keeping.export(ADA, target, lambda *step: told.append(step))
    assert told == [(number, 4) for number in (1, 2, 3, 4)]
    await emptied(runtime)
    told.clear()
    await keeping.restore(ADA, target, lambda *step: told.append(step))
    assert told == [(number, 8) for number in (4, 5, 6, 7, 8)]
    assert await exported(keeping) == target.getvalue()


async def test_merging_the_same_file_again_changes_nothing(runtime: MemoryRuntime, keeping: PortabilityService) -> None:
    await fill(runtime)
    whole = await exported(keeping)
    assert (await keeping.merge(ADA, BytesIO(whole), _unwatched)).changed == 0
    await emptied(runtime)
    await runtime.add(ADA, "chat:0", [NewMessage("user", "ada", MORNING_MS, "said since")])
    assert (await keeping.merge(ADA, BytesIO(whole), _unwatched)).changed > 0
    assert len(await answers(runtime, "heron")) > 6
    assert (await keeping.merge(ADA, BytesIO(whole), _unwatched)).changed == 0


async def test_a_page_of_many_lines_is_merged_by_as_many_statements_as_one_of_few(
    runtime: MemoryRuntime, keeping: PortabilityService, memory_database: Database
) -> None:
    said = list[str]()
    event.listen(memory_database.engine.sync_engine, "before_cursor_execute", lambda *sent: said.append(sent[2]))
    counted = []
    for turns in (3, 40):
        for number in range(turns):
            await runtime.add(ADA, f"chat:{number % 3}", [NewMessage("user", "ada", MORNING_MS, f"heron {number}")])
        whole = await exported(keeping)
        await emptied(runtime)
        said.clear()
        await keeping.merge(ADA, BytesIO(whole), _unwatched)
        counted.append(len(said))
        await emptied(runtime)
    assert counted[0] == counted[1]


def _broken_off(done: int, total: int) -> None:
    """Once the file was checked, which is half of the way, and some of it is written."""
    if done > total / 2 + 5:
        raise ConnectionResetError


async def test_a_restore_that_is_broken_off_leaves_nothing_and_can_be_repeated(
    runtime: MemoryRuntime, keeping: PortabilityService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "PAGE_ROWS", 3)
    await fill(runtime)
    whole = await exported(keeping)
    await emptied(runtime)

    with pytest.raises(ConnectionResetError):
        await keeping.restore(ADA, BytesIO(whole), _broken_off)

    assert await answers(runtime, "heron") == []
    await keeping.restore(ADA, BytesIO(whole), _unwatched)
    assert await exported(keeping) == whole


async def test_a_merge_that_is_broken_off_goes_on_where_it_was(
    runtime: MemoryRuntime, keeping: PortabilityService, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "PAGE_ROWS", 3)
    await fill(runtime)
    whole = await exported(keeping)
    before = await answers(runtime, "heron")
    await emptied(runtime)

    with pytest.raises(ConnectionResetError):
        await keeping.merge(ADA, BytesIO(whole), _broken_off)
    merged = await keeping.merge(ADA, BytesIO(whole), _unwatched)

    assert merged.changed > 0
    assert merged.unchanged >= 6
    assert {text for _, text, _ in await answers(runtime, "heron")} == {text for _, text, _ in before}


async def test_2_what_was_forgotten_stays_out_of_a_merge_and_is_counted(
    runtime: MemoryRuntime, keeping: PortabilityService
) -> None:
    await fill(runtime)
    whole = await exported(keeping)
    await runtime.forget_session(ADA, "chat:1")
    merged = await keeping.merge(ADA, BytesIO(whole), _unwatched)
    assert isinstance(merged, Merged)
    assert merged.left_out > 0
    assert not [
        text for _, text, _ in await answers(runtime, "heron number 1") if text.startswith("the heron number 1")
    ]
