"""The operations by which a memory is filled and asked: add, flush, search, resources."""

from __future__ import annotations

from beaver.gateway.showing import namespace_of
from beaver.memory.idempotency.identity import RequestIdentity
from beaver.memory.records import Found, NewDocument, NewMessage, Question
from beaver.memory.runtime import MemoryRuntime
from beaver.schemas.gateway import (
    AddReceipt,
    AddRequest,
    FlushReceipt,
    FlushRequest,
    ResourceReceipt,
    ResourceRequest,
    SearchRequest,
    SearchResponse,
    SearchResult,
    Successor,
    chat_session,
)


async def add(runtime: MemoryRuntime, request: AddRequest, identity: RequestIdentity | None) -> AddReceipt:
    """Store messages of one session."""
    messages = [
        NewMessage(message.role, message.sender_id, message.timestamp, message.content) for message in request.messages
    ]
    turn = await runtime.add(namespace_of(request), request.session_id, messages, identity=identity)
    return AddReceipt(session_id=request.session_id, message_ids=list(turn.message_ids), duplicated=turn.duplicated)


async def flush(runtime: MemoryRuntime, request: FlushRequest, _identity: RequestIdentity | None) -> FlushReceipt:
    """Turn the staged messages of one session into memory."""
    flushed = await runtime.flush(namespace_of(request), request.session_id)
    return FlushReceipt(
        session_id=request.session_id,
        flushed_messages=flushed.messages,
        captured=flushed.captured,
        taken_back=flushed.taken_back,
    )


async def search(runtime: MemoryRuntime, request: SearchRequest, _identity: RequestIdentity | None) -> SearchResponse:
    """Find memories."""
    question = Question(
        text=request.query,
        session_id=chat_session(request.conversation_id),
        scopes=tuple(request.scope),
        limit=request.top_k,
    )
    namespace = namespace_of(request)
    found = await runtime.search(namespace, question)
    runtime.note_used(namespace, [each for one in found for each in one.learned])
    return SearchResponse(results=[_result(one) for one in found])


async def put_resource(
    runtime: MemoryRuntime, request: ResourceRequest, identity: RequestIdentity | None
) -> ResourceReceipt:
    """Store a document under its URI."""
    document = NewDocument(request.uri, request.title, request.text)
    stored = await runtime.put_resource(namespace_of(request), document, identity=identity)
    return ResourceReceipt(
        uri=request.uri, chunks=stored.passages, replaced=stored.replaced, unchanged=stored.unchanged or None
    )


def _result(found: Found) -> SearchResult:
    superseded_by = [
        Successor(id=one["id"], title=one["title"], since=one["since_ms"]) for one in found.why.get("superseded_by", ())
    ]
    return SearchResult(
        id=found.id,
        session_id=found.session_id,
        text=found.text,
        score=found.score,
        source_scope=found.scope,
        resource_uri=found.uri,
        at=found.why.get("observed_ms", found.why.get("stored_ms")),
        role=found.why.get("role"),
        speaker=found.why.get("speaker"),
        superseded_by=superseded_by or None,
        title=found.why.get("title") if found.uri is not None else None,
        section=found.why.get("section"),
        page=found.why.get("page"),
        raw=dict(found.why),
    )
