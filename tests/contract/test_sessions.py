"""The session store on both databases: events and their order, runs, history, deletion, what may be stored."""

from __future__ import annotations

import asyncio
import sqlite3
from pathlib import Path

import pytest
from sqlalchemy import func, select, text

from beaver.db.engine import Database
from beaver.db.tables import memory_turns, metadata, outbox_timeline, run_events
from beaver.errors import InvalidInput, NotFound, Unavailable
from beaver.sessions.history import INTERRUPTED
from beaver.sessions.leases import LeaseStore
from beaver.sessions.memory.switch_store import SwitchStore
from beaver.sessions.memory.turn_store import GatedTurn, MemoryTurnStore, Spent
from beaver.sessions.records import MESSAGE, NewEvent
from beaver.sessions.run_events import RunEventStore, StreamEvent
from beaver.sessions.run_requests import RunRequestStore
from beaver.sessions.store import SessionStore
from tests.support.waiting import wait_until


@pytest.fixture
def store(database: Database) -> SessionStore:
    return SessionStore(database.dialect)


async def test_a_session_is_created_once_and_keeps_its_title(database: Database, store: SessionStore) -> None:
    async with database.write() as tx:
        first = await store.ensure_session(tx, "s", title="Dams")
        second = await store.ensure_session(tx, "s", title="Lodges")

    assert first == second
    assert first.title == "Dams"


async def test_many_may_create_one_session_at_once(database: Database, store: SessionStore) -> None:
    async def create() -> str:
        async with database.write() as tx:
            return (await store.ensure_session(tx, "s")).id

    assert await asyncio.gather(*(create() for _ in range(8))) == ["s"] * 8


async def test_a_session_that_is_not_there_is_none(database: Database, store: SessionStore) -> None:
    async with database.read() as tx:
        assert await store.find_session(tx, "s") is None
        assert await store.find_run(tx, "r") is None


async def test_hidden_events_do_not_count_as_use(database: Database, store: SessionStore) -> None:
    await _say(database, store, "s", "words")
    await _used_at(database, {"s": 5})

    async with database.write() as tx:
        await store.append(tx, "s", None, _hidden())

    async with database.read() as tx:
        session = await store.find_session(tx, "s")
    assert session is not None
    assert session.updated_ms == 5


async def test_an_event_comes_back_as_it_was_given(database: Database, store: SessionStore) -> None:
    event = NewEvent(MESSAGE, "Nägel & 木材 🦫", "assistant", {"tool_calls": [{"id": "1"}], "n": 1.5, "none": None})

    async with database.write() as tx:
        await store.ensure_session(tx, "s")
        event_id = await store.append(tx, "s", "r", event, at_ms=7)

    async with database.read() as tx:
        [stored] = await store.events(tx, "s")
    assert (stored.id, stored.session_id, stored.run_id, stored.created_ms) == (event_id, "s", "r", 7)
    assert (stored.kind, stored.content, stored.role) == (event.kind, event.content, event.role)
    assert stored.payload == event.payload
    assert stored.context_visible is True


async def test_an_append_to_an_unknown_session_is_refused(database: Database, store: SessionStore) -> None:
    async with database.write() as tx:
        with pytest.raises(NotFound):
            await store.append(tx, "nobody", None, _message("words"))


async def test_a_clock_that_steps_back_does_not_reorder(database: Database, store: SessionStore) -> None:
    async with database.write() as tx:
        await store.ensure_session(tx, "s")
        for number in range(5):
            await store.append(tx, "s", None, _message(str(number)), at_ms=1_000 - number)

    async with database.read() as tx:
        assert [event.content for event in await store.history(tx, "s")] == list("01234")
        assert [event.content for event in await store.events(tx, "s")] == list("01234")


async def test_ids_rise_in_the_order_of_commit_within_a_session(database: Database, store: SessionStore) -> None:
    """Otherwise a reader that remembers the last id it saw would miss an event that committed late."""
    await _say(database, store, "s", "first")
    seen: list[int] = []

    async def append(number: int) -> None:
        async with database.write() as tx:
            await store.append(tx, "s", None, _message(str(number)))
            await asyncio.sleep(0.001 * (number % 3))

    async def follow() -> bool:
        async with database.read() as tx:
            found = await store.events(tx, "s", after_id=seen[-1] if seen else 0)
        seen.extend(event.id for event in found)
        return len(seen) == 31

    writers = asyncio.gather(*(append(number) for number in range(30)))
    await wait_until(follow, what="every event in the reader's view")
    await writers


async def test_events_are_read_by_kind_and_page(database: Database, store: SessionStore) -> None:
    async with database.write() as tx:
        await store.ensure_session(tx, "s")
        ids = [
            await store.append(tx, "s", None, event) for event in (_message("a"), _hidden(), _message("b"), _hidden())
        ]

    async with database.read() as tx:
        hidden = await store.events(tx, "s", kinds=["an_audit_event"])
        page = await store.events(tx, "s", after_id=ids[0], limit=2)
        texts = await store.event_texts(tx, [ids[0], ids[2], 999_999])

    assert [event.id for event in hidden] == [ids[1], ids[3]]
    assert [event.id for event in page] == [ids[1], ids[2]]
    assert texts == {ids[0]: "a", ids[2]: "b"}


async def test_history_holds_the_newest_visible_messages_oldest_first(database: Database, store: SessionStore) -> None:
    async with database.write() as tx:
        await store.ensure_session(tx, "s")
        for number in range(6):
            await store.append(tx, "s", None, _message(f"q{number}"))
            await store.append(tx, "s", None, _message(f"a{number}", "assistant"))
            await store.append(tx, "s", None, _hidden())

    async with database.read() as tx:
        newest = await store.history(tx, "s", limit=4)
        cut_in_a_turn = await store.history(tx, "s", limit=3)
        whole = await store.history(tx, "s")

    assert [event.content for event in newest] == ["q4", "a4", "q5", "a5"]
    assert [event.content for event in cut_in_a_turn] == ["q5", "a5"]
    assert len(whole) == 12


async def test_a_dangling_tool_call_does_not_brick_a_session(database: Database, store: SessionStore) -> None:
    """A crash between a call and its result: providers refuse such a history for ever."""
    call = {"tool_calls": [{"id": "c1", "name": "session_search", "arguments": "{}"}]}
    async with database.write() as tx:
        await store.ensure_session(tx, "s")
        await store.append(tx, "s", None, _message("find it"))
        await store.append(tx, "s", None, NewEvent(MESSAGE, role="assistant", payload=call))
        await store.append(tx, "s", None, _message("are you there?"))

    async with database.read() as tx:
        history = await store.history(tx, "s")

    assert [event.role for event in history] == ["user", "assistant", "tool", "user"]
    assert history[2].content == INTERRUPTED


async def test_a_run_is_recorded_from_start_to_end(database: Database, store: SessionStore) -> None:
    async with database.write() as tx:
        await store.ensure_session(tx, "s")
        await store.start_run(tx, "r1", "s", fence=1, provider="offline", model=None)
        await store.start_run(tx, "r2", "s", fence=2, provider="offline", model=None)
        usage = {"input_tokens": 3, "output_tokens": 5}
        await store.end_run(tx, "r1", "completed", stop_reason="stop", usage=usage, tools_used=["memory"])

    async with database.read() as tx:
        ended, running = await store.list_runs(tx, "s")
        assert await store.find_run(tx, "r1") == ended
    assert (ended.status, ended.stop_reason, ended.usage, ended.tools_used) == ("completed", "stop", usage, ("memory",))
    assert ended.ended_ms is not None
    assert (running.status, running.usage, running.tools_used, running.ended_ms) == ("running", None, (), None)


async def test_the_first_end_of_a_run_stands(database: Database, store: SessionStore) -> None:
    async with database.write() as tx:
        await store.ensure_session(tx, "s")
        await store.start_run(tx, "r", "s", fence=1, provider=None, model=None)
        await store.end_run(tx, "r", "failed", error_code="crashed")
        await store.end_run(tx, "r", "completed", stop_reason="stop")
        run = await store.find_run(tx, "r")

    assert run is not None
    assert (run.status, run.error_code, run.stop_reason) == ("failed", "crashed", None)


async def test_a_deleted_session_leaves_nothing(database: Database, store: SessionStore) -> None:
    await _say(database, store, "s", "words")
    await _say(database, store, "other", "words")
    async with database.write() as tx:
        await LeaseStore(database.dialect).acquire(tx, "s", "r", "here", 60_000)
        await store.start_run(tx, "r", "s", fence=1, provider=None, model=None)
        await RunEventStore(database.dialect).append(tx, {"r": [StreamEvent(1, "run.text", {"text": "words"})]})
        claims = RunRequestStore(database.dialect)
        await claims.claim(tx, "caller", "key", "hash", "r", keep_ms=60_000, start_ms=10_000)
        await claims.settle(tx, "caller", "key", "r", "s")
        await SwitchStore(database.dialect).switch(tx, "s", "api:local", off=True)

        assert await store.delete_session(tx, "s") is True
        assert await store.delete_session(tx, "s") is False

    async with database.read() as tx:
        counts = {
            name: await tx.scalar(select(func.count()).select_from(table))
            for name, table in metadata.tables.items()
            if name == "sessions" or "session_id" in table.c or table in (outbox_timeline, run_events)
        }
    assert {
        "runs",
        "leases",
        "outbox",
        "outbox_timeline",
        "run_events",
        "run_requests",
        "memory_switches",
    } < counts.keys()
    assert counts == {**dict.fromkeys(counts, 0), "sessions": 1, "events": 1}


async def test_a_deleted_sessions_turns_count_on_without_its_name(database: Database, store: SessionStore) -> None:
    turns = MemoryTurnStore(database.dialect)
    async with database.write() as tx:
        for name in ("gone", "kept"):
            await store.ensure_session(tx, f"session-{name}")
            await store.start_run(tx, f"run-{name}", f"session-{name}", fence=1, provider=None, model=None)
            await turns.note(tx, GatedTurn(f"run-{name}", "default", "ada", "write", 3, 2, 0, 0, 1))
        # An older release, which runs beside this one while it is rolled out, names the session too.
        await tx.execute(text("UPDATE memory_turns SET session_id = 'session-gone' WHERE run_id = 'run-gone'"))

        await store.delete_session(tx, "session-gone")
        await turns.note(tx, GatedTurn("run-kept", "default", "ada", "write", 3, 2, 0, 0, 1))

        held = str((await tx.execute(select(memory_turns))).all())
        assert "gone" not in held
        assert "run-kept" in held
        assert "session-kept" not in held
        assert await turns.spent(tx, "default", "ada") == Spent(today=4, remote=2)
        assert (await turns.figures(tx, "default", "ada")).turns == 2


async def test_the_words_of_a_deleted_session_are_in_no_byte_of_the_file(
    sqlite_database: Database, tmp_path: Path
) -> None:
    store = SessionStore(sqlite_database.dialect)
    for number in range(50):
        await _say(sqlite_database, store, f"kept{number}", f"ordinary words {number}")
    await _say(sqlite_database, store, "s", "xylophagous 海狸鼠的秘密")

    async with sqlite_database.write() as tx:
        await store.delete_session(tx, "s")
    await sqlite_database.close()

    raw = _bytes_in(tmp_path)
    assert b"ordinary" in raw
    for trace in ("xylophagous", "海狸鼠", "的秘密"):
        assert trace.encode() not in raw


@pytest.mark.parametrize(
    "bad", ["../../etc/passwd", "a/b", "a\\b", "..", "", " ", "a\0b", "a\nb", "a\ud800", "x" * 257]
)
async def test_a_bad_session_id_stops_at_the_sink(database: Database, store: SessionStore, bad: str) -> None:
    leases = LeaseStore(database.dialect)
    async with database.write() as tx:
        for attempt in (
            store.ensure_session(tx, bad),
            store.find_session(tx, bad),
            store.delete_session(tx, bad),
            store.start_run(tx, "r", bad, fence=1, provider=None, model=None),
            store.append(tx, bad, None, _message("words")),
            store.history(tx, bad),
            store.events(tx, bad),
            store.list_runs(tx, bad),
            leases.acquire(tx, bad, "r", "here", 1_000),
        ):
            with pytest.raises(InvalidInput, match="session_id"):
                await attempt


async def test_lone_surrogates_and_nul_do_not_crash_the_store(database: Database, store: SessionStore) -> None:
    bad, good = "a\ud83dz\0!", "a\ufffdz\ufffd!"
    event = NewEvent(f"kind {bad}", bad, bad, {bad: [bad, float("nan")]})
    async with database.write() as tx:
        session = await store.ensure_session(tx, "s", title=bad)
        await store.start_run(tx, bad, "s", fence=1, provider=bad, model=bad)
        await store.append(tx, "s", bad, event)
        await store.end_run(tx, bad, "failed", stop_reason=bad, error_code=bad, usage={bad: 1}, tools_used=[bad])
        run = await store.find_run(tx, bad)
        [stored] = await store.events(tx, "s", kinds=[f"kind {bad}"])

    assert session.title == good
    assert (stored.content, stored.role, stored.run_id, stored.payload) == (good, good, good, {good: [good, None]})
    assert run is not None
    assert (run.id, run.provider, run.model, run.error_code, run.tools_used) == (good, good, good, good, (good,))


async def test_a_very_long_text_of_many_words_is_stored_whole(database: Database, store: SessionStore) -> None:
    """PostgreSQL refuses search vectors over 1 MiB; that must not refuse the event."""
    long = " ".join(f"wörd{number:x}" for number in range(250_000))

    await _say(database, store, "s", long)

    async with database.read() as tx:
        assert [event.content for event in await store.history(tx, "s")] == [long]


async def test_a_locked_database_does_not_lose_an_event(sqlite_database: Database, tmp_path: Path) -> None:
    store = SessionStore(sqlite_database.dialect)
    await _say(sqlite_database, store, "s", "before")
    other = sqlite3.connect(tmp_path / "sessions.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    appends = [asyncio.create_task(_say(sqlite_database, store, "s", f"during {number}")) for number in range(5)]
    _, waiting = await asyncio.wait(appends, timeout=0.4)
    assert len(waiting) == 5

    other.execute("COMMIT")
    await asyncio.gather(*appends)

    other.close()
    async with sqlite_database.read() as tx:
        history = await store.history(tx, "s")
    assert [event.content for event in history] == ["before", *(f"during {number}" for number in range(5))]


async def test_a_database_locked_past_the_budget_says_so_and_stores_nothing(
    sqlite_database: Database, tmp_path: Path
) -> None:
    store = SessionStore(sqlite_database.dialect)
    impatient = Database.open(f"sqlite:///{tmp_path / 'sessions.db'}", busy_budget_s=0.2)
    other = sqlite3.connect(tmp_path / "sessions.db", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")

    with pytest.raises(Unavailable):
        await _say(impatient, store, "s", "words")

    other.close()
    await impatient.close()
    async with sqlite_database.read() as tx:
        assert await store.find_session(tx, "s") is None


def _bytes_in(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.iterdir())


def _message(content: str, role: str = "user") -> NewEvent:
    return NewEvent(MESSAGE, content, role)


def _hidden() -> NewEvent:
    return NewEvent("an_audit_event", payload={"n": 1}, context_visible=False)


async def _say(database: Database, store: SessionStore, session_id: str, content: str) -> None:
    async with database.write() as tx:
        await store.ensure_session(tx, session_id)
        await store.append(tx, session_id, None, _message(content))


async def _used_at(database: Database, times: dict[str, int]) -> None:
    async with database.write() as tx:
        for session_id, updated_ms in times.items():
            statement = text("UPDATE sessions SET updated_ms = :at WHERE id = :id")
            await tx.execute(statement, {"at": updated_ms, "id": session_id})
