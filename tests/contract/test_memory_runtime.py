"""MemoryRuntime on a real database: durability, isolation, serial writes, and what a search promises."""

from __future__ import annotations

import asyncio
import os
import sqlite3
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import select
from sqlalchemy.exc import IntegrityError

from beaver.db.engine import Database
from beaver.errors import ConfigError, Conflict, InvalidInput, NotFound, Unauthenticated, Unavailable
from beaver.memory.idempotency.identity import RequestIdentity
from beaver.memory.namespace import Namespace
from beaver.memory.records import AddedTurn, DeliveryStatus, Found, NewDocument, NewMessage, Question, TurnOrigin
from beaver.memory.runtime import MemoryRuntime
from beaver.memory.tables import messages, turns
from beaver.schemas.gateway import SCOPES
from tests.support.databases import MEMORY_MIGRATIONS, put_migrated
from tests.support.memory_gateway import MORNING_MS

ADA, BOB = Namespace("default", "default", "ada"), Namespace("default", "default", "bob")


@pytest.fixture
async def runtime(runtime: MemoryRuntime) -> MemoryRuntime:
    await runtime.create_user("bob")
    return runtime


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


async def test_10_a_failure_is_no_empty_result(runtime: MemoryRuntime) -> None:
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


async def test_12_another_database_is_refused_and_never_replaced_by_a_file(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="databaseUrl"):
        await MemoryRuntime.open("mysql://localhost/memory")
    with pytest.raises(Unavailable):
        await MemoryRuntime.open(f"postgresql://nobody@/memory?host={tmp_path}")
    assert await asyncio.to_thread(os.listdir, tmp_path) == []


async def test_15_scores_lie_in_0_to_1_and_rise_with_relevance(runtime: MemoryRuntime) -> None:
    for content in ("blue whale song", "blue whale", "blue paint", "whale watching in the blue sea with a song"):
        await runtime.add(ADA, "chat:s", [said(content)])
    found = await recall(runtime, ADA, "blue whale song")
    assert found[0].text == "blue whale song"
    assert found[-1].text == "blue paint"
    assert all(0 <= memory.score <= 1 for memory in found)
    assert [memory.score for memory in found] == sorted((memory.score for memory in found), reverse=True)
    assert all({"by", "keyword"} <= set(memory.why) for memory in found)


async def test_a_perfect_match_comes_first_of_fifty(runtime: MemoryRuntime) -> None:
    for number in range(49):
        await runtime.add(
            ADA, f"chat:{number}", [said(f"a note about the garden, number {number}, with many other words")]
        )
    await runtime.add(ADA, "chat:x", [said("the garden gate code")])
    assert (await texts(runtime, ADA, "garden gate code"))[0] == "the garden gate code"


async def test_18_two_runtimes_of_one_database_never_see_it_locked(runtime: MemoryRuntime, memory_url: str) -> None:
    other = await MemoryRuntime.open(memory_url)
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


async def test_order_in_a_session_does_not_hang_on_clocks(runtime: MemoryRuntime, memory_database: Database) -> None:
    await runtime.add(ADA, "chat:s", [said("said first", at_ms=MORNING_MS + 5000)])
    await runtime.add(ADA, "chat:s", [said("said second", at_ms=MORNING_MS)])
    in_order = select(messages.c.content).join(turns).order_by(turns.c.sequence, messages.c.position)
    async with memory_database.read() as tx:
        assert list(await tx.scalars(in_order)) == ["said first", "said second"]


async def test_an_add_that_cannot_be_written_whole_stores_nothing_and_keeps_no_receipt(memory_sqlite_url: str) -> None:
    identity = RequestIdentity("user:ada", "k", "hash")
    runtime = await MemoryRuntime.open(memory_sqlite_url)
    try:
        await runtime.create_user("ada")
        with sqlite3.connect(_file_of(memory_sqlite_url)) as connection:
            connection.execute("CREATE TRIGGER broken BEFORE INSERT ON passages BEGIN SELECT RAISE(ABORT, 'no'); END")
        with pytest.raises(IntegrityError):
            await runtime.add(ADA, "chat:s", [said("half a turn")], identity=identity)
        assert await recall(runtime, ADA, "") == []
        with sqlite3.connect(_file_of(memory_sqlite_url)) as connection:
            connection.execute("DROP TRIGGER broken")
        assert not (await runtime.add(ADA, "chat:s", [said("half a turn")], identity=identity)).duplicated
    finally:
        await runtime.close()


async def test_a_turn_that_its_caller_named_is_committed_once(runtime: MemoryRuntime) -> None:
    origin = TurnOrigin(turn_key="t-1", source="host", actor={"agent": "beaver", "subject": "ada"})
    first = await runtime.add(ADA, "chat:s", [said("only once")], origin=origin)
    again = await runtime.add(ADA, "chat:s", [said("only once")], origin=origin)
    at_once = await asyncio.gather(
        *(runtime.add(ADA, "chat:s", [said("at once")], origin=TurnOrigin(turn_key="t-2")) for _ in range(5))
    )
    elsewhere = await runtime.add(ADA, "chat:t", [said("elsewhere")], origin=origin)
    assert again == AddedTurn(first.message_ids, duplicated=True, reason="turn_already_committed")
    assert len({turn.message_ids for turn in at_once}) == 1
    assert not elsewhere.duplicated
    assert sorted(await texts(runtime, ADA, "")) == ["at once", "elsewhere", "only once"]


@pytest.mark.parametrize(
    ("status", "kept"),
    [
        ("delivered", ["the answer", "the question"]),
        ("user_only", ["the question"]),
        ("upstream_failed", ["the question"]),
        ("cancelled", ["the question"]),
        ("incomplete_stream", []),
        ("rejected_by_policy", []),
    ],
)
async def test_only_what_reached_somebody_is_kept(
    runtime: MemoryRuntime, status: DeliveryStatus, kept: list[str]
) -> None:
    turn = [said("the question"), NewMessage("assistant", "beaver", MORNING_MS, "the answer")]
    added = await runtime.add(ADA, "chat:s", turn, origin=TurnOrigin(delivery_status=status))
    assert sorted(await texts(runtime, ADA, "")) == kept
    assert (len(added.message_ids), added.reason) == (len(kept), None if kept else status)


async def test_turns_of_one_session_get_a_sequence_without_gaps_whoever_adds(
    runtime: MemoryRuntime, memory_url: str, memory_database: Database
) -> None:
    other = await MemoryRuntime.open(memory_url)
    try:
        await asyncio.gather(
            *(
                writer.add(ADA, f"chat:{number % 2}", [said(f"note {number} {name}")])
                for number in range(20)
                for name, writer in (("one", runtime), ("other", other))
            )
        )
    finally:
        await other.close()
    async with memory_database.read() as tx:
        in_order = select(turns.c.sequence).order_by(turns.c.conversation_id, turns.c.sequence)
        assert list(await tx.scalars(in_order)) == [*range(1, 21), *range(1, 21)]


async def test_one_of_many_adds_at_once_that_cannot_be_does_not_hurt_the_others(runtime: MemoryRuntime) -> None:
    nobody = Namespace("default", "default", "nobody")
    outcomes = await asyncio.gather(
        *(runtime.add(ADA, "chat:s", [said(f"note {number}")]) for number in range(5)),
        runtime.add(nobody, "chat:s", [said("note of nobody")]),
        *(runtime.add(BOB, "chat:s", [said(f"note {number}")]) for number in range(5)),
        return_exceptions=True,
    )
    assert [type(outcome) for outcome in outcomes] == [AddedTurn] * 5 + [NotFound] + [AddedTurn] * 5
    assert (len(await texts(runtime, ADA, "")), len(await texts(runtime, BOB, ""))) == (5, 5)


@pytest.mark.parametrize(
    ("field", "message"),
    [
        ("messages.0.content", NewMessage("user", "ada", MORNING_MS, " \n ")),
        ("messages.0.content", NewMessage("user", "ada", MORNING_MS, "x" * 2_000_001)),
        ("messages.0.sender_id", NewMessage("user", "", MORNING_MS, "x")),
        ("messages.0.timestamp", NewMessage("user", "ada", 0, "x")),
    ],
)
async def test_a_message_that_breaks_a_rule_is_refused_by_field(
    runtime: MemoryRuntime, field: str, message: NewMessage
) -> None:
    with pytest.raises(InvalidInput) as raised:
        await runtime.add(ADA, "chat:s", [message])
    assert raised.value.field == field


async def test_receipts_survive_a_restart(memory_url: str) -> None:
    identity = RequestIdentity("user:ada", "k", "hash")
    first = await MemoryRuntime.open(memory_url)
    await first.create_user("ada")
    turn = await first.add(ADA, "chat:s", [said("once")], identity=identity)
    await first.close()
    second = await MemoryRuntime.open(memory_url)
    try:
        again = await second.add(ADA, "chat:s", [said("once")], identity=identity)
        assert (again.message_ids, again.duplicated) == (turn.message_ids, True)
        with pytest.raises(Conflict):
            await second.add(ADA, "chat:s", [said("other")], identity=RequestIdentity("user:ada", "k", "other hash"))
    finally:
        await second.close()


async def test_only_a_hash_of_a_key_is_on_disk(memory_sqlite_url: str) -> None:
    runtime = await MemoryRuntime.open(memory_sqlite_url)
    user = await runtime.create_user("carl")
    await runtime.authenticate("carl", user.key)
    await runtime.close()
    on_disk = b"".join(path.read_bytes() for path in _file_of(memory_sqlite_url).parent.glob("gateway.db*"))
    assert user.key.encode() not in on_disk
    assert user.key.removeprefix("uk_").encode() not in on_disk


async def test_text_that_databases_cannot_hold_is_stored_with_replacements(runtime: MemoryRuntime) -> None:
    await runtime.add(ADA, "chat:s", [said("null \x00 and lone \ud800 surrogate")])
    assert await texts(runtime, ADA, "surrogate") == ["null \ufffd and lone \ufffd surrogate"]


async def test_close_can_be_repeated(memory_url: str) -> None:
    opened = await MemoryRuntime.open(memory_url)
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
    tmp_path: Path, acts: list[tuple[str, str, str, list[str]]], query: list[str]
) -> None:
    asyncio.run(_each_finds_only_their_own(tmp_path / "p.db", acts, " ".join(query)))


async def _each_finds_only_their_own(file: Path, acts: list[tuple[str, str, str, list[str]]], query: str) -> None:
    for stale in file.parent.glob("p.db-*"):
        stale.unlink()
    put_migrated(file, MEMORY_MIGRATIONS)
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


def _file_of(url: str) -> Path:
    return Path(url.removeprefix("sqlite:///"))
