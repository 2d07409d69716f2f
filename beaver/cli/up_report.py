"""What `beaver up` shows: a live table at a terminal, plain lines elsewhere, one JSON line a change for programs."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, Protocol

from rich.console import Console
from rich.live import Live
from rich.markup import escape
from rich.table import Table

from beaver.cli.part_finding import PartFinding
from beaver.embedded.supervisor import PartStatus
from beaver.text import json_line, printable

_STYLES: Final = {"ready": "green", "starting": "yellow", "restarting": "red", "stopping": "yellow", "stopped": "dim"}

READY: Final = 'Ready: try `beaver chat -m "Hello"` in another terminal. Ctrl-C stops everything.'
PARTLY_READY: Final = (
    'Only partly ready, as said above, but the chat serves: `beaver chat -m "Hello"` in another terminal. '
    "Ctrl-C stops everything."
)
STOPPING: Final = "Stopping: every part finishes what it has in hand. Ctrl-C again kills them."
STOPPED: Final = "Stopped."


class Report(Protocol):
    """Told of everything that happens to an instance, in order. Never raises for what it is told; returns at once."""

    def part(self, status: PartStatus) -> None:
        """A part changed."""

    def provisioned(self, config: Path) -> None:
        """A first configuration was written."""

    def warning(self, text: str) -> None:
        """Something that the operator should know; the parts go on."""

    def note(self, text: str) -> None:
        """Something that is as configured, and that a person may not expect."""

    def ready(self, parts: Sequence[PartStatus], missing: Sequence[PartFinding]) -> None:
        """Every part serves; `missing` is what the instance does without all the same."""

    def stopping(self) -> None:
        """The drain begins."""

    def stopped(self) -> None:
        """Every part has ended."""


@contextmanager
def choose_report(*, as_json: bool) -> Iterator[Report]:
    """The report that fits the caller and the terminal."""
    if as_json:
        yield JsonReport()
    elif sys.stdout.isatty():
        with Live(console=Console(), auto_refresh=False) as live:
            yield TableReport(live)
    else:
        yield PlainReport()


class JsonReport:
    """One JSON object a line."""

    def part(self, status: PartStatus) -> None:
        self._say(
            "part",
            part=status.name,
            state=status.state,
            address=status.address,
            pid=status.pid,
            restarts=status.restarts,
            detail=status.detail or None,
        )

    def provisioned(self, config: Path) -> None:
        self._say("provisioned", config=str(config))

    def warning(self, text: str) -> None:
        self._say("warning", message=text)

    def note(self, text: str) -> None:
        self._say("note", message=text)

    def ready(self, parts: Sequence[PartStatus], missing: Sequence[PartFinding]) -> None:
        self._say(
            "ready",
            parts={status.name: status.address for status in parts},
            missing=[{"part": each.part, "message": each.message, "next_step": each.next_step} for each in missing],
        )

    def stopping(self) -> None:
        self._say("stopping")

    def stopped(self) -> None:
        self._say("stopped")

    def _say(self, event: str, **fields: Any) -> None:
        sys.stdout.write(json_line({"event": event, **fields}) + "\n")
        sys.stdout.flush()


class PlainReport:
    """One line a change."""

    def part(self, status: PartStatus) -> None:
        if status.state == "ready":
            self._say(f"{status.name}: ready, {status.address}")
        elif status.state == "starting":  # why again was said when it ended
            self._say(f"{status.name}: starting")
        else:
            self._say(f"{status.name}: {status.state}" + (f" ({status.detail})" if status.detail else ""))

    def provisioned(self, config: Path) -> None:
        self._say(provisioned_text(config))

    def warning(self, text: str) -> None:
        self._say(f"warning: {text}")

    def note(self, text: str) -> None:
        self._say(text)

    def ready(self, parts: Sequence[PartStatus], missing: Sequence[PartFinding]) -> None:  # noqa: ARG002 - told already
        for line in ready_lines(missing):
            self._say(line)

    def stopping(self) -> None:
        self._say(STOPPING)

    def stopped(self) -> None:
        self._say(STOPPED)

    def _say(self, line: str) -> None:
        sys.stdout.write(printable(line) + "\n")
        sys.stdout.flush()


class TableReport:
    """A table that follows the parts; what happens once stands above it."""

    def __init__(self, live: Live) -> None:
        self._live = live
        self._statuses: dict[str, PartStatus] = {}

    def part(self, status: PartStatus) -> None:
        self._statuses[status.name] = status
        self._live.update(status_table(list(self._statuses.values())), refresh=True)

    def provisioned(self, config: Path) -> None:
        self._say(escape(provisioned_text(config)))

    def warning(self, text: str) -> None:
        self._say(f"[yellow]warning[/yellow]: {escape(text)}")

    def note(self, text: str) -> None:
        self._say(escape(text))

    def ready(self, parts: Sequence[PartStatus], missing: Sequence[PartFinding]) -> None:  # noqa: ARG002 - told already
        for line in ready_lines(missing):
            self._say(escape(line))

    def stopping(self) -> None:
        self._say(STOPPING)

    def stopped(self) -> None:
        self._say(STOPPED)

    def _say(self, line: str) -> None:
        self._live.console.print(printable(line), highlight=False)


def provisioned_text(config: Path) -> str:
    """Says that a configuration was made, and what is in it."""
    return (
        f"No configuration was here, so I made {config}: a local user and key at this folder's Memory Gateway, "
        "memory mode hybrid over all scopes. The key in it is a secret; only you can read the file."
    )


def ready_lines(missing: Sequence[PartFinding]) -> list[str]:
    """What is missing, each with its next step as `beaver check` tells it; then that all serves, or that not all does."""
    if not missing:
        return [READY]
    told = [
        line for each in missing for line in (f"! {each.part}: {each.message}", f"  {each.next_step or ''}".rstrip())
    ]
    return [*filter(None, told), PARTLY_READY]


def status_table(statuses: Sequence[PartStatus]) -> Table:
    """The parts as a table."""
    table = Table("part", "state", "where", "process", "restarts", "note", box=None, pad_edge=False)
    for status in statuses:
        style = _STYLES[status.state]
        pid = "" if status.pid is None else str(status.pid)
        table.add_row(
            status.name,
            f"[{style}]{status.state}[/]",
            escape(printable(status.address)),
            pid,
            str(status.restarts),
            escape(printable(status.detail)),
        )
    return table
