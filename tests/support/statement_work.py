"""How much work SQLite's machine has with each statement: its own count, the same on every machine and on every run."""

from __future__ import annotations

import sqlite3
from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Final

from sqlalchemy import event

from beaver.db.engine import Database

INSTRUCTIONS_A_STEP: Final = 10


@dataclass
class Work:
    """Steps of ten instructions by statement: of all its executions together, and of the longest."""

    total: Counter[str] = field(default_factory=Counter)
    longest: Counter[str] = field(default_factory=Counter)

    def clear(self) -> None:
        """Count from now on."""
        self.total.clear()
        self.longest.clear()


@dataclass
class _Execution:
    statement: str = ""
    steps: int = 0


def work_of(database: Database) -> Work:
    """From now on, over all connections that are opened from now on."""
    work, now = Work(), dict[int, _Execution]()
    engine = database.engine.sync_engine

    @event.listens_for(engine, "connect")
    def _(connection: Any, _record: Any) -> None:
        driver: sqlite3.Connection = connection.driver_connection._conn

        def step() -> int:
            execution = now.setdefault(id(driver), _Execution())
            execution.steps += 1
            work.total[execution.statement] += 1
            work.longest[execution.statement] = max(work.longest[execution.statement], execution.steps)
            return 0

        driver.set_progress_handler(step, INSTRUCTIONS_A_STEP)

    @event.listens_for(engine, "before_cursor_execute")
    def _(connection: Any, _cursor: Any, statement: str, *_: Any) -> None:
        now[id(connection.connection.driver_connection._conn)] = _Execution(statement)

    return work
