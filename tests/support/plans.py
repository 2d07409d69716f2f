"""Statements as a database is asked them, and how it means to go about one: a test of speed by the plan, not by the clock."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlalchemy import event

from beaver.db.engine import Database, Transaction


@dataclass(frozen=True)
class Told:
    """A statement and its parameters, as the driver gets them."""

    statement: str
    parameters: Any


def statements_of(database: Database) -> list[Told]:
    """What the database is asked from now on, as it comes."""
    told: list[Told] = []
    event.listen(
        database.engine.sync_engine,
        "before_cursor_execute",
        lambda _connection, _cursor, statement, parameters, _context, _many: told.append(Told(statement, parameters)),
    )
    return told


async def plan_of(tx: Transaction, told: Told) -> list[str]:
    """The plan, a step each. PostgreSQL's hangs on what it has counted."""
    explain = "EXPLAIN QUERY PLAN" if tx.dialect.name == "sqlite" else "EXPLAIN"
    steps = await tx.exec_driver_sql(f"{explain} {told.statement}", told.parameters)
    return [str(step[-1]) for step in steps]
