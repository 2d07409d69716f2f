"""Requests: errors name fields and rules, never what was sent."""

from __future__ import annotations

from typing import Any

import pytest

from beaver.errors import InvalidInput, InvalidJson, PayloadTooLarge, http_status
from beaver.gateway.problems import problem_of
from beaver.gateway.requests import parse_json, parse_request
from beaver.schemas.gateway import FlushRequest

WHOLE = {"user_id": "ada", "user_key": "uk_x", "session_id": "chat:s"}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"session_id": None}, "session_id: must be a string"),
        ({"session_id": 5}, "session_id: must be a string"),
        ({"user_key": ["uk_secret"]}, "user_key: must be a string"),
        ({"colour": "secret"}, "colour: is not a known key"),
        ({"uk_0RtQeKXF8v6tnk2EMyYjeP9pmZKS": 1}, "(a key): is not a known key"),
        ({"my dog is called Rex": 1}, "(a key): is not a known key"),
    ],
)
def test_the_first_broken_rule_is_named_without_a_value(change: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInput) as raised:
        parse_request(FlushRequest, {**WHOLE, **change})
    assert str(raised.value) == message
    assert raised.value.__cause__ is None
    assert raised.value.__suppress_context__


def test_a_missing_field_is_required() -> None:
    with pytest.raises(InvalidInput, match="session_id: is required"):
        parse_request(FlushRequest, {name: WHOLE[name] for name in ("user_id", "user_key")})


def test_a_number_with_thousands_of_digits_is_no_json_to_us() -> None:
    with pytest.raises(InvalidJson):
        parse_json(b"9" * 5000)


def test_the_servers_own_codes_have_their_status() -> None:
    for error, code, status in [
        (InvalidJson(), "invalid_json", 400),
        (PayloadTooLarge(10), "payload_too_large", 413),
        (InvalidInput("a", "b"), "invalid_input", 400),
    ]:
        assert (problem_of(error).error.code, http_status(error)) == (code, status)
        assert problem_of(error).error.type == "invalid_request_error"
