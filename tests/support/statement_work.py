"""How much work SQLite's machine has with each statement: its own count, the same on every machine and on every run."""

from __future__ import annotations

import sqlite3
from collections import Counter
from typing import Any, Final

from sqlalchemy import event

from beaver.db.engine import Database

INSTRUCTIONS_A_STEP: Final = 10


def work_of(database: Database) -> Counter[str]:
    """Steps of ten instructions by statement, from now on and over all connections that are opened from now on."""
    work, now = Counter[str](), dict[int, str]()
    engine = database.engine.sync_engine

    @event.listens_for(engine, "connect")
    def _(connection: Any, _record: Any) -> None:
        driver: sqlite3.Connection = connection.driver_connection._conn

        def step() -> int:
            work[now.get(id(driver), "")] += 1
            return 0

        driver.set_progress_handler(step, INSTRUCTIONS_A_STEP)

    @event.listens_for(engine, "before_cursor_execute")
    def _(connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        now[id(connection.connection.driver_connection._conn)] = statement

    return work
