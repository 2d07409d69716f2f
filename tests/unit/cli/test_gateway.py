"""`beaver gateway`: users, memories, resources, files and upkeep, each over an instance of its own."""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path

import pytest

from beaver.memory.namespace import Namespace
from beaver.memory.records import NewMessage
from tests.support.memory_engine import engine_with
from tests.support.memory_gateway import MORNING_MS
from tests.unit.cli.conftest import CommandLine
from tests.unit.memory.resources.test_reading import pdf


def _ada(beaver: CommandLine) -> None:
    assert beaver("gateway", "users", "add", "ada", "--json").code == 0


def _notes(tmp_path: Path) -> Path:
    notes = tmp_path / "notes.md"
    notes.write_text("# Birds\n\nHerons wade in the shallows.\n")
    return notes


def test_a_user_is_written_into_a_configuration_that_names_none(beaver: CommandLine, tmp_path: Path) -> None:
    beaver.configure({"server": {"port": 8123}})
    added = beaver("gateway", "users", "add", "ada", "--configure", "--json").json
    config = json.loads(Path(added["config"]).read_text())
    assert config["server"] == {"port": 8123}
    gateway = config["memory"]["gateway"]
    assert (gateway["userId"], gateway["baseUrl"]) == ("ada", "http://127.0.0.1:8010")
    assert gateway["userKey"] not in json.dumps(added)
    assert beaver("gateway", "memories", "list", "--json").code == 0

    refused = beaver("gateway", "users", "add", "bob", "--configure", "--json")
    assert (refused.code, refused.error["code"]) == (4, "conflict")
    assert [user["user_id"] for user in beaver("gateway", "users", "list", "--json").json] == ["ada"]


def test_users_are_listed_and_their_keys_rotated_and_revoked(beaver: CommandLine) -> None:
    first = beaver("gateway", "users", "add", "ada", "--json").json
    again = beaver("gateway", "users", "rotate-key", "ada", "--json").json
    assert first["user_key"] != again["user_key"]
    assert [user["user_id"] for user in beaver("gateway", "users", "list", "--json").json] == ["ada"]
    keys = beaver("gateway", "users", "keys", "ada", "--json").json
    assert len(keys) == 2
    assert beaver("gateway", "users", "revoke-key", "ada", keys[0]["key"]).code == 0
    assert [key["revoked_ms"] is None for key in beaver("gateway", "users", "keys", "ada", "--json").json] == [
        False,
        True,
    ]
    assert beaver("gateway", "users", "add", "ada").code == 4


def test_a_user_is_removed_only_after_a_yes(beaver: CommandLine) -> None:
    _ada(beaver)
    assert beaver("gateway", "users", "remove", "ada", stdin="n\n").code == 1
    assert beaver("gateway", "users", "remove", "ada", "--yes", "--json").json == {"removed": "ada"}
    assert beaver("gateway", "users", "list", "--json").json == []


def test_a_file_is_stored_found_listed_and_removed(beaver: CommandLine, tmp_path: Path) -> None:
    _ada(beaver)
    stored = beaver(
        "gateway", "resources", "add", str(_notes(tmp_path)), "--user", "ada", "--uri", "n:1", "--json"
    ).json
    assert (stored["title"], stored["passages"], stored["replaced"]) == ("Birds", 1, False)
    found = beaver("gateway", "memories", "search", "herons", "--user", "ada", "--json").json
    assert [one["uri"] for one in found] == ["n:1"]
    assert "n:1" in beaver("gateway", "resources", "list", "--user", "ada").out
    assert beaver("gateway", "resources", "remove", "n:1", "--user", "ada", "--yes").code == 0
    assert beaver("gateway", "resources", "list", "--user", "ada", "--json").json["resources"] == []


def test_of_several_files_those_that_can_be_read_are_stored_and_each_is_told(
    beaver: CommandLine, tmp_path: Path
) -> None:
    _ada(beaver)
    foreign, picture = tmp_path / "foreign.txt", tmp_path / "picture.png"
    foreign.write_bytes("Müller".encode("latin-1"))
    picture.write_bytes(b"x")
    files = [str(_notes(tmp_path)), str(foreign), str(picture)]
    told = beaver("gateway", "resources", "add", *files, "--user", "ada")
    assert told.code == 2
    assert told.out.startswith("Stored Birds (1 passages) as file://")
    assert "foreign.txt: file: must be text in UTF-8" in told.err
    assert "picture.png: file: must end in one of" in told.err
    again = beaver("gateway", "resources", "add", *files, "--user", "ada", "--encoding", "latin-1", "--json")
    first, second, third = again.json["resources"]
    assert (again.code, first["unchanged"], second["title"], third["refused"]["field"]) == (2, True, "foreign", "file")
    refused = beaver("gateway", "resources", "add", *files, "--user", "ada", "--uri", "n:1", "--json")
    assert (refused.code, refused.error["message"]) == (2, "--uri: is for one file")


def test_pages_without_text_are_told_and_a_search_says_section_and_page(beaver: CommandLine, tmp_path: Path) -> None:
    _ada(beaver)
    book, guide = tmp_path / "book.pdf", tmp_path / "guide.md"
    book.write_bytes(pdf("The heron waits", "", "The otter dives"))
    guide.write_text("# Guide\n\n## Marmots\n\nThey whistle.\n")
    assert (
        "Without text, perhaps scanned: page 2" in beaver("gateway", "resources", "add", str(book), "--user", "ada").out
    )
    assert beaver("gateway", "resources", "add", str(book), "--user", "ada", "--json").json["silent_pages"] == [2]
    assert beaver("gateway", "resources", "add", str(guide), "--user", "ada").code == 0
    assert "Guide › Marmots" in beaver("gateway", "memories", "search", "whistle", "--user", "ada").out
    assert "book, page 1" in beaver("gateway", "memories", "search", "heron", "--user", "ada").out


def test_a_search_tells_people_when_it_was_said_and_what_took_its_place(beaver: CommandLine) -> None:
    _ada(beaver)
    asyncio.run(_move(f"sqlite:///{beaver.root / '.beaver' / 'gateway.db'}"))

    head, *rows = beaver("gateway", "memories", "search", "Paris", "--user", "ada").out.splitlines()
    assert re.split(r"\s{2,}", head) == ["id", "score", "scope", "at", "superseded by", "text"]
    (row,) = [row for row in rows if row.endswith("I live in Paris.")]
    assert re.split(r"\s{2,}", row)[3:5] == ["2026-02-27 20:26:40", "I moved to Berlin"]
    assert "superseded by" not in beaver("gateway", "memories", "search", "nothing", "--user", "ada").out


async def _move(url: str) -> None:
    """Ada lives in Paris, and three months later in Berlin."""
    ada = Namespace("default", "default", "ada")
    async with engine_with(url) as runtime:
        for days_ago, told in ((90, "I live in Paris."), (0, "I moved to Berlin.")):
            said = NewMessage("user", "ada", MORNING_MS - days_ago * 86_400_000, told)
            await runtime.add(ada, f"chat:{days_ago}", [said])
            await runtime.flush(ada, f"chat:{days_ago}")


def test_who_is_not_named_is_the_user_as_whom_the_chats_here_remember(beaver: CommandLine, tmp_path: Path) -> None:
    _ada(beaver)
    own = {"baseUrl": "http://127.0.0.1:1", "userId": "ada", "userKey": "uk_" + 43 * "a", "projectId": "birds"}
    beaver.configure({"memory": {"mode": "hybrid", "gateway": own}})
    assert beaver("gateway", "resources", "add", str(_notes(tmp_path)), "--uri", "n:1").code == 0
    assert [one["uri"] for one in beaver("gateway", "memories", "search", "herons", "--json").json] == ["n:1"]
    assert "n:1" in beaver("gateway", "resources", "list", "--user", "ada", "--project", "birds").out
    assert "n:1" not in beaver("gateway", "resources", "list", "--project", "default").out
    assert beaver("gateway", "export", str(tmp_path / "a.jsonl"), "--json").json["counts"]["document"] == 1


def test_a_user_must_be_named_where_none_is_configured(beaver: CommandLine) -> None:
    for asked in (["memories", "list"], ["resources", "list"], ["archive", "search", "boiler"], ["export", "a.jsonl"]):
        refused = beaver("gateway", *asked, "--json")
        assert (refused.code, refused.error["message"]) == (
            2,
            "--user: must name a user: none is configured here (memory.gateway.userId)",
        )


@pytest.mark.parametrize("asked", ["memories forget", "resources remove", "users remove"])
def test_when_a_command_has_forgotten_no_word_is_left_in_the_files(
    beaver: CommandLine, tmp_path: Path, asked: str
) -> None:
    _ada(beaver)
    chat, notes, whose = tmp_path / "chat.jsonl", tmp_path / "notes.md", ["--user", "ada"]
    said = {"session_id": "s", "role": "user", "timestamp": 1_780_000_000_000, "content": "A parrot named Zwickelbart"}
    if asked == "resources remove":
        notes.write_text("# Birds\n\nThe parrot is called Zwickelbart.\n")
        beaver("gateway", "resources", "add", str(notes), *whose, "--uri", "n:1")
    else:
        chat.write_text(json.dumps(said))
        beaver("gateway", "import", str(chat), *whose, "--from", "conversations")
    [found] = beaver("gateway", "memories", "search", "parrot", *whose, "--json").json
    assert b"zwickelbart" in _stored_bytes(beaver)
    which = {"memories forget": [found["id"], *whose], "resources remove": ["n:1", *whose], "users remove": ["ada"]}
    assert beaver("gateway", *asked.split(), *which[asked], "--yes", "--json").code == 0
    assert b"zwickelbart" not in _stored_bytes(beaver)


def _stored_bytes(beaver: CommandLine) -> bytes:
    """Of the database's file and its log, in lower case."""
    return b"".join(file.read_bytes() for file in (beaver.root / ".beaver").glob("gateway.db*")).lower()


def test_a_file_that_cannot_be_read_is_told_by_field_and_rule(beaver: CommandLine, tmp_path: Path) -> None:
    _ada(beaver)
    broken = tmp_path / "x.pdf"
    broken.write_bytes(b"%PDF-1.4")
    refused = beaver("gateway", "resources", "add", str(broken), "--user", "ada", "--json")
    assert (refused.code, refused.error["message"]) == (2, "file: is no PDF that can be read")


def test_an_export_goes_into_a_file_of_its_own_whatever_lies_in_its_way(beaver: CommandLine, tmp_path: Path) -> None:
    _ada(beaver)
    beaver("gateway", "resources", "add", str(_notes(tmp_path)), "--user", "ada")
    (others := tmp_path / "others").write_text("theirs")
    (tmp_path / "ada.jsonl.partial").symlink_to(others)
    (tmp_path / "eve.jsonl.partial").write_text("seen by all")
    for name in ("ada", "eve"):
        assert beaver("gateway", "export", str(tmp_path / f"{name}.jsonl"), "--user", "ada").code == 0
        assert (tmp_path / f"{name}.jsonl").stat().st_mode & 0o777 == 0o600
    assert others.read_text() == "theirs"


def test_a_memory_is_exported_restored_and_merged(beaver: CommandLine, tmp_path: Path) -> None:
    _ada(beaver)
    beaver("gateway", "resources", "add", str(_notes(tmp_path)), "--user", "ada", "--uri", "n:1")
    one, two = tmp_path / "one.jsonl", tmp_path / "two.jsonl"
    written = beaver("gateway", "export", str(one), "--user", "ada", "--json").json
    assert written["counts"]["document"] == 1
    assert one.stat().st_mode & 0o077 == 0
    assert beaver("gateway", "export", str(one), "--user", "ada").code == 4
    assert beaver("gateway", "import", str(one), "--user", "ada", "--json").json["unchanged"] == 1
    merged = beaver("gateway", "import", str(one), "--user", "ada", "--merge", "--json").json
    assert merged == {"changed": 0, "unchanged": 1, "left_out": 0}
    beaver("gateway", "resources", "add", str(_notes(tmp_path)), "--user", "ada", "--uri", "n:2")
    assert beaver("gateway", "import", str(one), "--user", "ada").code == 4
    beaver("gateway", "users", "remove", "ada", "--yes")
    _ada(beaver)
    assert beaver("gateway", "import", str(one), "--user", "ada", "--json").json["changed"] == 1
    beaver("gateway", "export", str(two), "--user", "ada")
    assert two.read_bytes() == one.read_bytes()


def test_conversations_that_are_imported_are_learned_from(beaver: CommandLine, tmp_path: Path) -> None:
    _ada(beaver)
    chat = tmp_path / "chat.jsonl"
    said = {"session_id": "s", "role": "user", "timestamp": 1_780_000_000_000, "content": "I live in Oslo."}
    chat.write_text(json.dumps(said))
    asked = ["gateway", "import", str(chat), "--user", "ada", "--from", "conversations"]
    assert beaver(*asked, "--no-flush", "--json").json == {"changed": 1, "unchanged": 0, "left_out": 0}

    figures = {"sessions": 1, "captured": 1, "taken_back": 0, "failed": [], "left": 0}
    assert beaver(*asked, "--json").json == {"changed": 0, "unchanged": 1, "left_out": 0, "learned": figures}
    memories = beaver("gateway", "memories", "list", "--user", "ada", "--json").json["memories"]
    assert "I live in Oslo" in {one.get("title") for one in memories}
    assert "0 learned from 1 sessions." in beaver(*asked).out


def test_a_file_of_another_kind_is_refused_with_the_option_that_takes_it(beaver: CommandLine, tmp_path: Path) -> None:
    _ada(beaver)
    for text in ("# Memory\n\n- Prefers rye bread\n", "", '{"results": []}', "\ufeff[]"):
        other = tmp_path / "notes.md"
        other.write_text(text)
        for more in ([], ["--merge"]):
            refused = beaver("gateway", "import", str(other), "--user", "ada", "--json", *more)
            assert refused.code == 2
            assert "--from conversations, curated, mem0, everos, chatgpt or claude" in refused.error["message"]


def test_figures_and_maintenance_are_told_as_a_table_and_as_json(beaver: CommandLine, tmp_path: Path) -> None:
    _ada(beaver)
    beaver("gateway", "resources", "add", str(_notes(tmp_path)), "--user", "ada")
    figures = beaver("gateway", "stats", "--json").json
    assert (figures["counts"]["resources"], figures["largest_users"]) == (1, [{"user_id": "ada", "passages": 1}])
    assert "resources" in beaver("gateway", "stats").out
    report = json.loads(beaver("gateway", "maintain", "--json").out)
    assert (report["ran"], report["archived"]) == (True, 0)


def test_a_memory_that_is_not_there_is_told(beaver: CommandLine) -> None:
    _ada(beaver)
    assert beaver("gateway", "memories", "show", "obs_none", "--user", "ada").code == 3
    assert beaver("gateway", "memories", "forget", "obs_none", "--user", "ada", "--yes").code == 3
    assert beaver("gateway", "memories", "edit", "obs_none", "--user", "ada").code == 2
    assert beaver("gateway", "memories", "list", "--user", "ada", "--json").json["memories"] == []


def test_an_observation_is_shown_with_its_history_and_evidence(beaver: CommandLine, tmp_path: Path) -> None:
    _ada(beaver)
    curated = tmp_path / "MEMORY.md"
    curated.write_text("- The cat is called Biscuit\n")
    beaver("gateway", "import", str(curated), "--user", "ada", "--from", "curated")
    (learned,) = beaver("gateway", "memories", "list", "--user", "ada", "--json").json["memories"]
    shown = beaver("gateway", "memories", "show", learned["id"], "--user", "ada").out
    assert "facts: \n  - The cat is called Biscuit\n" in shown
    assert "narrative" not in shown
    history = beaver("gateway", "memories", "history", learned["id"], "--user", "ada", "--json").json
    assert [entry["event"] for entry in history] == ["ADD"]
    assert "not here" in beaver("gateway", "memories", "evidence", learned["id"], "--user", "ada").out


def test_a_user_who_is_not_there_has_no_empty_memory(beaver: CommandLine, tmp_path: Path) -> None:
    _ada(beaver)
    notes = str(_notes(tmp_path))
    for words in (
        ("memories", "list"),
        ("memories", "search", "herons"),
        ("archive", "search"),
        ("resources", "list"),
        ("resources", "add", notes),
        ("export", str(tmp_path / "none.jsonl")),
        ("import", notes, "--from", "curated"),
    ):
        refused = beaver("gateway", *words, "--user", "adda", "--json")
        assert (refused.code, refused.error["message"]) == (3, "there is no such user"), words
    assert not (tmp_path / "none.jsonl").exists()


def test_a_file_that_cannot_be_written_is_told(beaver: CommandLine, tmp_path: Path) -> None:
    _ada(beaver)
    beaver("gateway", "resources", "add", str(_notes(tmp_path)), "--user", "ada")
    refused = beaver("gateway", "export", str(tmp_path / "nowhere" / "ada.jsonl"), "--user", "ada", "--json")
    assert (refused.code, refused.error["code"]) == (2, "invalid_input")
    assert refused.error["message"] == "file: cannot be written: No such file or directory"


def test_an_empty_archive_is_told_and_what_is_not_in_it_is_not_restored(beaver: CommandLine) -> None:
    _ada(beaver)
    assert beaver("gateway", "archive", "search", "--user", "ada").out == "Nothing found.\n"
    assert beaver("gateway", "archive", "restore", "obs_none", "--user", "ada", "--json").code == 3
