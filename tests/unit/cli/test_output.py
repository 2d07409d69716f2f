"""What is printed for people."""

from __future__ import annotations

import json

import pytest

from beaver.cli.output import one_line, print_json, print_rows, when
from beaver.text import printable


def test_control_characters_of_stored_words_never_reach_the_terminal() -> None:
    assert printable("a\x1b[31mb\x07c\x9bd\r\n\te") == "a[31mbcd\n\te"


def test_stored_words_do_not_turn_the_order_of_a_line_around() -> None:
    assert printable("paid \u202e001\u202c to \u2067you\u2069") == "paid 001 to you"
    assert printable("שלום \u200f(1)") == "שלום \u200f(1)"


def test_json_for_programs_may_be_read_at_a_terminal_too(capsys: pytest.CaptureFixture[str]) -> None:
    words = "a\x1b]0;b\x07\x9b2J\x9d\x7f\u202ec\u2029\ud800 河狸"
    print_json({"words": words})
    printed = capsys.readouterr().out
    assert json.loads(printed) == {"words": words}
    assert printed.rstrip("\n").isprintable()
    assert "河狸" in printed


def test_a_cell_is_one_short_line() -> None:
    assert one_line("two\nlines") == "two lines"
    assert one_line("x" * 200) == "x" * 99 + "…"
    assert one_line(None) == ""


def test_columns_are_aligned_for_wide_characters_too(capsys: pytest.CaptureFixture[str]) -> None:
    print_rows([{"name": "河狸", "n": 1}, {"name": "ab", "n": 2}], ("name", "n"), empty="none")
    assert capsys.readouterr().out == "name  n\n河狸  1\nab    2\n"


def test_no_rows_are_said_in_words(capsys: pytest.CaptureFixture[str]) -> None:
    print_rows([], ("name",), empty="Nothing here yet.")
    assert capsys.readouterr().out == "Nothing here yet.\n"


def test_times_are_utc() -> None:
    assert when(0) == "1970-01-01 00:00:00"
    assert when(None) == ""
