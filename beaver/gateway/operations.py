"""The Gateway's operations in one table, and how any of them is performed; every transport is generated from it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Final, Literal

from beaver.gateway import looking
from beaver.gateway.auth import Caller, Gate
from beaver.gateway.looking import namespace_of
from beaver.gateway.rate import RateLimit
from beaver.gateway.requests import parse_request
from beaver.memory.idempotency.identity import RequestIdentity, identify
from beaver.memory.records import Found, NewDocument, NewMessage, Question
from beaver.memory.runtime import MemoryRuntime
from beaver.schemas.gateway import (
    ADD_PATH,
    FLUSH_PATH,
    KEY_PATH,
    KEYS_PATH,
    MEMORIES_PATH,
    MEMORY_PATH,
    RESOURCES_PATH,
    SEARCH_PATH,
    SESSION_PATH,
    USER_PATH,
    USERS_PATH,
    AddReceipt,
    AddRequest,
    Credentials,
    DeleteResourceRequest,
    EditMemoryRequest,
    FlushReceipt,
    FlushRequest,
    KeyRequest,
    ListMemoriesRequest,
    ListResourcesRequest,
    MemoryRequest,
    NamedUserRequest,
    ResourceReceipt,
    ResourceRequest,
    SearchRequest,
    SearchResponse,
    SearchResult,
    SessionRequest,
    UserReceipt,
    UserRequest,
    chat_session,
)
from beaver.schemas.wire import Accepted, Answered

Method = Literal["GET", "POST", "PATCH", "DELETE"]
Handler = Callable[[MemoryRuntime, Any, RequestIdentity | None], Awaitable[Answered]]


@dataclass(frozen=True)
class Operation:
    """One thing a caller can ask for. `permission`: a user's key in the request, or the administrator's.

    `mutating`: what it does once is answered from its receipt when it is repeated under one `Idempotency-Key`. Deletions and
    edits need none: they come to the same however often they are done.
    """

    name: str
    path: str
    request: type[Accepted]
    permission: Literal["user", "admin"]
    mutating: bool
    handle: Handler
    method: Method = "POST"


class Operations:
    """Performs operations: parse, admit, identify, handle."""

    def __init__(self, runtime: MemoryRuntime, gate: Gate, limit: RateLimit) -> None:
        self._runtime = runtime
        self._gate = gate
        self._limit = limit

    async def perform(self, operation: Operation, body: Any, caller: Caller, idempotency_key: str | None) -> Answered:
        """The answer to a JSON body. Raises BeaverErrors, which name fields and rules and never a value."""
        request = parse_request(operation.request, body)
        principal = await self._admit(request, caller)
        identity = None
        if operation.mutating and idempotency_key is not None:
            asked = request.model_dump(mode="json", exclude={"user_key"})
            identity = identify(principal, idempotency_key, operation.name, asked)
        return await operation.handle(self._runtime, request, identity)

    async def _admit(self, request: Accepted, caller: Caller) -> str:
        if isinstance(request, Credentials):
            principal = await self._gate.admit_user(request)
            self._limit.count(principal)
            return principal
        return self._gate.admit_admin(caller)


async def create_user(runtime: MemoryRuntime, request: UserRequest, identity: RequestIdentity | None) -> UserReceipt:
    """Make a user and show its key."""
    user = await runtime.create_user(request.user_id, identity=identity)
    return UserReceipt(user_id=user.user_id, user_key=user.key)


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
    return FlushReceipt(session_id=request.session_id, flushed_messages=flushed.messages, captured=flushed.captured)


async def search(runtime: MemoryRuntime, request: SearchRequest, _identity: RequestIdentity | None) -> SearchResponse:
    """Find memories."""
    question = Question(
        text=request.query,
        session_id=chat_session(request.conversation_id),
        scopes=tuple(request.scope),
        limit=request.top_k,
    )
    found = await runtime.search(namespace_of(request), question)
    return SearchResponse(results=[_result(one) for one in found])


async def put_resource(
    runtime: MemoryRuntime, request: ResourceRequest, identity: RequestIdentity | None
) -> ResourceReceipt:
    """Store a document under its URI."""
    document = NewDocument(request.uri, request.title, request.text)
    stored = await runtime.put_resource(namespace_of(request), document, identity=identity)
    return ResourceReceipt(uri=request.uri, chunks=stored.passages, replaced=stored.replaced)


OPERATIONS: Final = (
    Operation("create_user", USERS_PATH, UserRequest, "admin", True, create_user),
    Operation("add", ADD_PATH, AddRequest, "user", True, add),
    # A flush repeats safely by itself, and must see what was added since: it keeps no receipt.
    Operation("flush", FLUSH_PATH, FlushRequest, "user", False, flush),
    Operation("search", SEARCH_PATH, SearchRequest, "user", False, search),
    Operation("put_resource", RESOURCES_PATH, ResourceRequest, "user", True, put_resource),
    Operation("list_memories", MEMORIES_PATH, ListMemoriesRequest, "user", False, looking.list_memories, "GET"),
    Operation("read_memory", MEMORY_PATH, MemoryRequest, "user", False, looking.read_memory, "GET"),
    Operation("edit_memory", MEMORY_PATH, EditMemoryRequest, "user", False, looking.edit_memory, "PATCH"),
    Operation("delete_memory", MEMORY_PATH, MemoryRequest, "user", False, looking.delete_memory, "DELETE"),
    Operation("delete_session", SESSION_PATH, SessionRequest, "user", False, looking.delete_session, "DELETE"),
    Operation("list_resources", RESOURCES_PATH, ListResourcesRequest, "user", False, looking.list_resources, "GET"),
    Operation(
        "delete_resource", RESOURCES_PATH, DeleteResourceRequest, "user", False, looking.delete_resource, "DELETE"
    ),
    Operation("delete_user", USER_PATH, NamedUserRequest, "admin", False, looking.delete_user, "DELETE"),
    Operation("create_key", KEYS_PATH, NamedUserRequest, "admin", False, looking.create_key, "POST"),
    Operation("list_keys", KEYS_PATH, NamedUserRequest, "admin", False, looking.list_keys, "GET"),
    Operation("revoke_key", KEY_PATH, KeyRequest, "admin", False, looking.revoke_key, "DELETE"),
)


def _result(found: Found) -> SearchResult:
    return SearchResult(
        id=found.id,
        session_id=found.session_id,
        text=found.text,
        score=found.score,
        source_scope=found.scope,
        resource_uri=found.uri,
        raw=dict(found.why),
    )
