"""Anthropic's Messages API, by its SDK."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncGenerator, AsyncIterator
from typing import TYPE_CHECKING, Any, Final

from pydantic import BaseModel, ConfigDict, SecretStr

from beaver.agent.messages import PromptMessage, ProviderPiece, ProviderRequest, Usage
from beaver.agent.providers.connection import connection_fault, guarded, http_client, sdk, status_fault
from beaver.agent.providers.draft import Draft, Finish, drafted
from beaver.agent.providers.prompts import arguments_object, conversation, system_text
from beaver.errors import BeaverError, DeadlineExceeded, PeerFault

if TYPE_CHECKING:
    import httpx2

_BASE_URL: Final = "https://api.anthropic.com"
_FINISHES: Final[dict[str, Finish]] = {
    "tool_use": "tool_calls",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "content_filter",
}
# An error inside the stream comes under HTTP 200; its type says what its status would have been.
_STATUS_OF_TYPE: Final = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "api_error": 500,
    "timeout_error": 504,
    "overloaded_error": 529,
}
_ID_FORBIDDEN: Final = re.compile(r"[^A-Za-z0-9_-]")
_BEGINNING_CUT: Final = "[The beginning of this conversation is not shown.]"


class AnthropicProvider:
    """Messages, streamed. The system prompt is one cached block: it is the same from turn to turn.

    The SDK's own retries and its tracing are off; the key and the address are the ones given, never the environment's.
    """

    name = "anthropic"

    def __init__(
        self,
        *,
        model: str,
        api_key: SecretStr,
        base_url: str | None = None,
        timeout_s: float = 60,
        transport: httpx2.AsyncBaseTransport | None = None,
    ) -> None:
        """`timeout_s` is the most seconds between two pieces. Raises ConfigError when the extra `anthropic` is not installed."""
        self.model = model
        self._sdk = sdk("anthropic")
        self._timeout_s = timeout_s
        self._client = self._sdk.AsyncAnthropic(
            api_key=api_key.get_secret_value(),
            base_url=base_url or _BASE_URL,
            max_retries=0,
            open_telemetry=False,
            http_client=http_client(timeout_s, transport),
        )

    def stream(self, request: ProviderRequest) -> AsyncIterator[ProviderPiece]:
        """Answer one prompt."""
        import httpx2

        events = guarded(
            self._events(self._body(request)),
            provider=self.name,
            idle_s=self._timeout_s,
            errors=(self._sdk.AnthropicError, httpx2.HTTPError),
            fault_of=self._fault,
        )
        return drafted(events, Draft(self.name), _take)

    async def aclose(self) -> None:
        """Close the connections."""
        await self._client.close()

    async def _events(self, body: dict[str, Any]) -> AsyncGenerator[_Event, None]:
        async with await self._client.messages.create(**body) as events:
            async for event in events:
                yield _Event.model_validate(event)

    def _body(self, request: ProviderRequest) -> dict[str, Any]:
        messages = conversation(request)
        body: dict[str, Any] = {
            "model": self.model,
            "max_tokens": request.output_tokens_max,
            "messages": _messages(messages),
            "stream": True,
        }
        if system := system_text(request):
            body["system"] = [{"type": "text", "text": system, "cache_control": {"type": "ephemeral"}}]
        return {**body, **_tools(request, messages)}

    def _fault(self, error: Exception) -> BeaverError:
        if isinstance(error, self._sdk.APITimeoutError):
            return DeadlineExceeded(f"{self.name} did not answer in time")
        if isinstance(error, self._sdk.APIStatusError):
            status = _STATUS_OF_TYPE.get(str(getattr(error, "type", None)), error.status_code)
            if status != 200:
                return status_fault(self.name, status)
        elif not isinstance(error, self._sdk.APIResponseValidationError):
            return connection_fault(self.name)
        return PeerFault(f"{self.name} broke off the answer with an error")


def _messages(said: list[PromptMessage]) -> list[dict[str, Any]]:
    """The API wants user and assistant in turn, the user first, and no blank text."""
    turns: list[dict[str, Any]] = []
    for message in said:
        role = "assistant" if message.role == "assistant" else "user"
        if not turns and role == "assistant":
            turns.append({"role": "user", "content": [_text(_BEGINNING_CUT)]})
        if not (blocks := _blocks(message)):
            continue
        if turns and turns[-1]["role"] == role:
            turns[-1]["content"] += blocks
        else:
            turns.append({"role": role, "content": blocks})
    return turns


def _blocks(message: PromptMessage) -> list[dict[str, Any]]:
    if message.role == "tool":
        return [{"type": "tool_result", "tool_use_id": _call_id(message.tool_call_id), "content": message.text}]
    calls = [
        {"type": "tool_use", "id": _call_id(call.id), "name": call.name, "input": arguments_object(call.arguments)}
        for call in message.tool_calls
    ]
    return [_text(message.text), *calls] if message.text.strip() else calls


def _call_id(call_id: str | None) -> str:
    # A history may hold calls of another provider, whose ids this API would refuse.
    return _ID_FORBIDDEN.sub("_", call_id or "unknown")


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def _tools(request: ProviderRequest, messages: list[PromptMessage]) -> dict[str, Any]:
    if request.tools:
        tools = [
            {"name": spec.name, "description": spec.description, "input_schema": dict(spec.parameters)}
            for spec in request.tools
        ]
        return {"tools": tools}
    # The API wants the tools of past calls declared, also when no further call is allowed.
    past = sorted({call.name for message in messages for call in message.tool_calls})
    if not past:
        return {}
    declared = [
        {"name": name, "description": "Not available now.", "input_schema": {"type": "object"}} for name in past
    ]
    return {"tools": declared, "tool_choice": {"type": "none"}}


def _take(event: _Event, draft: Draft) -> str:
    """Put an event in the draft; returns the text to show."""
    _count(event.message.usage if event.message else event.usage, draft)
    block, delta = event.content_block, event.delta
    if block and block.type == "tool_use":
        draft.add_call(event.index or 0, block.id, block.name, json.dumps(block.input) if block.input else None)
    if delta is None:
        return draft.add_text(block.text or "") if block and block.type == "text" else ""
    if delta.stop_reason:
        draft.finish = _FINISHES.get(delta.stop_reason, "stop")
    if delta.type == "input_json_delta":
        draft.add_call(event.index or 0, None, None, delta.partial_json)
    return draft.add_text(delta.text or "") if delta.type == "text_delta" else ""


def _count(usage: _Usage | None, draft: Draft) -> None:
    # The counts are running totals; the input ones may be absent later on.
    if usage is None:
        return
    cached = (usage.cache_creation_input_tokens or 0) + (usage.cache_read_input_tokens or 0)
    draft.usage = Usage(
        max(draft.usage.input_tokens, (usage.input_tokens or 0) + cached),
        max(draft.usage.output_tokens, usage.output_tokens or 0),
    )


class _Part(BaseModel):
    # The SDK builds its objects without checking them; this reads the few fields we use, and checks those.
    model_config = ConfigDict(from_attributes=True, frozen=True, hide_input_in_errors=True)


class _Usage(_Part):
    input_tokens: int | None = None
    cache_creation_input_tokens: int | None = None
    cache_read_input_tokens: int | None = None
    output_tokens: int | None = None


class _Message(_Part):
    usage: _Usage | None = None


class _Block(_Part):
    type: str | None = None
    text: str | None = None
    id: str | None = None
    name: str | None = None
    input: dict[str, Any] | None = None


class _Delta(_Part):
    type: str | None = None
    text: str | None = None
    partial_json: str | None = None
    stop_reason: str | None = None


class _Event(_Part):
    type: str
    index: int | None = None
    message: _Message | None = None
    content_block: _Block | None = None
    delta: _Delta | None = None
    usage: _Usage | None = None
