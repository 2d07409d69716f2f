"""The chat server's API as it stands on the wire: OpenAI's chat completions, and what Beaver adds to them."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field

from beaver.schemas.unsupported import FreeToolChoice, NoLogprobs, NoTopLogprobs, PlainText, TextModality
from beaver.schemas.wire import Answered, JsonObject, Text

SESSION_HEADER: Final = "X-Beaver-Session"
MODEL_ID: Final = "beaver"
NO_MEMORY_SUFFIX: Final = "-no-memory"
NO_MEMORY_MODEL_ID: Final = MODEL_ID + NO_MEMORY_SUFFIX
SKILLS_MAX: Final = 5

TokensMax = Annotated[int, Field(ge=1)] | None
"""Most tokens of an answer; the configured bound holds where it is lower."""


class ChatInput(BaseModel):
    """Base of what clients send: keys that we do not know are dropped, since existing clients send many.

    What we do know must have its type: `"false"` is no boolean, and would be read as a yes by some.
    """

    model_config = ConfigDict(extra="ignore", frozen=True, hide_input_in_errors=True, strict=True)


class ContentPart(ChatInput):
    """One part of a message's content; only text can be understood."""

    type: str
    text: Text = ""


class ChatMessage(ChatInput):
    """One message of the client's own history. The server's stored history wins; the last user message is the prompt.

    What is said as `system` or `developer` before it are rules for this run alone.
    """

    role: Literal["system", "developer", "user", "assistant", "tool", "function"]
    content: Text | list[ContentPart] | None = None


class StreamOptions(ChatInput):
    """`include_usage`: end the stream with a chunk that holds the usage and no choice."""

    include_usage: bool | None = False


class BeaverOptions(ChatInput):
    """Our own extension, under the key `beaver`: skills to put before the model whole."""

    skills: Annotated[list[Text], Field(max_length=SKILLS_MAX)] = []


class ConversationRef(ChatInput):
    """OpenAI's second way to write `conversation`."""

    id: Text


class SessionHints(ChatInput):
    """The fields of a body that can name a session. `user` is none of them: one user has many sessions."""

    conversation: Text | ConversationRef | None = None
    metadata: JsonObject | None = None
    previous_response_id: Text | None = None


class ChatCompletionRequest(SessionHints):
    """`POST /v1/chat/completions`. Of the two bounds of an answer's tokens the newer counts, `max_completion_tokens`."""

    model: Text = MODEL_ID
    messages: Annotated[list[ChatMessage], Field(min_length=1)]
    stream: bool | None = False
    stream_options: StreamOptions | None = None
    n: Annotated[int, Field(ge=1, le=1)] | None = 1
    max_tokens: TokensMax = None
    max_completion_tokens: TokensMax = None
    logprobs: NoLogprobs = None
    top_logprobs: NoTopLogprobs = None
    response_format: PlainText = None
    tool_choice: FreeToolChoice = None
    function_call: FreeToolChoice = None
    modalities: TextModality = None
    beaver: BeaverOptions = BeaverOptions()

    @property
    def output_tokens_max(self) -> int | None:
        """How long the answer may be, as far as the client says."""
        return self.max_completion_tokens or self.max_tokens

    @property
    def usage_wanted(self) -> bool:
        """Whether the stream is to end with a chunk of usage."""
        return self.stream_options is not None and bool(self.stream_options.include_usage)


class TokenUsage(Answered):
    """Tokens of a whole run, tool rounds included."""

    prompt_tokens: int
    completion_tokens: int
    total_tokens: int


FinishReason = Literal["stop", "length", "content_filter"]


class RunOutcome(Answered):
    """Our own extension of an answer, under the key `beaver`: which run it was, and how it ended.

    `session_id` is None for an answer without memory, which belongs to no session. `provider` is the configured kind;
    with `offline` there is no model, and the answer is an extract of what is stored.
    """

    session_id: str | None
    run_id: str
    stop_reason: str
    tools_used: list[str]
    provider: str | None = None


class AssistantMessage(Answered):
    """The answer."""

    role: Literal["assistant"] = "assistant"
    content: str
    refusal: None = None


class Choice(Answered):
    """The one choice of an answer."""

    index: int = 0
    message: AssistantMessage
    logprobs: None = None
    finish_reason: FinishReason


class ChatCompletion(Answered):
    """An answer that is not streamed. `created` is in seconds."""

    id: str
    object: Literal["chat.completion"] = "chat.completion"
    created: int
    model: str
    choices: list[Choice]
    usage: TokenUsage
    beaver: RunOutcome


def _is_none(value: object) -> bool:
    return value is None


class Delta(Answered):
    """What a chunk adds."""

    role: Annotated[Literal["assistant"] | None, Field(exclude_if=_is_none)] = None
    content: Annotated[str | None, Field(exclude_if=_is_none)] = None


class ChunkChoice(Answered):
    """The one choice of a chunk."""

    index: int = 0
    delta: Delta
    logprobs: None = None
    finish_reason: FinishReason | None = None


class ChatCompletionChunk(Answered):
    """A piece of a streamed answer."""

    id: str
    object: Literal["chat.completion.chunk"] = "chat.completion.chunk"
    created: int
    model: str
    choices: list[ChunkChoice]
    usage: Annotated[TokenUsage | None, Field(exclude_if=_is_none)] = None
    beaver: Annotated[RunOutcome | None, Field(exclude_if=_is_none)] = None


class ModelCard(Answered):
    """A model, as `GET /v1/models` lists it."""

    id: str
    object: Literal["model"] = "model"
    created: int = 0
    owned_by: str = "beaver"


class ModelList(Answered):
    """`GET /v1/models`."""

    object: Literal["list"] = "list"
    data: list[ModelCard]


class Session(Answered):
    """A stored session; times are UTC epoch milliseconds. A fork names its parent, and the last event it has in common.

    `title` is null until somebody names it. `preview` is the beginning of what its person said first, null before that.
    """

    id: str
    title: str | None
    preview: str | None = None
    created_ms: int
    updated_ms: int
    parent_id: str | None = None
    forked_after_event: int | None = None


class SessionList(Answered):
    """Sessions, the one used last first. `next` is the value of `before` that asks for the next page."""

    data: list[Session]
    next: str | None = None


class SessionEvent(Answered):
    """A stored event: a message, or a hidden audit event."""

    id: int
    session_id: str
    run_id: str | None
    kind: str
    role: str | None
    content: str
    payload: dict[str, Any]
    context_visible: bool
    created_ms: int


class EventList(Answered):
    """Events in the order they were stored. `next` is the value of `after` that asks for the next page.

    `has_more`: there are further ones; without `after`, of messages, older ones: ask for those `before` the first here.
    """

    data: list[SessionEvent]
    has_more: bool
    next: int | None = None


class RunStopped(Answered):
    """`POST /v1/runs/{id}/stop`: the run was told to stop; its end is in the session's events."""

    id: str
    status: Literal["stopping"] = "stopping"


class Health(Answered):
    """`GET /health` and `GET /ready`."""

    status: Literal["ok", "draining", "unavailable"]
