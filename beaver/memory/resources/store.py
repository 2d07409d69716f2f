"""SQL of documents."""

from __future__ import annotations

from sqlalchemy import insert, select, update

from beaver.db.engine import Transaction
from beaver.memory.records import NewDocument
from beaver.memory.tables import documents


async def find_document(tx: Transaction, namespace_id: int, uri: str) -> str | None:
    """The id of the document under a URI."""
    found: str | None = await tx.scalar(
        select(documents.c.id).where(documents.c.namespace_id == namespace_id, documents.c.uri == uri)
    )
    return found


async def add_document(
    tx: Transaction, namespace_id: int, document_id: str, document: NewDocument, now_ms: int
) -> None:
    """Store a document under a URI that is free."""
    await tx.execute(
        insert(documents).values(
            id=document_id,
            namespace_id=namespace_id,
            uri=document.uri,
            title=document.title,
            content=document.content,
            created_ms=now_ms,
            updated_ms=now_ms,
        )
    )


async def replace_document(
    tx: Transaction, namespace_id: int, document_id: str, document: NewDocument, now_ms: int
) -> None:
    """Give a stored document new words."""
    await tx.execute(
        update(documents)
        .where(documents.c.namespace_id == namespace_id, documents.c.id == document_id)
        .values(title=document.title, content=document.content, updated_ms=now_ms)
    )
