"""One trip to a connection's thread: what waits there for a busy file, and what must not."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from beaver.db import sqlite_driver
from beaver.db.sqlite_driver import execute

HELD_S = 0.3


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    """To a file that another connection has to itself for a moment."""
    path = tmp_path / "busy.db"
    with sqlite3.connect(path, isolation_level=None) as plain:
        plain.execute("CREATE TABLE notes (id INTEGER)")
        plain.execute("INSERT INTO notes VALUES (1)")
    opened = sqlite3.connect(path, isolation_level=None, timeout=0)
    other = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    other.execute("BEGIN EXCLUSIVE")
    release = threading.Timer(HELD_S, other.rollback)
    release.start()
    yield opened
    release.join()
    for each in (opened, other, plain):
        each.close()


def test_a_select_alone_waits_for_a_busy_file(connection: sqlite3.Connection) -> None:
    begun = time.monotonic()
    _, rows = execute(connection, "SELECT id FROM notes", ())
    assert list(rows) == [(1,)]
    assert time.monotonic() - begun > HELD_S / 2


@pytest.mark.parametrize("operation", ["BEGIN IMMEDIATE", "INSERT INTO notes VALUES (2)"])
def test_what_writes_or_begins_is_told_at_once(connection: sqlite3.Connection, operation: str) -> None:
    with pytest.raises(sqlite3.OperationalError, match="locked"):
        execute(connection, operation, ())


def test_a_file_that_stays_busy_is_told(connection: sqlite3.Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite_driver, "BUSY_BUDGET_S", HELD_S / 10)
    with pytest.raises(sqlite3.OperationalError, match="locked"):
        execute(connection, "SELECT id FROM notes", ())
