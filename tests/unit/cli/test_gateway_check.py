"""`beaver gateway check`, and the Gateway's lines in `beaver check`: each part in words, with what to do, and no secret."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from beaver.clock import system_clock
from beaver.memory.inference import local
from tests.unit.cli.conftest import CommandLine

WORDS_ALONE = {"gatewayServer": {"embedding": {"provider": "none"}}}
SERVICE = {
    "gatewayServer": {
        "embedding": {
            "provider": "openai-compatible",
            "model": "small",
            "dimensions": 3,
            "baseUrl": "http://127.0.0.1:1/v1",
            "apiKey": "s3cret-word",
        }
    }
}


@pytest.fixture
def notes(tmp_path: Path) -> str:
    file = tmp_path / "notes.md"
    file.write_text("Herons wade in the shallows.\n")
    return str(file)


def parts(beaver: CommandLine, *command: str) -> dict[str, Any]:
    checked = beaver(*(command or ("gateway", "check")), "--json")
    assert checked.code == 0
    assert checked.err == ""
    return {part["part"]: part for part in checked.json["parts"]}


def test_before_the_first_start_there_is_nothing_to_mend(beaver: CommandLine) -> None:
    beaver.configure(WORDS_ALONE)
    found = parts(beaver)
    assert "✓ Gateway encoder: " in beaver("gateway", "check").out
    assert "not there yet" in found["Gateway database"]["message"]
    assert "none is configured" in found["Gateway encoder"]["message"]
    assert {part["severity"] for part in found.values()} == {"ok"}
    assert not any(name.startswith("Gateway ") for name in parts(beaver, "check"))
    assert not (beaver.root / ".beaver" / "gateway.db").exists()


def test_a_memory_in_order_is_told_in_figures_by_both_checks(beaver: CommandLine, notes: str) -> None:
    beaver.configure(WORDS_ALONE)
    beaver("gateway", "users", "add", "ada")
    beaver("gateway", "resources", "add", notes, "--user", "ada")
    found = parts(beaver)
    assert "1 user, 0 messages, 0 observations, 1 resource" in found["Gateway database"]["message"]
    assert "all 1 passages" in found["Gateway index"]["message"]
    assert "GB are free beside" in found["Gateway disk"]["message"]
    assert {part["severity"] for part in found.values()} == {"ok"}
    assert set(found) < set(parts(beaver, "check"))


def test_vectors_that_are_not_there_yet_are_told_and_no_service_is_called(beaver: CommandLine, notes: str) -> None:
    beaver.configure(SERVICE)
    beaver("gateway", "users", "add", "ada")
    beaver("gateway", "resources", "add", notes, "--user", "ada")
    found = parts(beaver)
    assert "(not called)" in found["Gateway encoder"]["message"]
    assert found["Gateway vectors"]["severity"] == "warning"
    assert "0 of 1 passages" in found["Gateway vectors"]["message"]
    assert "beaver gateway reindex" in found["Gateway vectors"]["next_step"]
    assert "s3cret-word" not in str(found)


@pytest.mark.parametrize(("changed_ago_ms", "severity"), [(1_000, "ok"), (3_600_000, "warning")])
def test_a_summary_that_has_changed_just_now_is_no_backlog(
    beaver: CommandLine, notes: str, changed_ago_ms: int, severity: str
) -> None:
    beaver.configure(SERVICE)
    beaver("gateway", "users", "add", "ada")
    beaver("gateway", "resources", "add", notes, "--user", "ada")
    changed_ms = system_clock() - changed_ago_ms
    with closing(sqlite3.connect(beaver.root / ".beaver" / "gateway.db")) as database, database:
        database.execute(
            "INSERT INTO session_summaries (id, namespace_id, conversation_id, request, outcome, decisions, open_items,"
            " observation_count, created_ms, updated_ms) VALUES ('s', 1, 1, '', '', '[]', '[]', 1, ?, ?)",
            (changed_ms, changed_ms),
        )
    found = parts(beaver)["Gateway vectors"]
    assert found["severity"] == severity
    assert ("sessions that go on" in found["message"]) is (severity == "ok")


def test_an_encoder_that_is_not_installed_is_told(beaver: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local, "WEIGHTS_PACKAGE", "no_such_wheel")
    encoder = parts(beaver)["Gateway encoder"]
    assert encoder["severity"] == "warning"
    assert "words alone" in encoder["message"]
    assert "beaver-agent[gateway]" in encoder["next_step"]


class Usage(NamedTuple):
    total: int = 1000
    used: int = 999
    free: int = 1


def test_a_full_disk_and_an_index_with_gaps_are_told(
    beaver: CommandLine, notes: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    beaver.configure(WORDS_ALONE)
    beaver("gateway", "users", "add", "ada")
    beaver("gateway", "resources", "add", notes, "--user", "ada")
    with sqlite3.connect(beaver.root / ".beaver" / "gateway.db") as connection:
        connection.execute("DELETE FROM memory_fts")
    monkeypatch.setattr(shutil, "disk_usage", lambda _folder: Usage())
    found = parts(beaver)
    assert {name for name, part in found.items() if part["severity"] == "warning"} == {"Gateway index", "Gateway disk"}
    assert "0 passages, and there are 1" in found["Gateway index"]["message"]


def test_a_database_that_does_not_serve_is_told_without_its_password(beaver: CommandLine) -> None:
    url = "postgresql://ada:s3cret-word@127.0.0.1:1/memory"
    beaver.configure({"gatewayServer": {**WORDS_ALONE["gatewayServer"], "databaseUrl": url}})
    (database,) = parts(beaver).values()
    assert (database["severity"], database["part"]) == ("warning", "Gateway database")
    assert "s3cret-word" not in str(database)


def test_a_database_without_a_schema_is_left_as_it_is(beaver: CommandLine) -> None:
    beaver.configure(WORDS_ALONE)
    file = beaver.root / ".beaver" / "gateway.db"
    file.touch()
    assert "no schema" in parts(beaver)["Gateway database"]["message"]
    with sqlite3.connect(file) as connection:
        assert connection.execute("SELECT count(*) FROM sqlite_master").fetchone() == (0,)
