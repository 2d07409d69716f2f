"""The commands over stored things: sessions, the ledger, the schema, the Gateway's users."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from beaver.db.engine import Database
from beaver.db.migrate import ensure_schema
from beaver.outbox.store import OutboxStore
from beaver.outbox.turns import NewTurn
from beaver.sessions.records import MESSAGE, NewEvent
from beaver.sessions.store import SessionStore
from tests.unit.cli.conftest import CommandLine


@pytest.fixture
def talked(beaver: CommandLine) -> CommandLine:
    """One session with a turn that waits for its delivery."""
    asyncio.run(_talk(beaver.root))
    return beaver


async def _talk(root: Path, title: str | None = "Dams") -> None:
    database = Database.open(f"sqlite:///{root / '.beaver' / 'sessions.db'}")
    await ensure_schema(database, "beaver.db.migrations")
    store = SessionStore(database.dialect)
    async with database.write() as tx:
        await store.ensure_session(tx, "s-1", title=title)
        await store.start_run(tx, "run-1", "s-1", fence=1, provider="scripted", model="script")
        asked = await store.append(tx, "s-1", "run-1", NewEvent(MESSAGE, "What do beavers build?", "user"))
        hidden = NewEvent("memory_gateway_recall_failed", payload={"category": "timeout"}, context_visible=False)
        await store.append(tx, "s-1", "run-1", hidden)
        answered = await store.append(tx, "s-1", "run-1", NewEvent(MESSAGE, "Dams\x1b[2J.", "assistant"))
        turn = NewTurn("run-1", "s-1", asked, answered, 1000, 2000, "anna", "default", "default")
        await OutboxStore(database.dialect, store).insert(tx, turn)
    await database.close()


class TestSessions:
    def test_an_empty_instance_says_how_to_begin(self, beaver: CommandLine) -> None:
        assert "No sessions yet" in beaver("sessions", "list").out
        assert beaver("sessions", "list", "--json").json == []

    def test_sessions_are_listed(self, talked: CommandLine) -> None:
        assert "s-1" in talked("sessions", "list").out
        assert [session["title"] for session in talked("sessions", "list", "--json").json] == ["Dams"]

    def test_a_session_without_a_title_is_shown_by_its_first_words(self, beaver: CommandLine) -> None:
        asyncio.run(_talk(beaver.root, title=None))
        assert "What do beavers build?" in beaver("sessions", "list").out
        (session,) = beaver("sessions", "list", "--json").json
        assert (session["title"], session["preview"]) == (None, "What do beavers build?")
        head, *_ = beaver("sessions", "search", "dams").out.splitlines()
        assert head.endswith("  What do beavers build?")
        (hit,) = beaver("sessions", "search", "dams", "--json").json
        assert (hit["title"], hit["preview"]) == (None, "What do beavers build?")

    def test_messages_are_shown_without_hidden_events_and_without_control_characters(self, talked: CommandLine) -> None:
        shown = talked("sessions", "show", "s-1").out
        assert "What do beavers build?" in shown
        assert "memory_gateway" not in shown
        assert "\x1b" not in shown
        roles = [message["role"] for message in talked("sessions", "messages", "s-1", "--json").json]
        assert roles == ["user", "assistant"]

    def test_events_are_the_whole_audit_trail_in_order(self, talked: CommandLine) -> None:
        trail = talked("sessions", "events", "s-1", "--json").json
        assert [event["kind"] for event in trail] == ["message", "memory_gateway_recall_failed", "message"]
        later = talked("sessions", "events", "s-1", "--json", "--after", str(trail[0]["id"])).json
        assert later == trail[1:]
        assert '"category": "timeout"' in talked("sessions", "events", "s-1").out

    def test_search_finds_what_was_said(self, talked: CommandLine) -> None:
        assert "> user: What do beavers build?" in talked("sessions", "search", "beavers").out
        assert [hit["session_id"] for hit in talked("sessions", "search", "beavers", "--json").json] == ["s-1"]
        assert talked("sessions", "search", "otters").out == "Nothing found.\n"

    def test_a_session_is_deleted_with_everything_of_it_once_confirmed(self, talked: CommandLine) -> None:
        assert talked("sessions", "delete", "s-1", stdin="n\n").code == 1
        assert talked("sessions", "show", "s-1").code == 0
        typed = talked.root / ".beaver" / "chat_history"
        typed.write_text("what an earlier release kept of a person's lines\n")
        assert talked("sessions", "delete", "s-1", "--yes", "--json").json == {"deleted": "s-1"}
        assert not typed.exists()
        assert talked("sessions", "list", "--json").json == []
        assert talked("queue", "list", "--json").json == []

    @pytest.mark.parametrize("command", [("show",), ("events",), ("delete", "--yes")])
    def test_a_session_that_does_not_exist_is_exit_code_3(self, beaver: CommandLine, command: tuple[str, ...]) -> None:
        missing = beaver("sessions", *command, "nope", "--json")
        assert missing.code == 3
        assert missing.error["code"] == "not_found"


class TestQueue:
    def test_stats_count_every_state(self, talked: CommandLine) -> None:
        counted = talked("queue", "stats", "--json").json
        assert counted["counts"]["pending"] == 1
        assert sum(counted["counts"].values()) == 1
        assert counted["oldest_pending_age_ms"] >= 0
        assert counted["withdrawals"] == 0
        told = talked("queue", "stats").out
        assert "The oldest pending turn has waited" in told
        assert "yet to forget" not in told

    def test_turns_are_listed_by_state(self, talked: CommandLine) -> None:
        assert [turn["run_id"] for turn in talked("queue", "list", "--json", "--state", "pending").json] == ["run-1"]
        assert talked("queue", "list", "--json", "--state", "flushed", "--state", "skipped").json == []
        assert "run-1" in talked("queue", "list").out

    def test_an_unknown_state_is_refused_with_those_that_exist(self, beaver: CommandLine) -> None:
        refused = beaver("queue", "list", "--state", "lost")
        assert refused.code == 2
        assert "add_unknown" in refused.err

    def test_a_turn_is_shown_with_its_timeline_and_without_its_words(self, talked: CommandLine) -> None:
        story = talked("queue", "show", "run-1", "--json").json
        assert story["state"] == "pending"
        assert [entry["to_state"] for entry in story["timeline"]] == ["pending"]
        shown = talked("queue", "show", "run-1").out
        assert "pending" in shown
        assert "beavers" not in shown + json.dumps(story)

    def test_a_turn_that_is_not_in_the_ledger_is_exit_code_3(self, beaver: CommandLine) -> None:
        assert beaver("queue", "show", "nope").code == 3


class TestMigrate:
    def test_the_schema_is_made_once_and_then_stands(self, beaver: CommandLine) -> None:
        first, second = beaver("migrate", "--json").json, beaver("migrate", "--json").json
        assert first["before"] is None
        assert second == {"before": first["after"], "after": first["after"]}
        assert "already" in beaver("migrate").out


class TestGatewayUsers:
    def test_a_users_key_is_printed_this_once(self, beaver: CommandLine) -> None:
        made = beaver("gateway", "users", "add", "anna")
        assert made.code == 0
        key = made.out.split("key:")[1].strip()
        database = (beaver.root / ".beaver" / "gateway.db").read_bytes()
        assert key.encode() not in database

    def test_an_id_is_chosen_where_none_is_given(self, beaver: CommandLine) -> None:
        made = beaver("gateway", "users", "add", "--json").json
        assert made["user_id"]
        assert made["user_key"]

    def test_an_id_that_is_taken_is_exit_code_4(self, beaver: CommandLine) -> None:
        beaver("gateway", "users", "add", "anna")
        taken = beaver("gateway", "users", "add", "anna", "--json")
        assert taken.code == 4
        assert taken.error["code"] == "conflict"
