"""SQL of passages that others replace: they leave the index, and whoever holds it in memory is told so.

A turn writes its session's summary anew, a resource is put anew. If a process read its whole index again for that, each search
after would be a first one. An observation or a resource that somebody forgets or edits goes the same way: nothing of what it said
stays in memory. A message does not: it has neighbours, and the index does not keep by what word pieces to lessen its counts
(`rewrite_namespace`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from sqlalchemy import ColumnElement, bindparam, delete, func, insert, select

from beaver.db.engine import Transaction
from beaver.memory.retrieval.store import remove_passages
from beaver.memory.tables import passages, retired_passages
from beaver.memory.users.store import advance_namespace, replace_in_namespace, rewrite_namespace

REVISIONS_KEPT: Final = 10_000
"""For how many of a namespace's writes it is noted what they retired."""
NOTES_MAX: Final = 50_000
"""How many passages of a namespace are noted: a document has thousands. Beyond, all is read anew."""
COUNTED_FROM: Final = 5
"""So few at once come to no more than that by themselves."""


async def retire_passages(tx: Transaction, namespace_id: int, mine: ColumnElement[bool]) -> None:
    """Remove passages of the namespace that a condition names, from the index too. They have no neighbours: of a conversation
    or a document none may be retired. The transaction has the namespace's turn to write until it ends.
    """
    await _retire(tx, namespace_id, mine, await advance_namespace(tx, namespace_id))


async def retire_document(tx: Transaction, namespace_id: int, document_id: str, upto_id: int | None = None) -> None:
    """As `retire_passages`, all of a document, or those with an id up to this one. A process of an older release cannot retire
    these, and reads all anew."""
    mine = passages.c.document_id == document_id
    if upto_id is not None:
        mine &= passages.c.id <= upto_id
    await _retire(tx, namespace_id, mine, await replace_in_namespace(tx, namespace_id))


async def _retire(tx: Transaction, namespace_id: int, mine: ColumnElement[bool], revision: int) -> None:
    removed = await remove_passages(tx, (passages.c.namespace_id == namespace_id) & mine)
    if not removed:
        return
    if len(removed) >= COUNTED_FROM and await _count_notes(tx, namespace_id) + len(removed) > NOTES_MAX:
        await rewrite_namespace(tx, namespace_id)
        await _forget_notes(tx, namespace_id, revision)
        return
    own = {"namespace_id": namespace_id, "revision": revision}
    await tx.execute(insert(retired_passages), [{**own, "passage_id": each} for each in removed])
    await _forget_notes(tx, namespace_id, revision - REVISIONS_KEPT)


async def _count_notes(tx: Transaction, namespace_id: int) -> int:
    mine = select(func.count()).select_from(retired_passages).where(retired_passages.c.namespace_id == namespace_id)
    return await tx.scalar(mine) or 0


async def _forget_notes(tx: Transaction, namespace_id: int, upto: int) -> None:
    noted = retired_passages.c
    await tx.execute(delete(retired_passages).where(noted.namespace_id == namespace_id, noted.revision <= upto))


def is_noted(since: int, now: int) -> bool:
    """Whether all that was retired between two revisions of a namespace is noted."""
    return now - since < REVISIONS_KEPT


async def retired_since(tx: Transaction, namespace_id: int, revision: int) -> Sequence[int]:
    """The ids of passages that were retired after a revision for which that is noted."""
    return (await tx.scalars(_SINCE, {"namespace": namespace_id, "since": revision})).all()


# Made once: the first search after each turn asks it, and to build a statement costs as much as to run it.
_SINCE: Final = select(retired_passages.c.passage_id).where(
    retired_passages.c.namespace_id == bindparam("namespace"), retired_passages.c.revision > bindparam("since")
)
