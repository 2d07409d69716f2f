"""`beaver chat` as a user meets it, without the Gateway layer: one message, standard input, a terminal, Ctrl-C."""

from __future__ import annotations

import json
import os
import pty
import select
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from beaver.cli.talk.patience import SILENT_S
from beaver.config.provider import NO_MODEL
from tests.unit.cli.conftest import CommandLine

CHAT = (sys.executable, "-m", "beaver", "chat")
SLOWLY: list[dict[str, Any]] = [
    {"text": "one two three four five six seven eight nine ten", "delay_ms": 200},
    {"text": "again"},
]


@pytest.fixture
def instance(beaver: CommandLine) -> CommandLine:
    return scripted(beaver, [{"text": "Beavers build \u001b[31mdams."}])


def scripted(beaver: CommandLine, script: list[dict[str, Any]]) -> CommandLine:
    """An instance without a Gateway whose model plays the script."""
    (beaver.root / "script.json").write_text(json.dumps(script))
    beaver.configure({"memory": {"mode": "curated"}, "provider": {"kind": "scripted", "script": "script.json"}})
    return beaver


def messages(beaver: CommandLine, session: str) -> list[tuple[str, str]]:
    return [(each["role"], each["content"]) for each in beaver("sessions", "show", session, "--json").json]


def test_one_message_prints_the_answer_alone_and_the_session_beside_it(instance: CommandLine) -> None:
    asked = instance("chat", "-m", "What do beavers build?", "--session", "s-1")
    assert asked.code == 0
    assert asked.out == "Beavers build [31mdams.\n"
    assert "beaver chat --session s-1" in asked.err


def test_a_session_that_was_not_there_is_said_to_be_new(instance: CommandLine) -> None:
    named, again = (instance("chat", "-m", "What do beavers build?", "--session", "s-1").err for _ in range(2))
    assert "new session s-1: there was none with this id" in named
    assert "session s-1 goes on, last used 20" in again
    assert "new session" not in again
    assert "new session session_" in instance("chat", "-m", "Hello").err


def test_programs_are_told_whether_the_session_is_new(instance: CommandLine) -> None:
    asked = [
        instance("chat", "-m", "Hello", "--json", *more) for more in (("--session", "s-1"), ("--session", "s-1"), ())
    ]
    assert [each.json["new_session"] for each in asked] == [True, False, True]


def test_json_is_one_object_with_all_that_came_of_it(instance: CommandLine) -> None:
    answer = instance("chat", "-m", "What do beavers build?", "--json").json
    assert set(answer) == {
        "session_id",
        "run_id",
        "text",
        "stop_reason",
        "usage",
        "tools_used",
        "error",
        "next_step",
        "provider",
        "new_session",
    }
    assert (answer["text"], answer["provider"]) == ("Beavers build \u001b[31mdams.", "scripted")
    assert (answer["stop_reason"], answer["tools_used"], answer["error"]) == ("stop", [], None)


def test_that_there_is_no_model_is_said_beside_the_answer_and_not_stored(beaver: CommandLine) -> None:
    beaver.configure({"memory": {"mode": "curated"}})
    asked = beaver("chat", "-m", "What do beavers build?", "--session", "s-1")
    assert asked.err.count(NO_MODEL) == 1
    assert "model" not in asked.out
    assert messages(beaver, "s-1")[1] == ("assistant", asked.out.rstrip("\n"))
    as_json = beaver("chat", "-m", "And lodges?", "--session", "s-1", "--json")
    assert as_json.json["provider"] == "offline"
    assert NO_MODEL not in as_json.err


def test_where_there_is_a_model_nothing_is_said_of_none(instance: CommandLine) -> None:
    assert NO_MODEL not in instance("chat", "-m", "What do beavers build?").err


def test_a_message_may_come_on_standard_input(instance: CommandLine) -> None:
    instance("chat", "--session", "s-1", stdin="What do\nbeavers build?\n")
    assert messages(instance, "s-1")[0] == ("user", "What do\nbeavers build?\n")


@pytest.mark.parametrize("more", [(), ("--json",)])
def test_a_message_that_begins_with_memory_asks_beaver_and_not_the_model(
    instance: CommandLine, more: tuple[str, ...]
) -> None:
    asked = instance("chat", "-m", "/memory status", "--session", "s-1", *more)
    assert asked.code == 0
    told = asked.json["lines"] if more else asked.out.splitlines()
    assert "memory" in told[0].lower()
    assert "Beavers build" not in asked.out
    assert instance("sessions", "list", "--json").json == []


@pytest.mark.parametrize("arguments", [("-m", "  "), ()])
def test_a_blank_message_is_refused(instance: CommandLine, arguments: tuple[str, ...]) -> None:
    refused = instance("chat", *arguments, "--json")
    assert refused.code == 2
    assert refused.error["code"] == "invalid_input"


def test_a_bad_session_id_is_refused(instance: CommandLine) -> None:
    refused = instance("chat", "-m", "Hello", "--session", "../etc")
    assert refused.code == 2
    assert refused.err.startswith("beaver: --session: must not hold path parts")


def test_a_skill_that_does_not_exist_is_refused(instance: CommandLine) -> None:
    assert instance("chat", "-m", "Hello", "--skill", "nope").code == 2


def test_a_run_that_fails_says_so_with_its_exit_code(beaver: CommandLine) -> None:
    scripted(beaver, [{"error": "unavailable"}])
    plain, as_json = beaver("chat", "-m", "Hello"), beaver("chat", "-m", "Hello", "--json")
    assert plain.code == as_json.code == 69
    assert "I could not finish this answer" in plain.err
    assert as_json.json["error"] == "unavailable"
    assert (plain.out, as_json.json["next_step"]) == ("", None)
    # What a run says of its failure holds what to do; no part that a check asks is the cause.
    assert "beaver check" not in plain.err


def test_an_answer_of_which_no_word_has_come_for_long_is_said_to_be_waited_for(beaver: CommandLine) -> None:
    scripted(beaver, [{"text": "late", "delay_ms": 1000 * SILENT_S + 1000}])
    asked = beaver("chat", "-m", "Hello")
    assert (asked.code, asked.out, asked.err.count("No word yet")) == (0, "late\n", 1)


def test_the_log_lines_of_a_chat_stand_in_its_log_and_not_between_the_words(instance: CommandLine) -> None:
    asked = instance("chat", "-m", "Hello")
    assert "run.completed" not in asked.out + asked.err
    assert "run.completed" in (instance.root / ".beaver" / "logs" / "chat.log").read_text()


def test_ctrl_c_during_the_answer_ends_quietly_with_130_and_stores_the_run_as_cancelled(beaver: CommandLine) -> None:
    scripted(beaver, SLOWLY)
    with subprocess.Popen([*CHAT, "-m", "Count"], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.read(1) == b"o"
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert b"Traceback" not in err
    (session,) = beaver("sessions", "list", "--json").json
    assert messages(beaver, session["id"])[0] == ("user", "Count")
    assert "ten" not in str(messages(beaver, session["id"]))


class Terminal:
    """A chat at a terminal, driven by what it shows."""

    def __init__(self, descriptor: int, pid: int) -> None:
        self._descriptor = descriptor
        self._pid = pid
        self.shown = ""

    def wait_for(self, text: str, within_s: float = 60) -> None:
        """Read until the text is shown; what came before it is forgotten."""
        give_up = time.monotonic() + within_s
        while text not in self.shown:
            assert time.monotonic() < give_up, f"{text!r} was not shown: {self.shown!r}"
            if select.select([self._descriptor], [], [], 0.1)[0]:
                self.shown += os.read(self._descriptor, 65536).decode()
        self.shown = self.shown.partition(text)[2]

    def type(self, keys: str) -> None:
        """Press keys."""
        os.write(self._descriptor, keys.encode())

    def exit_code(self) -> int:
        """Wait for the end."""
        try:
            while data := os.read(self._descriptor, 65536):
                self.shown += data.decode()
        except OSError:
            pass  # the terminal is closed
        return os.waitstatus_to_exitcode(os.waitpid(self._pid, 0)[1])


@contextmanager
def at_terminal(*arguments: str) -> Iterator[Terminal]:
    pid, descriptor = pty.fork()
    if pid == 0:
        os.execv(sys.executable, [*CHAT, *arguments])
    try:
        yield Terminal(descriptor, pid)
    finally:
        os.close(descriptor)


def test_at_a_terminal_a_session_goes_on_from_line_to_line_and_lines_are_remembered(beaver: CommandLine) -> None:
    scripted(beaver, [{"text": "first answer"}, {"text": "second answer"}])
    with at_terminal("--session", "s-1") as terminal:
        terminal.wait_for("new session s-1: there was none with this id")
        terminal.wait_for("you> ")
        terminal.type("one\n")
        terminal.wait_for("first answer")
        terminal.wait_for("you> ")
        terminal.type("/help\n")
        terminal.wait_for("/quit")
        terminal.wait_for("you> ")
        terminal.type("/memory off\n")
        terminal.wait_for("Memory is off in this session.")
        terminal.wait_for("you> ")
        terminal.type("two\n")
        terminal.wait_for("second answer")
        terminal.wait_for("you> ")
        terminal.type("/quit\n")
        assert terminal.exit_code() == 0
    assert [text for _, text in messages(beaver, "s-1")] == ["one", "first answer", "two", "second answer"]


def test_at_a_terminal_the_arrow_keys_bring_back_what_the_session_holds_and_no_file_keeps_it(
    beaver: CommandLine,
) -> None:
    scripted(beaver, [{"text": "first answer"}])
    older = beaver.root / ".beaver" / "chat_history"
    older.write_text("said to an earlier release\n")
    assert beaver("chat", "--session", "s-1", "-m", "a secret word").code == 0

    with at_terminal("--session", "s-1") as terminal:
        terminal.wait_for("you> ")
        terminal.type("\x1b[A")
        terminal.wait_for("a secret word")
        terminal.type("\x15/quit\n")
        assert terminal.exit_code() == 0

    kept = [path.name for path in older.parent.rglob("*") if path.is_file() and b"secret word" in path.read_bytes()]
    assert [name for name in kept if not name.startswith("sessions.db")] == []
    assert not older.exists()


def test_at_a_terminal_it_is_said_once_that_there_is_no_model(beaver: CommandLine) -> None:
    beaver.configure({"memory": {"mode": "curated"}})
    with at_terminal() as terminal:
        terminal.wait_for("you> ")
        terminal.type("one\n")
        terminal.wait_for(NO_MODEL)
        terminal.wait_for("you> ")
        terminal.type("two\n")
        terminal.wait_for("you> ")
        terminal.type("/quit\n")
        assert terminal.exit_code() == 0
    assert NO_MODEL not in terminal.shown


def test_at_a_terminal_ctrl_c_stops_the_answer_and_ctrl_d_leaves(beaver: CommandLine) -> None:
    scripted(beaver, SLOWLY)
    with at_terminal("--session", "s-1") as terminal:
        terminal.wait_for("you> ")
        terminal.type("count\n")
        terminal.wait_for("one")
        terminal.type("\x03")
        terminal.wait_for("(stopped)")
        terminal.wait_for("you> ")
        terminal.type("and now\n")
        terminal.wait_for("again")
        terminal.wait_for("you> ")
        terminal.type("\x04")
        assert terminal.exit_code() == 0
    said = [text for role, text in messages(beaver, "s-1") if role == "user"]
    assert said == ["count", "and now"]
