"""SQL of passages that others replace: they leave the index, and whoever holds it in memory is told so.

A turn writes its session's summary anew. If a process read its whole index again for that, each search after a turn would be
a first one. What somebody forgets or edits is another matter: of that nothing may stay in memory (`rewrite_namespace`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from sqlalchemy import ColumnElement, delete, insert, select

from beaver.db.engine import Transaction
from beaver.memory.retrieval.store import remove_passages
from beaver.memory.tables import passages, retired_passages
from beaver.memory.users.store import advance_namespace

REVISIONS_KEPT: Final = 10_000
"""For how many of a namespace's writes it is noted what they retired."""


async def retire_passages(tx: Transaction, namespace_id: int, mine: ColumnElement[bool]) -> None:
    """Remove passages of the namespace that a condition names, from the index too. They have no neighbours: of a conversation
    or a document none may be retired. The transaction has the namespace's turn to write until it ends.
    """
    revision = await advance_namespace(tx, namespace_id)
    removed = await remove_passages(tx, (passages.c.namespace_id == namespace_id) & mine)
    own, noted = {"namespace_id": namespace_id, "revision": revision}, retired_passages.c
    if removed:
        await tx.execute(insert(retired_passages), [{**own, "passage_id": each} for each in removed])
        old = (noted.namespace_id == namespace_id) & (noted.revision <= revision - REVISIONS_KEPT)
        await tx.execute(delete(retired_passages).where(old))


def is_noted(since: int, now: int) -> bool:
    """Whether all that was retired between two revisions of a namespace is noted."""
    return now - since < REVISIONS_KEPT


async def retired_since(tx: Transaction, namespace_id: int, revision: int) -> Sequence[int]:
    """The ids of passages that were retired after a revision for which that is noted."""
    noted = retired_passages.c
    newer = (noted.namespace_id == namespace_id) & (noted.revision > revision)
    return (await tx.scalars(select(noted.passage_id).where(newer))).all()
