"""Ids sort by birth, and a session id keeps its rule."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from beaver.errors import InvalidInput
from beaver.ids import SESSION_ID_LENGTH_MAX, new_id, validate_session_id


def test_a_new_id_has_its_prefix_and_a_fixed_form() -> None:
    assert re.fullmatch(r"run_[0-9a-f]{28}", new_id("run"))
    validate_session_id(new_id("session"))


def test_new_ids_differ_and_those_of_later_milliseconds_sort_later() -> None:
    ids = [new_id("run") for _ in range(2000)]

    assert len(set(ids)) == len(ids)
    births = [one[:16] for one in ids]
    assert births == sorted(births)


@pytest.mark.parametrize(
    "session_id",
    ["a", "chat-1", "user:42", "2026.11.27", "..hidden", "日本語", "with space", "é", "x" * SESSION_ID_LENGTH_MAX],
)
def test_a_sound_session_id_is_returned_unchanged(session_id: str) -> None:
    assert validate_session_id(session_id) == session_id


@pytest.mark.parametrize(
    ("session_id", "rule"),
    [
        ("", "must not be blank"),
        (" \t", "must not be blank"),
        ("x" * (SESSION_ID_LENGTH_MAX + 1), "must be at most 256 characters"),
        ("a\nb", "must not hold control, format or unassigned characters"),
        ("a\x00b", "must not hold control, format or unassigned characters"),
        ("a\u202eb", "must not hold control, format or unassigned characters"),
        ("a\u200bb", "must not hold control, format or unassigned characters"),
        ("a\u2028b", "must not hold control, format or unassigned characters"),
        ("a\ud800b", "must not hold control, format or unassigned characters"),
        ("../secrets", "must not hold path parts"),
        ("a/b", "must not hold path parts"),
        ("a\\b", "must not hold path parts"),
        ("..", "must not hold path parts"),
        (".", "must not hold path parts"),
    ],
)
def test_a_broken_session_id_names_the_rule(session_id: str, rule: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        validate_session_id(session_id, field="conversation")

    assert (caught.value.field, caught.value.rule) == ("conversation", rule)


@settings(deadline=None)
@given(st.text(st.characters(), max_size=20))
def test_what_passes_can_be_a_file_name_and_a_log_line(session_id: str) -> None:
    try:
        validate_session_id(session_id)
    except InvalidInput as error:
        assert error.rule.startswith("must ")  # noqa: PT017
        return
    assert session_id.splitlines() == [session_id]
    session_id.encode()
    assert not set(session_id) & set("/\\\n\x00")
