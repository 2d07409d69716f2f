"""A command line that cannot be read ends, with `--json`, as one JSON object like every other error: every command's."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.support.command_line import BEAVER, Outcome
from tests.unit.cli.conftest import CommandLine

Refused = Callable[..., Outcome]


def leaves(command: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Commands without sub-commands, by their words."""
    if not hasattr(command, "commands"):
        yield path, command
        return
    for name, sub in command.commands.items():
        yield from leaves(sub, (*path, name))


COMMANDS = dict(leaves(BEAVER))
NEEDY = [path for path, command in COMMANDS.items() if any(one.required for one in command.params)]


@pytest.fixture
def refused(capsys: pytest.CaptureFixture[str]) -> Refused:
    def run(*arguments: str) -> Outcome:
        with pytest.raises(SystemExit) as ended:
            BEAVER.main(list(arguments), prog_name="beaver")
        return Outcome(int(ended.value.code or 0), *capsys.readouterr())

    return run


def test_every_command_takes_json() -> None:
    assert [path for path, one in COMMANDS.items() if not any("--json" in each.opts for each in one.params)] == []
    assert len(NEEDY) > 10


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_an_unknown_option_is_json_too(refused: Refused, path: tuple[str, ...]) -> None:
    answer = refused(*path, "--bogus", "--json")
    assert (answer.code, answer.out, answer.error["code"]) == (2, "", "invalid_input")
    assert "--bogus" in answer.error["message"]
    assert f"`beaver {' '.join(path)} --help`" in answer.error["next_step"]


@pytest.mark.parametrize("path", NEEDY, ids=" ".join)
def test_what_is_missing_is_json_too(refused: Refused, path: tuple[str, ...]) -> None:
    answer = refused(*path, "--json")
    assert (answer.code, answer.out) == (2, "")
    assert answer.error["message"].startswith("Missing ")


@pytest.mark.parametrize(
    "arguments",
    [
        ("gateway", "users", "list", "--json", "--limit", "many"),
        ("gateway", "users", "list", "--limit", "0", "--json"),
        ("gateway", "dig", "--json"),
        ("dig", "--json"),
        ("--bogus", "gateway", "stats", "--json"),
        ("--root", "/nowhere/at/all", "gateway", "stats", "--json"),
    ],
    ids=" ".join,
)
def test_a_bad_value_and_an_unknown_command_are_json_too(refused: Refused, arguments: tuple[str, ...]) -> None:
    answer = refused(*arguments)
    assert (answer.code, answer.out, answer.error["code"]) == (2, "", "invalid_input")


@pytest.mark.parametrize(
    "arguments", [("users", "list", "--bogus"), ("memories", "search", "--", "otters", "--json")], ids=" ".join
)
def test_people_get_the_usage_in_words(refused: Refused, arguments: tuple[str, ...]) -> None:
    answer = refused("gateway", *arguments)
    assert answer.code == 2
    assert answer.err.startswith("Usage: beaver gateway ")


def test_a_question_that_is_answered_with_no_is_told_as_json(beaver: CommandLine) -> None:
    kept = beaver("gateway", "users", "remove", "ada", "--json", stdin="n\n")
    assert kept.code == 1
    question, error = map(json.loads, kept.err.splitlines())
    assert question == {"question": "Remove ada with every memory of theirs?"}
    assert (error["error"]["code"], kept.out) == ("aborted", "")


def test_a_question_that_nobody_can_answer_is_answered_with_no(beaver: CommandLine) -> None:
    kept = beaver("sessions", "delete", "s-1", "--json", stdin="")
    assert [next(iter(json.loads(line))) for line in kept.err.splitlines()] == ["question", "error"]
    assert kept.code == 1
