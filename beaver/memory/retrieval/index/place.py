"""Where a search looks, and how the memory there stands: one statement."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from sqlalchemy import and_, bindparam, select

from beaver.db.engine import Transaction
from beaver.memory.namespace import Namespace
from beaver.memory.records import Question
from beaver.memory.retrieval.index.index_store import Revision
from beaver.memory.tables import conversations, namespaces
from beaver.schemas.gateway import Scope

# Made once: to build a statement costs as much as to run it.
_STANDING: Final = (
    select(
        namespaces.c.id,
        conversations.c.id,
        namespaces.c.revision,
        (namespaces.c.rewrites - namespaces.c.replacements).label("rewrites"),
    )
    .outerjoin(
        conversations,
        and_(conversations.c.namespace_id == namespaces.c.id, conversations.c.session_id == bindparam("session_id")),
    )
    .where(
        namespaces.c.user_id == bindparam("user_id"),
        namespaces.c.app_id == bindparam("app_id"),
        namespaces.c.project_id == bindparam("project_id"),
    )
)


@dataclass(frozen=True)
class Place:
    """The namespace, its number and revision; the current chat's number if it has one; the scopes."""

    namespace: Namespace
    namespace_id: int
    revision: Revision
    conversation_id: int | None
    scopes: tuple[Scope, ...]


async def find_place(tx: Transaction, namespace: Namespace, question: Question) -> Place | None:
    """None when nothing was ever stored there."""
    asked = {
        "user_id": namespace.user_id,
        "app_id": namespace.app_id,
        "project_id": namespace.project_id,
        "session_id": question.session_id,
    }
    row = (await tx.execute(_STANDING, asked)).one_or_none()
    return None if row is None else Place(namespace, row[0], Revision(row[2], row[3]), row[1], question.scopes)
