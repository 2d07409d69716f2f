"""Chat completions and models by the official Python client, unmodified: every answer, chunk and error by its own models."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import openai
import pytest
from openai.types import Model
from openai.types.chat import ChatCompletion, ChatCompletionChunk

from beaver.agent.messages import Completion, TextDelta, Usage
from beaver.errors import LimitExceeded, Unavailable
from tests.support.chat_server import RunningChatServer, running_chat_server

ANSWER = Completion("Beavers build dams.", (), Usage(7, 3), "stop")
HELLO: Any = [{"role": "user", "content": "Hello"}]


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[RunningChatServer]:
    async with running_chat_server(tmp_path, [ANSWER]) as running:
        yield running


def official(server: RunningChatServer, *, max_retries: int = 0) -> openai.AsyncOpenAI:
    return openai.AsyncOpenAI(base_url=f"{server.url}/v1", api_key="none", max_retries=max_retries)


async def test_an_answer_has_every_required_key(server: RunningChatServer) -> None:
    body = (await server.say("Hello")).text

    completion = ChatCompletion.model_validate_json(body, strict=True)

    assert completion.choices[0].message.content == "Beavers build dams."
    assert completion.choices[0].message.refusal is None
    assert completion.usage is not None
    assert completion.usage.total_tokens == 10


@pytest.mark.parametrize("options", [{}, {"stream_options": {"include_usage": True}}, {"stream_options": None}])
async def test_every_chunk_has_every_required_key(server: RunningChatServer, options: dict[str, Any]) -> None:
    streamed = await server.stream("Hello", **options)

    chunks = [ChatCompletionChunk.model_validate_json(data, strict=True) for data in streamed.data[:-1]]

    assert [choice.finish_reason for chunk in chunks for choice in chunk.choices][-1] == "stop"
    assert [chunk.usage.total_tokens for chunk in chunks if chunk.usage is not None] == [10]


async def test_the_clients_stream_puts_the_answer_together_with_its_usage(server: RunningChatServer) -> None:
    async with (
        official(server) as client,
        client.chat.completions.stream(
            model="beaver", messages=HELLO, stream_options={"include_usage": True}
        ) as stream,
    ):
        async for _ in stream:
            pass
        final = await stream.get_final_completion()

    assert final.choices[0].message.content == "Beavers build dams."
    assert final.usage is not None
    assert final.usage.total_tokens == 10


async def test_parameters_that_clients_often_send_are_accepted(server: RunningChatServer) -> None:
    async with official(server) as client:
        answer = await client.chat.completions.create(
            model="beaver",
            messages=[{"role": "developer", "content": "Be kind"}, {"role": "user", "content": [text_part("Hello")]}],
            temperature=0.2,
            top_p=0.9,
            max_completion_tokens=100,
            n=1,
            presence_penalty=0,
            seed=7,
            stop=["end"],
            user="anna",
            metadata={"app": "test"},
            store=False,
        )

    assert answer.choices[0].message.content == "Beavers build dams."


def text_part(text: str) -> Any:
    return {"type": "text", "text": text}


async def test_the_models_are_listed_and_read(server: RunningChatServer) -> None:
    async with official(server) as client:
        models = [model async for model in await client.models.list()]
        one = await client.models.retrieve("beaver-no-memory")

    assert [Model.model_validate(model.to_dict(), strict=True).id for model in models] == ["beaver", "beaver-no-memory"]
    assert one == models[1]


class TestErrors:
    async def test_a_model_that_does_not_exist_is_the_clients_not_found(self, server: RunningChatServer) -> None:
        async with official(server) as client:
            with pytest.raises(openai.NotFoundError) as missing:
                await client.models.retrieve("nope")
        assert missing.value.code == "not_found"

    async def test_a_bad_request_is_the_clients_bad_request_and_names_the_field(
        self, server: RunningChatServer
    ) -> None:
        async with official(server) as client:
            with pytest.raises(openai.BadRequestError) as refused:
                await client.chat.completions.create(model="beaver", messages=[])
        assert (refused.value.type, refused.value.param) == ("invalid_request_error", "messages")

    async def test_a_failure_in_mid_stream_is_raised_after_what_was_said(self, tmp_path: Path) -> None:
        heard: list[ChatCompletionChunk] = []
        script = [(TextDelta("Bea"), Unavailable("the model is away"))]
        async with running_chat_server(tmp_path, script) as server, official(server) as client:
            stream = await client.chat.completions.create(model="beaver", messages=HELLO, stream=True)
            with pytest.raises(openai.APIError, match="the model is away"):
                await hear(stream, heard)
        assert "".join(choice.delta.content or "" for chunk in heard for choice in chunk.choices) == "Bea"

    @pytest.mark.parametrize("error", [Unavailable("away"), LimitExceeded("busy"), RuntimeError("a bug")])
    async def test_a_run_that_began_and_failed_is_not_sent_again_by_the_client(
        self, tmp_path: Path, error: Exception
    ) -> None:
        calls: list[Any] = []

        def fail(request: Any) -> Exception:
            calls.append(request)
            return error

        async with running_chat_server(tmp_path, [fail]) as server, official(server, max_retries=3) as client:
            with pytest.raises(openai.APIStatusError) as failed:
                await client.chat.completions.create(model="beaver", messages=HELLO)
        assert failed.value.response.headers["x-should-retry"] == "false"
        assert len(calls) == 1

    async def test_a_run_that_never_began_may_be_sent_again(self, server: RunningChatServer) -> None:
        server.runs._runs_max = 0

        refused = await server.say("Hello")

        assert refused.status_code == 429
        assert refused.headers["Retry-After"]
        assert "x-should-retry" not in refused.headers


async def hear(stream: AsyncIterator[ChatCompletionChunk], heard: list[ChatCompletionChunk]) -> None:
    """Keep what comes, until it ends or raises."""
    async for chunk in stream:
        heard.append(chunk)
