"""Any OpenAI-compatible API, by the official SDK: OpenAI itself, Ollama, vLLM, llama.cpp, a proxy."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, AsyncIterator
from typing import TYPE_CHECKING, Any, Final

from pydantic import BaseModel, ConfigDict, SecretStr

from beaver.agent.messages import PromptMessage, ProviderPiece, ProviderRequest, ToolSpec, Usage
from beaver.agent.providers.connection import connection_fault, guarded, http_client, sdk, status_fault
from beaver.agent.providers.draft import Draft, Finish, drafted
from beaver.agent.providers.prompts import arguments_object, conversation, system_text
from beaver.errors import BeaverError, DeadlineExceeded, PeerFault

if TYPE_CHECKING:
    import httpx2

_BASE_URL: Final = "https://api.openai.com/v1"
_FINISHES: Final[dict[str, Finish]] = {
    "length": "length",
    "tool_calls": "tool_calls",
    "function_call": "tool_calls",
    "content_filter": "content_filter",
}
_STATUS_OF_CODE: Final = {
    "context_length_exceeded": 400,
    "insufficient_quota": 429,
    "rate_limit_exceeded": 429,
    "server_error": 500,
}


class OpenAIProvider:
    """Chat completions, streamed.

    The SDK's own retries are off: they would hide a rate limit behind a deadline. Nothing is taken from the SDK's
    environment variables for the key or the address: a key for one host never travels to another.
    """

    name = "openai"

    def __init__(
        self,
        *,
        model: str,
        api_key: SecretStr | None,
        base_url: str | None = None,
        timeout_s: float = 60,
        transport: httpx2.AsyncBaseTransport | None = None,
    ) -> None:
        """`timeout_s` is the most seconds between two pieces. Raises ConfigError when the extra `openai` is not installed."""
        self.model = model
        self._sdk = sdk("openai")
        self._timeout_s = timeout_s
        # Only OpenAI's own API wants the newer name; the compatible servers know the older one.
        self._tokens_max_name = "max_tokens" if base_url else "max_completion_tokens"
        self._client = self._sdk.AsyncOpenAI(
            api_key=api_key.get_secret_value() if api_key else "none",
            base_url=base_url or _BASE_URL,
            max_retries=0,
            http_client=http_client(timeout_s, transport),
        )

    def stream(self, request: ProviderRequest) -> AsyncIterator[ProviderPiece]:
        """Answer one prompt."""
        chunks = guarded(
            self._chunks(self._body(request)),
            provider=self.name,
            idle_s=self._timeout_s,
            errors=(self._sdk.OpenAIError,),
            fault_of=self._fault,
        )
        return drafted(chunks, Draft(self.name), _take)

    async def aclose(self) -> None:
        """Close the connections."""
        await self._client.close()

    async def _chunks(self, body: dict[str, Any]) -> AsyncGenerator[_Chunk, None]:
        async with await self._client.chat.completions.create(**body) as chunks:
            async for chunk in chunks:
                yield _Chunk.model_validate(chunk)

    def _body(self, request: ProviderRequest) -> dict[str, Any]:
        body = {
            "model": self.model,
            "messages": _messages(request),
            "stream": True,
            "stream_options": {"include_usage": True},
            self._tokens_max_name: request.output_tokens_max,
        }
        return {**body, "tools": [_tool(spec) for spec in request.tools]} if request.tools else body

    def _fault(self, error: Exception) -> BeaverError:
        if isinstance(error, self._sdk.APITimeoutError):
            return DeadlineExceeded(f"{self.name} did not answer in time")
        if isinstance(error, self._sdk.APIConnectionError):
            return connection_fault(self.name)
        if isinstance(error, self._sdk.APIStatusError):
            return status_fault(self.name, error.status_code)
        return self._stream_fault(str(getattr(error, "code", None)), str(getattr(error, "type", None)))

    def _stream_fault(self, code: str, kind: str) -> BeaverError:
        # An error inside the stream has no HTTP status of its own; some servers put one in its code.
        status = int(code) if code.isdecimal() else _STATUS_OF_CODE.get(code, _STATUS_OF_CODE.get(kind))
        return (
            status_fault(self.name, status) if status else PeerFault(f"{self.name} broke off the answer with an error")
        )


def _messages(request: ProviderRequest) -> list[dict[str, Any]]:
    system = system_text(request)
    messages = [{"role": "system", "content": system}] if system else []
    for said in conversation(request):
        # The chat templates of many local models refuse two user messages in a row.
        if said.role == "user" and messages and messages[-1]["role"] == "user":
            messages[-1] = {"role": "user", "content": f"{messages[-1]['content']}\n\n{said.text}"}
        else:
            messages.append(_message(said))
    return messages


def _message(said: PromptMessage) -> dict[str, Any]:
    if said.role == "tool":
        return {"role": "tool", "tool_call_id": said.tool_call_id or "", "content": said.text}
    if not said.tool_calls:
        return {"role": said.role, "content": said.text}
    calls = [
        {
            "id": call.id,
            "type": "function",
            "function": {
                "name": call.name,
                "arguments": json.dumps(arguments_object(call.arguments), ensure_ascii=False),
            },
        }
        for call in said.tool_calls
    ]
    return {"role": "assistant", "content": said.text or None, "tool_calls": calls}


def _tool(spec: ToolSpec) -> dict[str, Any]:
    function = {"name": spec.name, "description": spec.description, "parameters": dict(spec.parameters)}
    return {"type": "function", "function": function}


def _take(chunk: _Chunk, draft: Draft) -> str:
    """Put a chunk in the draft; returns the text to show."""
    if chunk.usage:
        draft.usage = Usage(chunk.usage.prompt_tokens or 0, chunk.usage.completion_tokens or 0)
    shown = ""
    for choice in (choice for choice in chunk.choices or () if not choice.index):
        if choice.finish_reason:
            draft.finish = _FINISHES.get(choice.finish_reason, "stop")
        if choice.delta is None:
            continue
        shown += draft.add_text(choice.delta.content or choice.delta.refusal or "")
        for call in choice.delta.tool_calls or ():
            function = call.function or _Function()
            draft.add_call(call.index, call.id, function.name, function.arguments)
    return shown


class _Part(BaseModel):
    # The SDK builds its objects without checking them; this reads the few fields we use, and checks those.
    model_config = ConfigDict(from_attributes=True, frozen=True, hide_input_in_errors=True)


class _Function(_Part):
    name: str | None = None
    arguments: str | None = None


class _ToolCall(_Part):
    index: int | None = None
    id: str | None = None
    function: _Function | None = None


class _Delta(_Part):
    content: str | None = None
    refusal: str | None = None
    tool_calls: tuple[_ToolCall, ...] | None = None


class _Choice(_Part):
    index: int | None = None
    delta: _Delta | None = None
    finish_reason: str | None = None


class _Usage(_Part):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


class _Chunk(_Part):
    choices: tuple[_Choice, ...] | None = None
    usage: _Usage | None = None
