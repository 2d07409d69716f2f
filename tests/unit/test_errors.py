"""The error tree: every kind has its code, its HTTP status and its exit code."""

from __future__ import annotations

import pytest

import beaver.client.gateway
import beaver.sessions.leases  # noqa: F401  (kinds of their own)
from beaver.errors import (
    STATUS_AND_EXIT,
    BeaverError,
    ConfigError,
    DeadlineExceeded,
    InvalidInput,
    Unavailable,
    exit_code,
    http_status,
)


def kinds(root: type[BeaverError] = BeaverError) -> list[type[BeaverError]]:
    return [root, *(kind for child in root.__subclasses__() for kind in kinds(child))]


def test_every_kind_is_in_the_table_and_the_table_holds_no_other() -> None:
    assert {kind.code for kind in kinds()} == set(STATUS_AND_EXIT)


def test_statuses_and_exit_codes_are_those_of_failures() -> None:
    assert [code for code, (status, _) in STATUS_AND_EXIT.items() if not 400 <= status <= 599] == []
    assert [code for code, (_, exits) in STATUS_AND_EXIT.items() if not 1 <= exits <= 125] == []


def test_only_what_may_work_later_is_retryable() -> None:
    retryable = {kind.code for kind in kinds() if kind.retryable}

    assert retryable == {"limit_exceeded", "unavailable", "deadline_exceeded"}


@pytest.mark.parametrize(
    ("error", "status", "exits"),
    [
        (InvalidInput("prompt", "must not be blank"), 400, 2),
        (ConfigError("memory.mode", "is wrong"), 500, 78),
        (Unavailable("down"), 503, 69),
        (DeadlineExceeded("late"), 504, 69),
        (BeaverError("?"), 500, 1),
    ],
)
def test_an_error_has_its_status_and_exit_code(error: BeaverError, status: int, exits: int) -> None:
    assert (http_status(error), exit_code(error)) == (status, exits)


def test_broken_input_names_field_and_rule() -> None:
    error = InvalidInput("session_id", "must not be blank")

    assert (str(error), error.field, error.rule) == ("session_id: must not be blank", "session_id", "must not be blank")
