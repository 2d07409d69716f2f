"""Answers whole and streamed, in OpenAI's shape."""

from __future__ import annotations

from pathlib import Path

import openai

from beaver.agent.messages import Completion, Usage
from tests.contract.chat_server.scene import visible
from tests.support.chat_server import RunningChatServer, running_chat_server


async def test_an_answer_has_openais_shape_and_names_its_run(server: RunningChatServer) -> None:
    response = await server.say("What do beavers do?", model="anything")
    body = response.json()
    assert response.status_code == 200
    assert body["object"] == "chat.completion"
    assert body["model"] == "anything"
    assert body["choices"] == [
        {
            "index": 0,
            "message": {"role": "assistant", "content": "Beavers build dams.", "refusal": None},
            "logprobs": None,
            "finish_reason": "stop",
        }
    ]
    assert body["usage"] == {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}
    assert body["id"] == body["beaver"]["run_id"]
    assert body["beaver"]["session_id"] == response.headers["X-Beaver-Session"]
    assert body["beaver"]["provider"] == "scripted"


async def test_a_stream_is_role_content_finish_and_done(server: RunningChatServer) -> None:
    streamed = await server.stream("What do beavers do?")
    first, *middle, last = streamed.chunks
    assert first["choices"][0]["delta"] == {"role": "assistant", "content": ""}
    assert streamed.content == "Beavers build dams."
    assert all(chunk["choices"][0]["finish_reason"] is None for chunk in (first, *middle))
    assert last["choices"] == [{"index": 0, "delta": {}, "logprobs": None, "finish_reason": "stop"}]
    assert last["usage"]["total_tokens"] == 10
    assert streamed.data[-1] == "[DONE]"
    assert {chunk["id"] for chunk in streamed.chunks} == {last["beaver"]["run_id"]}
    assert streamed.response.headers["Cache-Control"] == "no-cache"
    assert streamed.response.headers["X-Accel-Buffering"] == "no"
    assert streamed.response.headers["Content-Type"].startswith("text/event-stream")


async def test_usage_on_request_is_a_last_chunk_without_a_choice(server: RunningChatServer) -> None:
    streamed = await server.stream("Hello", stream_options={"include_usage": True})
    assert streamed.chunks[-1]["choices"] == []
    assert streamed.chunks[-1]["usage"]["total_tokens"] == 10
    assert streamed.data[-1] == "[DONE]"


async def test_the_official_client_works_unmodified(server: RunningChatServer) -> None:
    async with openai.AsyncOpenAI(base_url=f"{server.url}/v1", api_key="none", max_retries=0) as client:
        models = [model.id async for model in await client.models.list()]
        whole = await client.chat.completions.create(
            model=models[0], messages=[{"role": "user", "content": "What do beavers do?"}]
        )
        stream = await client.chat.completions.create(
            model=models[0], messages=[{"role": "user", "content": "And then?"}], stream=True
        )
        pieces = [chunk.choices[0].delta.content or "" async for chunk in stream if chunk.choices]
    assert models == ["beaver", "beaver-no-memory"]
    assert whole.choices[0].message.content == "".join(pieces) == "Beavers build dams."


async def test_a_limit_of_the_model_is_said_in_openais_word(tmp_path: Path) -> None:
    cut = Completion("Beavers bu", (), Usage(7, 3), "length")
    async with running_chat_server(tmp_path, [cut]) as server:
        assert (await server.say("Hello")).json()["choices"][0]["finish_reason"] == "length"


async def test_content_may_be_a_list_of_text_parts(server: RunningChatServer) -> None:
    parts = [{"type": "text", "text": "one"}, {"type": "text", "text": "two"}]
    response = await server.say(parts, "s-1")
    assert response.status_code == 200
    assert (await visible(server, "s-1"))[0] == ("user", "one\ntwo")
