"""What `beaver up` shows at a terminal, in a file, and to a program."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console
from rich.live import Live

from beaver.cli.part_finding import PartFinding
from beaver.cli.up_report import JsonReport, PlainReport, Report, TableReport, status_table
from beaver.embedded.supervisor import PartStatus

READY = PartStatus("gateway", "ready", "http://127.0.0.1:8010", pid=7)
MISSING = PartFinding("warning", "worker", "does not run [yet]", "Add a user.")
DEAD = PartStatus("worker", "restarting", "", restarts=2, detail="was ended by SIGKILL; see [logs]/worker.log")


def tell(report: Report) -> None:
    report.part(READY)
    report.part(DEAD)
    report.provisioned(Path("/home/anna/[x]/config.json"))
    report.warning("The Memory Gateway is off")
    report.note("Only extracts")
    report.ready([READY], [])
    report.stopping()
    report.stopped()


def test_programs_get_one_json_object_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    tell(JsonReport())
    told = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [event["event"] for event in told] == [
        *("part", "part", "provisioned", "warning", "note", "ready", "stopping", "stopped")
    ]
    assert told[-3]["missing"] == []
    assert (told[0]["state"], told[0]["pid"], told[0]["detail"]) == ("ready", 7, None)
    assert (told[1]["restarts"], told[1]["detail"]) == (2, DEAD.detail)


def test_a_file_gets_plain_lines(capsys: pytest.CaptureFixture[str]) -> None:
    tell(PlainReport())
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "gateway: ready, http://127.0.0.1:8010"
    assert lines[1] == f"worker: restarting ({DEAD.detail})"
    assert "/home/anna/[x]/config.json" in lines[2]
    assert "Only extracts" in lines
    assert lines[-1] == "Stopped."


def test_what_does_not_serve_is_said_last_and_nothing_is_called_ready(capsys: pytest.CaptureFixture[str]) -> None:
    PlainReport().ready([READY], [MISSING])
    shown = capsys.readouterr().out
    screen = io.StringIO()
    with Live(console=Console(file=screen, width=200, force_terminal=False), auto_refresh=False) as live:
        TableReport(live).ready([READY], [MISSING])
    for lines in (shown.splitlines(), [line for line in screen.getvalue().splitlines() if line.strip()]):
        assert lines[0].strip() == "! worker: does not run [yet]"
        assert lines[1].strip() == "Add a user."
        assert lines[2].startswith("Only partly ready, as said above")
    JsonReport().ready([READY], [MISSING])
    told = json.loads(capsys.readouterr().out)
    assert told["event"] == "ready"
    assert told["missing"] == [{"part": "worker", "message": "does not run [yet]", "next_step": "Add a user."}]


def test_why_a_part_starts_again_is_said_once(capsys: pytest.CaptureFixture[str]) -> None:
    report = PlainReport()
    for state in ("restarting", "starting"):
        report.part(replace(DEAD, state=state))
    assert capsys.readouterr().out.splitlines() == [f"worker: restarting ({DEAD.detail})", "worker: starting"]


def test_a_terminal_gets_a_table_and_what_happens_once_above_it() -> None:
    screen = io.StringIO()
    console = Console(file=screen, width=200, force_terminal=False)
    with Live(console=console, auto_refresh=False) as live:
        tell(TableReport(live))
    shown = screen.getvalue()
    assert "/home/anna/[x]/config.json" in shown
    assert "warning: The Memory Gateway is off" in shown
    assert "Only extracts" in shown
    table = io.StringIO()
    Console(file=table, width=200).print(status_table([READY, DEAD]))
    assert "http://127.0.0.1:8010" in table.getvalue()
    assert "[logs]/worker.log" in table.getvalue()


def test_a_folder_of_any_name_and_a_part_of_any_last_words_leave_the_screen_in_order(
    capsys: pytest.CaptureFixture[str],
) -> None:
    queue = replace(DEAD, address="unix:/home/[/anna]/valkey.sock", detail="said \x1b[2J\u202elast")
    table = io.StringIO()
    Console(file=table, width=200).print(status_table([queue]))
    PlainReport().part(queue)
    assert "/home/[/anna]/valkey.sock" in table.getvalue()
    for shown in (table.getvalue(), capsys.readouterr().out):
        assert "said [2Jlast" in shown
