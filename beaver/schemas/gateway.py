"""The Memory Gateway's API as it stands on the wire: requests, answers, receipts.

Both sides use these: the client to build bodies, our Gateway server to read them. The paths are
`POST /memories/search|add|flush`, `POST /users`, `POST /resources`; credentials travel in the body.
"""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

from pydantic import Field, SecretStr, model_validator

from beaver.schemas.wire import Accepted, Answered, NotBlank, Text

Scope = Literal["current_chat", "resources", "all_user_memory"]
SCOPES: Final[tuple[Scope, ...]] = ("current_chat", "resources", "all_user_memory")

SEARCH_PATH: Final = "/memories/search"
ADD_PATH: Final = "/memories/add"
FLUSH_PATH: Final = "/memories/flush"
USERS_PATH: Final = "/users"
RESOURCES_PATH: Final = "/resources"

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


class SearchResult(Answered):
    """One memory as the Gateway answers it. `score` is in [0, 1], comparable within one answer only."""

    id: str | None = None
    session_id: str | None = None
    text: str | None = None
    score: float | None = None
    source_scope: str | None = None
    resource_uri: str | None = None
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
    """What a flush covered: how many messages had been waiting."""

    session_id: str
    flushed_messages: int


class UserReceipt(Answered):
    """A new user. The key is shown here and never again; only its hash is kept."""

    user_id: str
    user_key: str


class ResourceReceipt(Answered):
    """A stored document and the number of its searchable chunks."""

    uri: str
    chunks: int
    replaced: bool = False
