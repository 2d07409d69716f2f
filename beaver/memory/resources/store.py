"""SQL of documents, and of the vectors that a document's passages keep when it is put anew."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from sqlalchemy import bindparam, insert, select, update

from beaver.db.engine import Transaction
from beaver.memory.records import NewDocument
from beaver.memory.tables import documents, embedding_pieces, embeddings, passages


@dataclass(frozen=True)
class Known:
    """A document that is stored."""

    id: str
    title: str
    content: str


@dataclass(frozen=True)
class KnownPassage:
    """Characters [start, start + length) of a stored document, and where it says that they stand."""

    id: int
    start: int
    length: int
    section: str | None
    page: int | None


async def find_document(tx: Transaction, namespace_id: int, uri: str) -> Known | None:
    """The document under a URI."""
    mine = (documents.c.namespace_id == namespace_id, documents.c.uri == uri)
    found = (await tx.execute(select(documents.c.id, documents.c.title, documents.c.content).where(*mine))).first()
    return None if found is None else Known(*found)


async def passages_of(
    tx: Transaction, namespace_id: int, document_id: str, after_id: int = 0
) -> Sequence[KnownPassage]:
    """The document's passages with a higher id, in the order of its words."""
    columns = passages.c
    read = select(columns.id, columns.start, columns.length, columns.section, columns.page).where(
        columns.namespace_id == namespace_id, columns.document_id == document_id, columns.id > after_id
    )
    return [KnownPassage(*row) for row in await tx.execute(read.order_by(columns.position))]


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


async def copy_vectors(tx: Transaction, pairs: Sequence[tuple[int, int]]) -> None:
    """Give each second passage the vectors, of every model, of the first (ids); the second has none yet."""
    if not pairs:
        return
    named = [{"old_id": old_id, "new_id": new_id} for old_id, new_id in pairs]
    await tx.execute(_COPIED, named)
    await tx.execute(_PIECES_COPIED, named)


# New rows: whoever holds the index in memory asks for vectors by ids that rise.
_CARRIED: Final = ("namespace_id", "model", "dimensions", "vector", "piece_ids", "created_ms")
_COPIED: Final = insert(embeddings).from_select(
    ["passage_id", *_CARRIED],
    select(bindparam("new_id", type_=passages.c.id.type), *(embeddings.c[name] for name in _CARRIED)).where(
        embeddings.c.passage_id == bindparam("old_id")
    ),
    include_defaults=False,
)
_old, _new = embeddings.alias("old"), embeddings.alias("new")
_PIECES_COPIED: Final = insert(embedding_pieces).from_select(
    ["embedding_id", "namespace_id", "pieces"],
    select(_new.c.id, _new.c.namespace_id, embedding_pieces.c.pieces)
    .join(_old, _old.c.id == embedding_pieces.c.embedding_id)
    .join(_new, (_new.c.model == _old.c.model) & (_new.c.passage_id == bindparam("new_id")))
    .where(_old.c.passage_id == bindparam("old_id")),
    include_defaults=False,
)
