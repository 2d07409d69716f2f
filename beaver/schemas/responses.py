"""OpenAI's Responses API as it stands on the wire: what a run needs of a request, and whole answers with every key."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import BeforeValidator, Field

from beaver.schemas.chat import MODEL_ID, BeaverOptions, ChatInput, ContentPart, RunOutcome, SessionHints, TokensMax
from beaver.schemas.unsupported import FreeToolChoice, NoOutputLogprobs, NoStoredPrompt, NoTopLogprobs, PlainText
from beaver.schemas.wire import Answered, Text

METADATA_ENTRIES_MAX: Final = 16


class InputItem(ChatInput):
    """One item of a list input. Only messages are looked at; those of role user and assistant hold the conversation."""

    type: Text = "message"
    role: Text | None = None
    content: Text | list[ContentPart] | None = None


def _not_a_number(value: object) -> object:
    # 0 is False to Python, and so to Literal.
    if isinstance(value, bool):
        return value
    raise ValueError("must be false")


class TextWish(ChatInput):
    """How the client wants the text."""

    format: PlainText = None


class ResponsesRequest(SessionHints):
    """`POST /v1/responses`. `instructions` are rules for this run alone. Without `store` it cannot be read by its id."""

    model: Text = MODEL_ID
    input: Text | Annotated[list[InputItem], Field(min_length=1)]
    instructions: Text | None = None
    metadata: Annotated[dict[Text, Text], Field(max_length=METADATA_ENTRIES_MAX)] | None = None
    stream: bool | None = False
    store: bool | None = True
    max_output_tokens: TokensMax = None
    top_logprobs: NoTopLogprobs = None
    include: NoOutputLogprobs = None
    text: TextWish | None = None
    tool_choice: FreeToolChoice = None
    prompt: NoStoredPrompt = None
    background: Annotated[Literal[False], BeforeValidator(_not_a_number)] | None = None
    beaver: BeaverOptions = BeaverOptions()


class OutputText(Answered):
    """The one content part of a message."""

    type: Literal["output_text"] = "output_text"
    text: str
    annotations: tuple[()] = ()
    logprobs: tuple[()] = ()


ItemStatus = Literal["in_progress", "completed", "incomplete"]


class OutputMessage(Answered):
    """One message of an answer: the final text, or what was said before a tool was used."""

    id: str
    type: Literal["message"] = "message"
    role: Literal["assistant"] = "assistant"
    status: ItemStatus
    content: list[OutputText]


class InputTokensDetails(Answered):
    """Always zero: what a provider caches is not known here."""

    cached_tokens: int = 0
    cache_write_tokens: int = 0


class OutputTokensDetails(Answered):
    """Always zero: what a provider thinks in silence is not known here."""

    reasoning_tokens: int = 0


class ResponseUsage(Answered):
    """Tokens of a whole run, tool rounds included."""

    input_tokens: int
    input_tokens_details: InputTokensDetails = InputTokensDetails()
    output_tokens: int
    output_tokens_details: OutputTokensDetails = OutputTokensDetails()
    total_tokens: int


class ResponseError(Answered):
    """Why a response failed. `code` is one that OpenAI's clients know; `beaver_code` is ours, of `beaver.errors`."""

    code: Literal["server_error", "rate_limit_exceeded", "invalid_prompt"]
    message: str
    beaver_code: str


class IncompleteDetails(Answered):
    """Which limit of the model cut the answer."""

    reason: Literal["max_output_tokens", "content_filter"]


class TextFormat(Answered):
    """Answers are plain text."""

    type: Literal["text"] = "text"


class TextConfig(Answered):
    """How the text is written."""

    format: TextFormat = TextFormat()


class Reasoning(Answered):
    """How much a model thinks is the provider's setting, not the request's."""

    effort: None = None
    summary: None = None


class ConversationId(Answered):
    """The session, as OpenAI's clients know it."""

    id: str


ResponseStatus = Literal["in_progress", "completed", "incomplete", "failed", "cancelled"]


class Response(Answered):
    """A response, whole or under way; times are in seconds. Its id is its run's id.

    Tools of the server are used unseen, so `tools` is empty; what a key of OpenAI's says that Beaver does not have is
    null, or the value that OpenAI gives by default.
    """

    id: str
    object: Literal["response"] = "response"
    created_at: int
    completed_at: int | None = None
    status: ResponseStatus
    model: str
    output: tuple[OutputMessage, ...] = ()
    error: ResponseError | None = None
    incomplete_details: IncompleteDetails | None = None
    usage: ResponseUsage | None = None
    instructions: str | None = None
    metadata: dict[str, str]
    conversation: ConversationId | None = None
    previous_response_id: str | None = None
    parallel_tool_calls: bool = True
    tool_choice: Literal["auto"] = "auto"
    tools: tuple[()] = ()
    temperature: float | None = 1.0
    top_p: float | None = 1.0
    top_logprobs: int = 0
    presence_penalty: float = 0.0
    frequency_penalty: float = 0.0
    max_output_tokens: int | None = None
    max_tool_calls: int | None = None
    background: bool = False
    store: bool = True
    service_tier: Literal["default"] = "default"
    truncation: Literal["disabled"] = "disabled"
    text: TextConfig = TextConfig()
    reasoning: Reasoning = Reasoning()
    safety_identifier: str | None = None
    prompt_cache_key: str | None = None
    user: str | None = None
    beaver: RunOutcome | None = None


class ResponseEvent(Answered):
    """An event that shows the response as it stands: created, in_progress, completed, incomplete or failed."""

    type: Literal[
        "response.created",
        "response.in_progress",
        "response.completed",
        "response.incomplete",
        "response.failed",
    ]
    sequence_number: int
    response: Response


class OutputItemEvent(Answered):
    """A message begins, or is whole."""

    type: Literal["response.output_item.added", "response.output_item.done"]
    sequence_number: int
    output_index: int
    item: OutputMessage


class ContentPartEvent(Answered):
    """A message's text begins, or is whole."""

    type: Literal["response.content_part.added", "response.content_part.done"]
    sequence_number: int
    item_id: str
    output_index: int
    content_index: int = 0
    part: OutputText


class TextDeltaEvent(Answered):
    """A further piece of a message's text."""

    type: Literal["response.output_text.delta"] = "response.output_text.delta"
    sequence_number: int
    item_id: str
    output_index: int
    content_index: int = 0
    delta: str
    logprobs: tuple[()] = ()


class TextDoneEvent(Answered):
    """A message's text, whole."""

    type: Literal["response.output_text.done"] = "response.output_text.done"
    sequence_number: int
    item_id: str
    output_index: int
    content_index: int = 0
    text: str
    logprobs: tuple[()] = ()


StreamEvent = ResponseEvent | OutputItemEvent | ContentPartEvent | TextDeltaEvent | TextDoneEvent
