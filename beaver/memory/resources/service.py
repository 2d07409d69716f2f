"""Storing documents."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from typing import Final

from beaver.clock import Clock
from beaver.db.engine import Database, Transaction
from beaver.ids import IdSource
from beaver.memory.embedding.texts import document_text
from beaver.memory.idempotency import store as receipts
from beaver.memory.idempotency.identity import RequestIdentity
from beaver.memory.namespace import Namespace, validate_name
from beaver.memory.records import NewDocument, StoredDocument
from beaver.memory.resources import store
from beaver.memory.resources.passages import document_passages
from beaver.memory.resources.store import Known, KnownPassage
from beaver.memory.retrieval.chunking import IndexedSpan
from beaver.memory.retrieval.index.retiring import retire_document
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
        """Store a document; the same URI again replaces it whole, so that a search sees the old one or the new one. What of it
        stays as it was keeps its vectors, and the same words again write nothing.

        Raises InvalidInput for a URI or title that breaks a rule, Conflict for a known key with another request.
        """
        kept = _checked(document)
        now_ms = self._clock()
        spans = await asyncio.to_thread(document_passages, kept.content, kept.title, observed_ms=now_ms)
        async with self._database.write() as tx:
            namespace_id = await ensure_namespace(tx, namespace, now_ms)
            known = await receipts.claim_receipt(tx, identity, {}, now_ms)
            if known is not None:
                return StoredDocument(known["passages"], known["replaced"], known.get("unchanged", False))
            stored = await self._put(tx, namespace_id, kept, spans, now_ms)
            await receipts.amend_receipt(tx, identity, asdict(stored))
        return stored

    async def _put(
        self, tx: Transaction, namespace_id: int, document: NewDocument, spans: Sequence[IndexedSpan], now_ms: int
    ) -> StoredDocument:
        known = await store.find_document(tx, namespace_id, document.uri)
        if known is None:
            document_id = self._new_id("doc")
            await store.add_document(tx, namespace_id, document_id, document, now_ms)
            await add_passages(tx, namespace_id, _passages(document_id, spans, now_ms))
            return StoredDocument(len(spans), replaced=False)
        held = await store.passages_of(tx, namespace_id, known.id)
        if (known.title, known.content) == (document.title, document.content) and _same_places(held, spans):
            return StoredDocument(len(spans), replaced=False, unchanged=True)
        await store.replace_document(tx, namespace_id, known.id, document, now_ms)
        await add_passages(tx, namespace_id, _passages(known.id, spans, now_ms))
        upto_id = max((one.id for one in held), default=0)
        now_held = await store.passages_of(tx, namespace_id, known.id, upto_id)
        same = _same_texts(_texts(known, held), _texts(document, now_held))
        await store.copy_vectors(tx, same)
        await retire_document(tx, namespace_id, known.id, upto_id)
        return StoredDocument(len(spans), replaced=True)


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


def _same_places(held: Sequence[KnownPassage], spans: Sequence[IndexedSpan]) -> bool:
    """A document that was stored by an earlier release may be parted otherwise."""
    return [(one.start, one.length, one.section, one.page) for one in held] == [
        (one.span.start, one.span.length, one.section, one.page) for one in spans
    ]


def _texts(document: Known | NewDocument, held: Sequence[KnownPassage]) -> Iterator[tuple[str, int]]:
    """What is encoded of each passage, and the passage's id."""
    for one in held:
        said = document.content[one.start : one.start + one.length]
        yield document_text(said, document.title, one.section), one.id


def _same_texts(before: Iterable[tuple[str, int]], now: Iterable[tuple[str, int]]) -> list[tuple[int, int]]:
    """The ids of passages of the same text, before and now."""
    ids = dict(before)
    return [(ids[text], passage_id) for text, passage_id in now if text in ids]
