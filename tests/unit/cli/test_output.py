"""What is printed for people."""

from __future__ import annotations

import pytest

from beaver.cli.output import one_line, print_rows, printable, when


def test_control_characters_of_stored_words_never_reach_the_terminal() -> None:
    assert printable("a\x1b[31mb\x07c\x9bd\r\n\te") == "a[31mbcd\n\te"


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
