"""The Gateway's operations in one table, and how any of them is performed; every transport is generated from it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Final, Literal

from beaver.gateway import administering, looking, past, remembering, tools
from beaver.gateway.answers import Answer
from beaver.gateway.auth import Caller, Gate
from beaver.gateway.rate import RateLimit
from beaver.gateway.requests import parse_request
from beaver.memory.idempotency.identity import RequestIdentity, identify
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
    AddRequest,
    Credentials,
    DeleteResourceRequest,
    EditMemoryRequest,
    FlushRequest,
    KeyRequest,
    ListMemoriesRequest,
    ListResourcesRequest,
    MemoryRequest,
    NamedUserRequest,
    ResourceRequest,
    SearchRequest,
    SessionRequest,
    UserRequest,
)
from beaver.schemas.memory_past import (
    ARCHIVE_SEARCH_PATH,
    EVIDENCE_PATH,
    EXPORT_PATH,
    HISTORY_PATH,
    RESTORE_PATH,
    ArchiveSearchRequest,
    ExportRequest,
)
from beaver.schemas.memory_tools import (
    PROMPT_INDEX_PATH,
    TOOL_PATH,
    TOOLS_PATH,
    PromptIndexRequest,
    ToolRequest,
    ToolsRequest,
)
from beaver.schemas.wire import Accepted

Method = Literal["GET", "POST", "PATCH", "DELETE"]
Handler = Callable[[MemoryRuntime, Any, RequestIdentity | None], Awaitable[Answer]]


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

    async def perform(self, operation: Operation, body: Any, caller: Caller, idempotency_key: str | None) -> Answer:
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


OPERATIONS: Final = (
    Operation("create_user", USERS_PATH, UserRequest, "admin", True, administering.create_user),
    Operation("add", ADD_PATH, AddRequest, "user", True, remembering.add),
    # A flush repeats safely by itself, and must see what was added since: it keeps no receipt.
    Operation("flush", FLUSH_PATH, FlushRequest, "user", False, remembering.flush),
    Operation("search", SEARCH_PATH, SearchRequest, "user", False, remembering.search),
    Operation("put_resource", RESOURCES_PATH, ResourceRequest, "user", True, remembering.put_resource),
    Operation("list_memories", MEMORIES_PATH, ListMemoriesRequest, "user", False, looking.list_memories, "GET"),
    Operation("read_memory", MEMORY_PATH, MemoryRequest, "user", False, looking.read_memory, "GET"),
    Operation("edit_memory", MEMORY_PATH, EditMemoryRequest, "user", False, looking.edit_memory, "PATCH"),
    Operation("delete_memory", MEMORY_PATH, MemoryRequest, "user", False, looking.delete_memory, "DELETE"),
    Operation("delete_session", SESSION_PATH, SessionRequest, "user", False, looking.delete_session, "DELETE"),
    Operation("list_resources", RESOURCES_PATH, ListResourcesRequest, "user", False, looking.list_resources, "GET"),
    Operation(
        "delete_resource", RESOURCES_PATH, DeleteResourceRequest, "user", False, looking.delete_resource, "DELETE"
    ),
    Operation("memory_history", HISTORY_PATH, MemoryRequest, "user", False, past.history, "GET"),
    Operation("memory_evidence", EVIDENCE_PATH, MemoryRequest, "user", False, past.evidence, "GET"),
    Operation("search_archive", ARCHIVE_SEARCH_PATH, ArchiveSearchRequest, "user", False, past.search_archive),
    # Not once again from a receipt: what was restored may have been archived anew since.
    Operation("restore", RESTORE_PATH, MemoryRequest, "user", False, past.restore),
    Operation("export", EXPORT_PATH, ExportRequest, "user", False, past.export, "GET"),
    Operation("list_tools", TOOLS_PATH, ToolsRequest, "user", False, tools.list_tools, "GET"),
    Operation("call_tool", TOOL_PATH, ToolRequest, "user", True, tools.call_tool),
    Operation("prompt_index", PROMPT_INDEX_PATH, PromptIndexRequest, "user", False, tools.prompt_index),
    Operation("delete_user", USER_PATH, NamedUserRequest, "admin", False, administering.delete_user, "DELETE"),
    Operation("create_key", KEYS_PATH, NamedUserRequest, "admin", False, administering.create_key, "POST"),
    Operation("list_keys", KEYS_PATH, NamedUserRequest, "admin", False, administering.list_keys, "GET"),
    Operation("revoke_key", KEY_PATH, KeyRequest, "admin", False, administering.revoke_key, "DELETE"),
)
