"""MemoryRuntime on a real database: durability, isolation, serial writes, and what a search promises."""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy.exc import IntegrityError

from beaver.errors import ConfigError, Conflict, NotFound, Unauthenticated
from beaver.memory.idempotency.identity import RequestIdentity
from beaver.memory.namespace import Namespace
from beaver.memory.records import Found, NewDocument, NewMessage, Question
from beaver.memory.runtime import MemoryRuntime
from beaver.schemas.gateway import SCOPES
from tests.support.memory_gateway import MORNING_MS, migrated_database

ADA, BOB = Namespace("default", "default", "ada"), Namespace("default", "default", "bob")


@pytest.fixture(scope="session")
async def empty_database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return await migrated_database(tmp_path_factory.mktemp("memory") / "empty.db")


@pytest.fixture
def file(tmp_path: Path, empty_database: Path) -> Path:
    return Path(shutil.copy(empty_database, tmp_path / "gateway.db"))


@pytest.fixture
async def runtime(file: Path) -> AsyncIterator[MemoryRuntime]:
    opened = await MemoryRuntime.open(f"sqlite:///{file}", clock=lambda: MORNING_MS)
    for user_id in ("ada", "bob"):
        await opened.create_user(user_id)
    yield opened
    await opened.close()


def said(content: str, *, at_ms: int = MORNING_MS, speaker: str = "ada") -> NewMessage:
    return NewMessage("user", speaker, at_ms, content)


async def recall(runtime: MemoryRuntime, namespace: Namespace, text: str, limit: int = 100) -> list[Found]:
    return await runtime.search(namespace, Question(text, "chat:s", SCOPES, limit))


async def texts(runtime: MemoryRuntime, namespace: Namespace, text: str) -> list[str]:
    return [found.text for found in await recall(runtime, namespace, text)]


async def test_9_a_receipt_names_what_was_stored(runtime: MemoryRuntime) -> None:
    turn = await runtime.add(ADA, "chat:s", [said("first"), said("second")])
    found = {memory.id: memory.text for memory in await recall(runtime, ADA, "")}
    assert [found[message_id] for message_id in turn.message_ids] == ["first", "second"]


async def test_10_a_failure_is_no_empty_result(runtime: MemoryRuntime, file: Path) -> None:
    assert await recall(runtime, ADA, "nothing was said") == []
    with pytest.raises(Unauthenticated):
        await runtime.authenticate("ada", "uk_wrong")
    with pytest.raises(NotFound):
        await runtime.add(Namespace("default", "default", "nobody"), "chat:s", [said("x")])


async def test_11_two_adds_with_the_same_millisecond_both_live(runtime: MemoryRuntime) -> None:
    await asyncio.gather(
        runtime.add(ADA, "chat:s", [said("the left glove")]), runtime.add(ADA, "chat:s", [said("the right glove")])
    )
    assert set(await texts(runtime, ADA, "glove")) == {"the left glove", "the right glove"}


async def test_12_another_database_is_refused_and_never_replaced_by_a_file() -> None:
    with pytest.raises(ConfigError, match="databaseUrl"):
        await MemoryRuntime.open("postgresql://localhost/memory")


async def test_15_scores_lie_in_0_to_1_and_rise_with_relevance(runtime: MemoryRuntime) -> None:
    for content in ("blue whale song", "blue whale", "blue paint", "whale watching in the blue sea with a song"):
        await runtime.add(ADA, "chat:s", [said(content)])
    found = await recall(runtime, ADA, "blue whale song")
    assert found[0].text == "blue whale song"
    assert found[-1].text == "blue paint"
    assert all(0 <= memory.score <= 1 for memory in found)
    assert [memory.score for memory in found] == sorted((memory.score for memory in found), reverse=True)
    assert all({"keyword", "recency"} <= set(memory.why) for memory in found)


async def test_a_perfect_match_comes_first_of_fifty(runtime: MemoryRuntime) -> None:
    for number in range(49):
        await runtime.add(
            ADA, f"chat:{number}", [said(f"a note about the garden, number {number}, with many other words")]
        )
    await runtime.add(ADA, "chat:x", [said("the garden gate code")])
    assert (await texts(runtime, ADA, "garden gate code"))[0] == "the garden gate code"


async def test_18_two_processes_of_one_file_never_see_database_is_locked(runtime: MemoryRuntime, file: Path) -> None:
    other = await MemoryRuntime.open(f"sqlite:///{file}")
    try:
        await asyncio.gather(
            *(
                writer.add(ADA, f"chat:{number % 3}", [said(f"note {number} by {name}")])
                for number in range(25)
                for name, writer in (("one", runtime), ("other", other))
            )
        )
        assert len(await recall(runtime, ADA, "")) == 50
    finally:
        await other.close()


async def test_27_top_k_gives_no_copies(runtime: MemoryRuntime) -> None:
    for session in range(5):
        await runtime.add(ADA, f"chat:{session}", [said("What is the name of my parrot?")])
    await runtime.add(ADA, "chat:s", [said("The parrot's name is Pico")])
    found = await recall(runtime, ADA, "what is my parrot's name", limit=2)
    assert {memory.text for memory in found} == {"What is the name of my parrot?", "The parrot's name is Pico"}
    assert sorted(memory.why["copies"] for memory in found) == [1, 5]


async def test_filters_apply_before_the_limit(runtime: MemoryRuntime) -> None:
    for number in range(300):
        await runtime.add(BOB, f"chat:{number % 7}", [said("ferret ferret ferret", speaker="bob")])
    await runtime.add(ADA, "chat:s", [said("a long sentence in which, among so many other words, one ferret hides")])
    assert len(await texts(runtime, ADA, "ferret")) == 1


async def test_what_one_user_stores_does_not_move_anothers_scores(runtime: MemoryRuntime) -> None:
    for content in ("tea with lemon", "coffee with milk", "lemon cake"):
        await runtime.add(ADA, "chat:s", [said(content)])
    before = await recall(runtime, ADA, "lemon tea")
    for number in range(50):
        await runtime.add(BOB, "chat:s", [said(f"lemon {number}", speaker="bob")])
    assert await recall(runtime, ADA, "lemon tea") == before


async def test_a_named_speaker_is_found_by_name(runtime: MemoryRuntime) -> None:
    await runtime.add(ADA, "chat:s", [said("I start at the bakery on Monday", speaker="Caroline")])
    await runtime.add(ADA, "chat:s", [said("I start at the bank on Monday", speaker="Melanie")])
    assert (await texts(runtime, ADA, "when does Caroline start?"))[0] == "I start at the bakery on Monday"


async def test_order_in_a_session_does_not_hang_on_clocks(runtime: MemoryRuntime, file: Path) -> None:
    await runtime.add(ADA, "chat:s", [said("said first", at_ms=MORNING_MS + 5000)])
    await runtime.add(ADA, "chat:s", [said("said second", at_ms=MORNING_MS)])
    with sqlite3.connect(file) as connection:
        rows = connection.execute(
            "SELECT m.content FROM messages m JOIN turns t ON t.id = m.turn_id ORDER BY t.sequence, m.position"
        ).fetchall()
    assert [row[0] for row in rows] == ["said first", "said second"]


async def test_an_add_that_cannot_record_its_receipt_stores_nothing(runtime: MemoryRuntime, file: Path) -> None:
    identity = RequestIdentity("user:ada", "k", "hash")
    with sqlite3.connect(file) as connection:
        connection.execute("CREATE TRIGGER broken BEFORE INSERT ON receipts BEGIN SELECT RAISE(ABORT, 'no'); END")
    with pytest.raises(IntegrityError):
        await runtime.add(ADA, "chat:s", [said("half a turn")], identity=identity)
    assert await recall(runtime, ADA, "") == []
    with sqlite3.connect(file) as connection:
        connection.execute("DROP TRIGGER broken")
    assert not (await runtime.add(ADA, "chat:s", [said("half a turn")], identity=identity)).duplicated


async def test_receipts_survive_a_restart(file: Path) -> None:
    identity = RequestIdentity("user:ada", "k", "hash")
    first = await MemoryRuntime.open(f"sqlite:///{file}")
    await first.create_user("ada")
    turn = await first.add(ADA, "chat:s", [said("once")], identity=identity)
    await first.close()
    second = await MemoryRuntime.open(f"sqlite:///{file}")
    try:
        again = await second.add(ADA, "chat:s", [said("once")], identity=identity)
        assert (again.message_ids, again.duplicated) == (turn.message_ids, True)
        with pytest.raises(Conflict):
            await second.add(ADA, "chat:s", [said("other")], identity=RequestIdentity("user:ada", "k", "other hash"))
    finally:
        await second.close()


async def test_only_a_hash_of_a_key_is_on_disk(runtime: MemoryRuntime, file: Path) -> None:
    user = await runtime.create_user("carl")
    await runtime.authenticate("carl", user.key)
    await runtime.close()
    on_disk = b"".join(path.read_bytes() for path in file.parent.glob("gateway.db*"))
    assert user.key.encode() not in on_disk
    assert user.key.removeprefix("uk_").encode() not in on_disk


async def test_text_that_databases_cannot_hold_is_stored_with_replacements(runtime: MemoryRuntime) -> None:
    await runtime.add(ADA, "chat:s", [said("null \x00 and lone \ud800 surrogate")])
    assert await texts(runtime, ADA, "surrogate") == ["null \ufffd and lone \ufffd surrogate"]


async def test_close_can_be_repeated(file: Path) -> None:
    opened = await MemoryRuntime.open(f"sqlite:///{file}")
    await opened.close()
    await opened.close()


_WORDS = st.sampled_from(["otter", "lynx", "heron", "我喜欢猫", "Müller", "c1", "n1", "m1"])
_ACTS = st.lists(
    st.tuples(
        st.sampled_from(["ada", "bob"]),
        st.sampled_from(["add", "put"]),
        st.sampled_from(["chat:s", "chat:t"]),
        st.lists(_WORDS, min_size=1, max_size=4),
    ),
    min_size=1,
    max_size=8,
)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(acts=_ACTS, query=st.lists(_WORDS, max_size=3))
def test_13_whatever_two_users_store_each_finds_only_their_own(
    empty_database: Path, tmp_path: Path, acts: list[tuple[str, str, str, list[str]]], query: list[str]
) -> None:
    asyncio.run(_each_finds_only_their_own(Path(shutil.copy(empty_database, tmp_path / "p.db")), acts, " ".join(query)))


async def _each_finds_only_their_own(file: Path, acts: list[tuple[str, str, str, list[str]]], query: str) -> None:
    for stale in file.parent.glob("p.db-*"):
        stale.unlink()
    runtime = await MemoryRuntime.open(f"sqlite:///{file}")
    try:
        own: dict[str, set[str]] = {"ada": set(), "bob": set()}
        for namespace in (ADA, BOB):
            await runtime.create_user(namespace.user_id)
        for number, (user_id, act, place, words) in enumerate(acts):
            namespace, text = Namespace("default", "default", user_id), f"{' '.join(words)} of {user_id} {number}"
            own[user_id].add(text)
            if act == "add":
                await runtime.add(namespace, place, [said(text, speaker="someone")])
            else:
                await runtime.put_resource(namespace, NewDocument(place, "", text))
        for namespace in (ADA, BOB):
            found = set(await texts(runtime, namespace, query)) | set(await texts(runtime, namespace, ""))
            assert found <= own[namespace.user_id]
    finally:
        await runtime.close()
