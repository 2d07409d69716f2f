"""SQL of purges: the note that traces are left, and the merging of the full-text index."""

from __future__ import annotations

from typing import Final

from sqlalchemy import delete, select, text

from beaver.db.dialect import dialect_of
from beaver.db.engine import Transaction
from beaver.memory.tables import FULLTEXT_TABLE, upkeep

_NAME: Final = "purge"
_MERGE: Final = text(f"INSERT INTO {FULLTEXT_TABLE} ({FULLTEXT_TABLE}, rank) VALUES ('merge', :pages)")  # noqa: S608
_CHANGES: Final = text("SELECT total_changes()")


async def note(tx: Transaction, token: str) -> None:
    """Keep in mind that traces are left; a newer token takes the place of an older one."""
    noted = dialect_of(tx).insert(upkeep).values(name=_NAME, holder=token, progress={})
    await tx.execute(noted.on_conflict_do_update(index_elements=["name"], set_={"holder": token}))


async def noted(tx: Transaction) -> str | None:
    """The newest token, or None when no traces are left."""
    token: str | None = await tx.scalar(select(upkeep.c.holder).where(upkeep.c.name == _NAME))
    return token


async def clear(tx: Transaction, token: str) -> None:
    """Forget the note, unless a newer one has come."""
    await tx.execute(delete(upkeep).where(upkeep.c.name == _NAME, upkeep.c.holder == token))


async def merge(tx: Transaction, pages: int) -> int:
    """Merge so many pages of the index; a negative number begins with everything. Under 2 changes: there was no more to do."""
    before = await tx.scalar(_CHANGES)
    await tx.execute(_MERGE, {"pages": pages})
    return int(await tx.scalar(_CHANGES)) - int(before)
