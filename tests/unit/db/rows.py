"""Rows of one table, for tests of the door itself."""

from __future__ import annotations

from sqlalchemy import insert, select

from beaver.db.engine import Database
from beaver.db.tables import sessions


async def write_row(database: Database, session_id: str) -> None:
    async with database.write() as tx:
        await tx.execute(insert(sessions).values(**a_row(session_id)))


async def row_ids(database: Database) -> list[str]:
    async with database.read() as tx:
        return list(await tx.scalars(select(sessions.c.id).order_by(sessions.c.id)))


def a_row(session_id: str) -> dict[str, object]:
    return {"id": session_id, "created_ms": 1, "updated_ms": 1}
