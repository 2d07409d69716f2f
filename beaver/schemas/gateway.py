"""The Memory Gateway's API as it stands on the wire: requests, answers, receipts.

Both sides use these: the client to build bodies, our Gateway server to read them. In a POST the credentials travel in the
body; in a GET, PATCH or DELETE in the headers (`Authorization: Bearer KEY`, `X-User-Id`) and the rest in path and query.
"""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

from pydantic import Field, SecretStr, model_validator

from beaver.schemas.wire import INTEGER_MAX, Accepted, Answered, NotBlank, Text

Scope = Literal["current_chat", "resources", "all_user_memory"]
SCOPES: Final[tuple[Scope, ...]] = ("current_chat", "resources", "all_user_memory")

ObservationKind = Literal["person", "decision", "preference", "event", "technical", "discovery", "task"]

SEARCH_PATH: Final = "/memories/search"
ADD_PATH: Final = "/memories/add"
FLUSH_PATH: Final = "/memories/flush"
USERS_PATH: Final = "/users"
RESOURCES_PATH: Final = "/resources"

MEMORIES_PATH: Final = "/memories"
MEMORY_PATH: Final = "/memories/{memory_id}"
SESSION_PATH: Final = "/sessions/{session_id:path}"
USER_PATH: Final = "/users/{user_id}"
KEYS_PATH: Final = "/users/{user_id}/keys"
KEY_PATH: Final = "/users/{user_id}/keys/{key_id}"

USER_HEADER: Final = "X-User-Id"
IDEMPOTENCY_HEADER: Final = "Idempotency-Key"
CHAT_SESSION_PREFIX: Final = "chat:"
ASSISTANT_SENDER: Final = "beaver"
MESSAGES_MAX: Final = 500


def chat_session(session_id: str) -> str:
    """The Gateway's name for one of our sessions."""
    return f"{CHAT_SESSION_PREFIX}{session_id}"


class Credentials(Accepted):
    """Who calls, and in which namespace (app, project, user) the call acts."""

    user_id: NotBlank
    user_key: SecretStr
    app_id: NotBlank = "default"
    project_id: NotBlank = "default"


class GatewayMessage(Accepted):
    """One message of a turn. `timestamp` is UTC Unix epoch milliseconds, positive."""

    sender_id: NotBlank
    role: Literal["user", "assistant"]
    timestamp: Annotated[int, Field(gt=0, strict=True)]
    content: NotBlank


class AddRequest(Credentials):
    """Store messages of one session, oldest first."""

    session_id: NotBlank
    messages: Annotated[list[GatewayMessage], Field(min_length=1, max_length=MESSAGES_MAX)]

    @model_validator(mode="after")
    def _in_order(self) -> AddRequest:
        stamps = [message.timestamp for message in self.messages]
        if stamps != sorted(stamps):
            raise ValueError("messages must be ordered by timestamp")
        return self


class FlushRequest(Credentials):
    """Turn what was added to one session into memory."""

    session_id: NotBlank


class SearchRequest(Credentials):
    """Find memories for a query. `conversation_id` is the bare session id, without the `chat:` prefix."""

    conversation_id: NotBlank
    query: Text
    scope: Annotated[list[Scope], Field(min_length=1)]
    top_k: Annotated[int, Field(ge=1, le=100, strict=True)] = 8

    @model_validator(mode="after")
    def _scopes_once(self) -> SearchRequest:
        if len(set(self.scope)) != len(self.scope):
            raise ValueError("scope must not repeat a value")
        return self


class UserRequest(Accepted):
    """Make a user and its first key; without `user_id` one is chosen."""

    user_id: NotBlank | None = None


class ResourceRequest(Credentials):
    """Store a document for the scope `resources`. The same `uri` again replaces it."""

    uri: NotBlank
    title: Text = ""
    text: NotBlank


Millis = Annotated[int, Field(ge=0, le=INTEGER_MAX)]
PageLength = Annotated[int, Field(ge=1, le=200)]
Facts = Annotated[list[Text], Field(max_length=20)]


class ListMemoriesRequest(Credentials):
    """Look through a user's memories, the newest first; `since` ≤ said or learned < `until`, epoch milliseconds."""

    kind: Literal["message", "observation"] | None = None
    session_id: NotBlank | None = None
    type: ObservationKind | None = None
    since: Millis | None = None
    until: Millis | None = None
    cursor: NotBlank | None = None
    limit: PageLength = 50


class MemoryRequest(Credentials):
    """One memory, to be read or deleted."""

    memory_id: NotBlank


class EditMemoryRequest(MemoryRequest):
    """Change what an observation says; what is left out stays."""

    type: ObservationKind | None = None
    title: NotBlank | None = None
    narrative: Text | None = None
    facts: Facts | None = None
    tags: Facts | None = None
    related_files: Facts | None = None
    related_people: Facts | None = None
    pinned: Annotated[bool, Field(strict=True)] | None = None


class SessionRequest(Credentials):
    """One session, to be deleted; `session_id` as it was added, with its `chat:` prefix."""

    session_id: NotBlank


class ListResourcesRequest(Credentials):
    """Look through a user's documents, in the order of their URIs."""

    cursor: NotBlank | None = None
    limit: PageLength = 50


class DeleteResourceRequest(Credentials):
    """The document to be deleted."""

    uri: NotBlank


class NamedUserRequest(Accepted):
    """A user, as an administrator names them."""

    user_id: NotBlank


class KeyRequest(NamedUserRequest):
    """A user's key, by the beginning of its hash."""

    key_id: NotBlank


class Successor(Answered):
    """What holds now in the place of something else: the observation, its title, and since when (UTC epoch milliseconds)."""

    id: str
    title: str
    since: int


class SearchResult(Answered):
    """One memory as the Gateway answers it. `score` is in [0, 1], comparable within one answer only.

    `at`: when it was said, learned or stored, UTC epoch milliseconds; `role` and `speaker`: who said it, if it is a message;
    `superseded_by`: what took the place of something that it tells; `title`, `section` (headings, the outer first) and `page`:
    where in a document it begins. Other Gateways may tell none of these.
    """

    id: str | None = None
    session_id: str | None = None
    text: str | None = None
    score: float | None = None
    source_scope: str | None = None
    resource_uri: str | None = None
    at: int | None = None
    role: str | None = None
    speaker: str | None = None
    superseded_by: list[Successor] | None = None
    title: str | None = None
    section: str | None = None
    page: int | None = None
    raw: dict[str, Any] | None = None


class SearchResponse(Answered):
    """What a search answers."""

    results: list[SearchResult]


class AddReceipt(Answered):
    """What was stored: ids in the order of the messages. `duplicated` when the idempotency key had been seen."""

    session_id: str
    message_ids: list[str]
    duplicated: bool = False


class FlushReceipt(Answered):
    """What a flush covered: how many messages had been waiting, how many observations came of them, and how many of those that
    were known the messages asked to forget."""

    session_id: str
    flushed_messages: int
    captured: int = 0
    taken_back: int = 0


class UserReceipt(Answered):
    """A new user. The key is shown here and never again; only its hash is kept."""

    user_id: str
    user_key: str


class ResourceReceipt(Answered):
    """A stored document and the number of its searchable chunks. `unchanged`: it was there already, word for word."""

    uri: str
    chunks: int
    replaced: bool = False
    unchanged: bool | None = None


class MemoryItem(Answered):
    """A message (`session_id`, `role`, `speaker`) or an observation (`type`, `title`, `facts`, …). `at`: when it was said or
    learned, UTC epoch milliseconds."""

    id: str
    kind: str
    text: str
    at: int
    session_id: str | None = None
    role: str | None = None
    speaker: str | None = None
    type: str | None = None
    title: str | None = None
    narrative: str | None = None
    facts: list[str] | None = None
    tags: list[str] | None = None
    related_files: list[str] | None = None
    related_people: list[str] | None = None
    mention_count: int | None = None
    pinned: bool | None = None
    updated_at: int | None = None
    ended_at: int | None = None
    end_reason: str | None = None


class MemoryList(Answered):
    """A page of memories; `next_cursor` only where there are more."""

    memories: list[MemoryItem]
    next_cursor: str | None = None


class ResourceItem(Answered):
    """A stored document without its words; `characters` is its length, times are UTC epoch milliseconds."""

    uri: str
    title: str
    characters: int
    created_at: int
    updated_at: int


class ResourceList(Answered):
    """A page of documents; `next_cursor` only where there are more."""

    resources: list[ResourceItem]
    next_cursor: str | None = None


class DeletionReceipt(Answered):
    """How many of each are gone, what was learned from nothing else included."""

    messages: int = 0
    observations: int = 0
    summaries: int = 0
    resources: int = 0
    sessions: int = 0
    users: int = 0


class KeyItem(Answered):
    """A key by the beginning of its hash; times are UTC epoch milliseconds. A revoked one opens nothing."""

    key_id: str
    created_at: int
    revoked_at: int | None = None


class KeyList(Answered):
    """A user's keys, the oldest first."""

    user_id: str
    keys: list[KeyItem]
