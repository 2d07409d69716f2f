"""Language models over HTTP: what is sent, what is read, and what never gets into an error."""

from __future__ import annotations

import json
import traceback
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from pydantic import SecretStr

from beaver.config.language_model import LanguageModelSettings
from beaver.errors import BeaverError, PeerFault, Unavailable
from beaver.memory.inference.language_http import AnthropicModel, OpenAiModel, language_model

KEY = SecretStr("mk-very-secret")


def streamed(answer: Any) -> httpx.Response:
    """As a connection gives it: not read yet."""
    return httpx.Response(200, stream=httpx.ByteStream(json.dumps(answer).encode()))


def openai(answer: Callable[[httpx.Request], httpx.Response]) -> OpenAiModel:
    return OpenAiModel("m", KEY, base_url="http://models/v1", transport=httpx.MockTransport(answer))


async def test_an_openai_compatible_endpoint_is_asked() -> None:
    asked: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(request)
        return streamed({"choices": [{"message": {"content": "[]"}}]})

    assert await openai(answer).complete("be strict", "data", timeout_s=5) == "[]"
    body = json.loads(asked[0].content)
    assert (str(asked[0].url), asked[0].headers["authorization"]) == (
        "http://models/v1/chat/completions",
        "Bearer mk-very-secret",
    )
    assert [message["content"] for message in body["messages"]] == ["be strict", "data"]


async def test_openais_own_models_may_think_before_they_answer_and_older_ones_are_asked_for_less() -> None:
    bounds: list[int] = []

    def answer(request: httpx.Request) -> httpx.Response:
        bounds.append(json.loads(request.content)["max_completion_tokens"])
        return httpx.Response(400) if bounds[-1] > 4096 else streamed({"choices": [{"message": {"content": "[]"}}]})

    settings = LanguageModelSettings(provider="openai", model="m", api_key=KEY)
    model = language_model(settings, transport=httpx.MockTransport(answer))
    assert model is not None
    for _ in range(2):
        assert await model.complete("be strict", "data", timeout_s=5) == "[]"
    assert bounds == [16_384, 4096, 4096]


async def test_a_request_that_is_refused_for_something_else_is_refused() -> None:
    settings = LanguageModelSettings(provider="openai", model="m", api_key=KEY)
    model = language_model(settings, transport=httpx.MockTransport(lambda _: httpx.Response(400)))
    assert model is not None
    with pytest.raises(PeerFault) as refused:
        await model.complete("be strict", "data", timeout_s=5)
    assert "mk-very-secret" not in "".join(traceback.format_exception(refused.value))


async def test_anthropic_is_asked() -> None:
    asked: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(request)
        return streamed({"content": [{"type": "text", "text": "["}, {"type": "text", "text": "]"}]})

    model = AnthropicModel("m", KEY, base_url="http://models/v1", transport=httpx.MockTransport(answer))
    assert await model.complete("be strict", "data", timeout_s=5) == "[]"
    assert (asked[0].url.path, asked[0].headers["x-api-key"]) == ("/v1/messages", "mk-very-secret")


@pytest.mark.parametrize(
    ("response", "fault"),
    [
        (httpx.Response(503), Unavailable),
        (httpx.Response(429), Unavailable),
        (httpx.Response(400, text="mk-very-secret data"), PeerFault),
        (httpx.Response(302, headers={"location": "http://elsewhere"}), PeerFault),
        (httpx.Response(200, stream=httpx.ByteStream(b"no JSON")), PeerFault),
        (streamed({"choices": []}), PeerFault),
        (streamed({"choices": [{"message": {"content": None}}]}), PeerFault),
    ],
)
async def test_a_fault_tells_neither_key_nor_text(response: httpx.Response, fault: type[BeaverError]) -> None:
    with pytest.raises(fault) as caught:
        await openai(lambda _: response).complete("system", "conversation text", timeout_s=5)
    told = "".join(traceback.format_exception(caught.value))
    assert "mk-very-secret" not in told
    assert "conversation text" not in str(caught.value)


def test_without_a_provider_there_is_no_model() -> None:
    assert language_model(LanguageModelSettings()) is None
