"""A database file that is taken away, or exchanged, while a process has it open."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from beaver.db.engine import Database
from beaver.errors import Unavailable
from tests.unit.db.rows import row_ids, write_row


@pytest.fixture
def file(tmp_path: Path, sqlite_database: Database) -> Path:
    return tmp_path / "sessions.db"


def take_away(file: Path) -> None:
    for each in file.parent.glob(f"{file.name}*"):
        each.unlink()


async def test_nothing_is_written_where_nobody_looks(sqlite_database: Database, file: Path) -> None:
    await write_row(sqlite_database, "a")
    take_away(file)
    with pytest.raises(Unavailable, match="its file is gone"):
        await write_row(sqlite_database, "b")
    with pytest.raises(Unavailable, match="its file is gone"):
        await row_ids(sqlite_database)
    assert list(file.parent.glob(f"{file.name}*")) == []


async def test_a_file_put_in_its_place_is_used_from_then_on(sqlite_database: Database, file: Path) -> None:
    await write_row(sqlite_database, "a")
    await sqlite_database.empty_log()
    backup = file.with_name("backup")
    shutil.copy(file, backup)
    await write_row(sqlite_database, "b")
    take_away(file)
    with pytest.raises(Unavailable):
        await row_ids(sqlite_database)
    backup.rename(file)
    await write_row(sqlite_database, "c")
    assert await row_ids(sqlite_database) == ["a", "c"]
    again = Database.open(f"sqlite:///{file}")
    assert await row_ids(again) == ["a", "c"]
    await again.close()
