"""SQL of staged namespaces: where a restore writes until all of it is there. No name from outside is ever theirs.

A staged namespace belongs to its user, so that it goes with them. One that is void is never written to again: whoever comes by
removes it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from sqlalchemy import ColumnElement, delete, select, update

from beaver.db.dialect import dialect_of
from beaver.db.engine import Transaction
from beaver.errors import NotFound
from beaver.memory.namespace import Namespace
from beaver.memory.tables import namespaces
from beaver.memory.users.store import user_exists

IDLE_MS: Final = 15 * 60_000
"""Nobody writes any more to what was not written to for so long: a restore writes one page after the other."""
_MARK: Final = "\x01"
"""Before the app's name: no name from outside may hold a control character."""
_VOID: Final = 0


async def stage_namespace(tx: Transaction, namespace: Namespace, now_ms: int) -> int | None:
    """Make a staged namespace that may become this one; None while there is another. Raises NotFound without its user."""
    if not await user_exists(tx, namespace.user_id):
        raise NotFound("there is no such user")
    dialect = dialect_of(tx)
    new = dialect.insert(namespaces).values(
        user_id=namespace.user_id,
        app_id=_MARK + namespace.app_id,
        project_id=namespace.project_id,
        created_ms=now_ms,
        staged_ms=dialect.now_ms(),
    )
    made: int | None = await tx.scalar(new.on_conflict_do_nothing().returning(namespaces.c.id))
    return made


async def keep_staged(tx: Transaction, namespace_id: int) -> bool:
    """Take its turn to write until the transaction ends; False when it is void, or gone."""
    kept = update(namespaces).where(namespaces.c.id == namespace_id, namespaces.c.staged_ms > _VOID)
    raised = kept.values(revision=namespaces.c.revision + 1, staged_ms=dialect_of(tx).now_ms())
    return bool((await tx.execute(raised)).rowcount)


async def publish_staged(tx: Transaction, namespace_id: int, namespace: Namespace, empty_id: int) -> bool:
    """Put it in the place of this namespace's number, which holds nothing; False when it is void, or gone.

    The transaction has the other's turn to write. The revision is higher than either's: who knows one knows that it changed.
    """
    if not await keep_staged(tx, namespace_id):
        return False
    empty = (await tx.execute(select(namespaces).where(namespaces.c.id == empty_id))).one()
    await tx.execute(delete(namespaces).where(namespaces.c.id == empty_id))
    staged = update(namespaces).where(namespaces.c.id == namespace_id)
    await tx.execute(
        staged.values(
            app_id=namespace.app_id,
            created_ms=empty.created_ms,
            revision=namespaces.c.revision + empty.revision,
            staged_ms=None,
        )
    )
    return True


async def void_staged(tx: Transaction, namespace_id: int) -> bool:
    """Have nobody write to it any more; False when it is not staged, or gone."""
    return bool(await _void(tx, namespaces.c.id == namespace_id))


async def void_staged_for(tx: Transaction, namespace: Namespace) -> int | None:
    """The same for what may become this namespace: its number, None without any."""
    found = await _void(
        tx,
        (namespaces.c.user_id == namespace.user_id)
        & (namespaces.c.app_id == _MARK + namespace.app_id)
        & (namespaces.c.project_id == namespace.project_id),
    )
    return found[0] if found else None


async def void_staged_of_user(tx: Transaction, user_id: str) -> None:
    """The same for all of a user's."""
    await _void(tx, namespaces.c.user_id == user_id)


async def void_idle_staged(tx: Transaction) -> Sequence[int]:
    """The same for all that nobody has written to for long; the numbers of these, and of those that were void already."""
    return await _void(tx, namespaces.c.staged_ms < dialect_of(tx).now_ms() - IDLE_MS)


async def remove_staged(tx: Transaction, namespace_id: int) -> None:
    """Remove its row, and what hangs on it."""
    await tx.execute(delete(namespaces).where(namespaces.c.id == namespace_id, namespaces.c.staged_ms.is_not(None)))


async def _void(tx: Transaction, which: ColumnElement[bool]) -> Sequence[int]:
    voided = update(namespaces).where(which, namespaces.c.staged_ms.is_not(None)).values(staged_ms=_VOID)
    return (await tx.scalars(voided.returning(namespaces.c.id))).all()
