"""LanguageModel over HTTP: any OpenAI-compatible chat endpoint, and Anthropic's Messages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeVar

import httpx
from pydantic import SecretStr

from beaver.config.language_model import LanguageModelSettings
from beaver.errors import ConfigError
from beaver.memory.inference.endpoint import JsonEndpoint, Refused
from beaver.memory.inference.port import LanguageModel

T = TypeVar("T")

ANSWER_BYTES_MAX: Final = 2 * 1024 * 1024
OUTPUT_TOKENS_MAX: Final = 4096
THINKING_TOKENS_MAX: Final = 16_384
"""Where what a model thinks counts as its output: with less it may be cut off before it says a word."""
OPENAI_URL: Final = "https://api.openai.com/v1"
ANTHROPIC_URL: Final = "https://api.anthropic.com/v1"
_ANTHROPIC_VERSION: Final = "2023-06-01"
_WHAT: Final = "the language model"


def language_model(
    settings: LanguageModelSettings, *, transport: httpx.AsyncBaseTransport | None = None
) -> LanguageModel | None:
    """The configured model, or None where rules do its work. Nothing is connected yet. Raises ConfigError for what is missing.

    `transport` stands in for real connections (tests).
    """
    if settings.provider == "none":
        return None
    model = _required(settings.model, "model")
    match settings.provider:
        case "anthropic":
            key = _required(settings.api_key, "apiKey")
            return AnthropicModel(model, key, base_url=settings.base_url or ANTHROPIC_URL, transport=transport)
        case "openai":
            base_url = settings.base_url or OPENAI_URL
            return OpenAiModel(
                model,
                settings.api_key,
                base_url=base_url,
                tokens_max_name="max_completion_tokens",
                tokens_max=THINKING_TOKENS_MAX,
                transport=transport,
            )
        case "openai-compatible":
            base_url = _required(settings.base_url, "baseUrl")
            return OpenAiModel(model, settings.api_key, base_url=base_url, transport=transport)


class OpenAiModel:
    """Chat completions of an OpenAI-compatible endpoint."""

    def __init__(
        self,
        model: str,
        api_key: SecretStr | None,
        *,
        base_url: str,
        tokens_max_name: str = "max_tokens",
        tokens_max: int = OUTPUT_TOKENS_MAX,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        """`tokens_max_name`: what the endpoint calls the bound of its answer; OpenAI's own has another name than the rest. A
        model that refuses a high one is asked for less from then on.
        """
        self._model = model
        self._tokens_max_name = tokens_max_name
        self._tokens_max = tokens_max
        headers = {} if api_key is None else {"Authorization": f"Bearer {api_key.get_secret_value()}"}
        self._endpoint = JsonEndpoint(
            f"{base_url}/chat/completions",
            headers,
            what=_WHAT,
            answer_bytes_max=ANSWER_BYTES_MAX,
            transport=transport,
        )

    async def complete(self, system: str, prompt: str, *, timeout_s: float) -> str:
        """The text of the first choice."""
        messages = [{"role": "system", "content": system}, {"role": "user", "content": prompt}]
        try:
            return await self._ask(messages, timeout_s)
        except Refused:
            if self._tokens_max <= OUTPUT_TOKENS_MAX:
                raise
        self._tokens_max = OUTPUT_TOKENS_MAX
        return await self._ask(messages, timeout_s)

    async def _ask(self, messages: Sequence[Mapping[str, str]], timeout_s: float) -> str:
        body = {"model": self._model, "messages": messages, self._tokens_max_name: self._tokens_max}
        return await self._endpoint.ask(body, _text_of_choice, timeout_s)


class AnthropicModel:
    """Anthropic's Messages."""

    def __init__(
        self,
        model: str,
        api_key: SecretStr,
        *,
        base_url: str = ANTHROPIC_URL,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        self._model = model
        headers = {"x-api-key": api_key.get_secret_value(), "anthropic-version": _ANTHROPIC_VERSION}
        self._endpoint = JsonEndpoint(
            f"{base_url}/messages", headers, what=_WHAT, answer_bytes_max=ANSWER_BYTES_MAX, transport=transport
        )

    async def complete(self, system: str, prompt: str, *, timeout_s: float) -> str:
        """The text blocks of the answer."""
        body = {
            "model": self._model,
            "system": system,
            "messages": [{"role": "user", "content": prompt}],
            "max_tokens": OUTPUT_TOKENS_MAX,
        }
        return await self._endpoint.ask(body, _text_of_blocks, timeout_s)


def _text_of_choice(answer: Any) -> str | None:
    text = answer["choices"][0]["message"]["content"]
    return text if isinstance(text, str) else None


def _text_of_blocks(answer: Any) -> str | None:
    texts = [block["text"] for block in answer["content"] if block["type"] == "text"]
    return "".join(texts) if texts and all(isinstance(text, str) for text in texts) else None


def _required(value: T | None, field: str) -> T:
    """The section is not valid without it, where it comes from a file."""
    if value is None:
        raise ConfigError(f"gatewayServer.model.{field}", "is required")
    return value
