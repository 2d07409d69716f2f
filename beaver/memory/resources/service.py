"""Storing documents."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Final

from beaver.clock import Clock
from beaver.db.engine import Database, Transaction
from beaver.ids import IdSource
from beaver.memory.idempotency import store as receipts
from beaver.memory.idempotency.identity import RequestIdentity
from beaver.memory.namespace import Namespace, validate_name
from beaver.memory.records import NewDocument, StoredDocument
from beaver.memory.resources import store
from beaver.memory.retrieval.chunking import IndexedSpan, indexed_spans
from beaver.memory.retrieval.retiring import retire_document
from beaver.memory.retrieval.store import NewPassage, add_passages
from beaver.memory.stored_text import storable
from beaver.memory.users.store import ensure_namespace

URI_LENGTH_MAX: Final = 2048
TITLE_LENGTH_MAX: Final = 512


class ResourceService:
    """Documents by URI."""

    def __init__(self, database: Database, clock: Clock, new_id: IdSource) -> None:
        self._database = database
        self._clock = clock
        self._new_id = new_id

    async def put(
        self, namespace: Namespace, document: NewDocument, identity: RequestIdentity | None = None
    ) -> StoredDocument:
        """Store a document; the same URI again replaces it whole, so that a search sees the old one or the new one.

        Raises InvalidInput for a URI or title that breaks a rule, Conflict for a known key with another request.
        """
        kept = _checked(document)
        now_ms = self._clock()
        spans = await asyncio.to_thread(indexed_spans, kept.content, kept.title, observed_ms=now_ms)
        async with self._database.write() as tx:
            namespace_id = await ensure_namespace(tx, namespace, now_ms)
            known = await receipts.claim_receipt(tx, identity, {}, now_ms)
            if known is not None:
                return StoredDocument(known["passages"], known["replaced"])
            document_id, replaced = await self._put(tx, namespace_id, kept, now_ms)
            await add_passages(tx, namespace_id, _passages(document_id, spans, now_ms))
            receipt = {"passages": len(spans), "replaced": replaced}
            await receipts.amend_receipt(tx, identity, receipt)
        return StoredDocument(len(spans), replaced)

    async def _put(self, tx: Transaction, namespace_id: int, document: NewDocument, now_ms: int) -> tuple[str, bool]:
        known = await store.find_document(tx, namespace_id, document.uri)
        if known is None:
            document_id = self._new_id("doc")
            await store.add_document(tx, namespace_id, document_id, document, now_ms)
            return document_id, False
        await retire_document(tx, namespace_id, known)
        await store.replace_document(tx, namespace_id, known, document, now_ms)
        return known, True


def _checked(document: NewDocument) -> NewDocument:
    validate_name(document.uri, "uri", characters_max=URI_LENGTH_MAX)
    if document.title.strip():
        validate_name(document.title, "title", characters_max=TITLE_LENGTH_MAX)
    return NewDocument(document.uri, document.title.strip(), storable(document.content))


def _passages(document_id: str, spans: Sequence[IndexedSpan], now_ms: int) -> list[NewPassage]:
    return [
        NewPassage(indexed=indexed, position=position, observed_ms=now_ms, document_id=document_id)
        for position, indexed in enumerate(spans)
    ]
