"""A conversation through a chat server: streams that end well, that fail, and that are cut."""

from __future__ import annotations

from collections.abc import Callable

import httpx
import pytest

from beaver.cli.talk.conversation import Answer, Question
from beaver.cli.talk.server import ServerConversation
from beaver.errors import BeaverError, Forbidden, Unauthenticated, Unavailable

QUESTION = Question("Hello", "s-1", ("dams",))
ROLE = '{"id":"run-1","choices":[{"delta":{"role":"assistant","content":""}}]}'
PIECE = '{"id":"run-1","choices":[{"delta":{"content":"Dams"}}]}'
FINISH = (
    '{"id":"run-1","choices":[{"delta":{},"finish_reason":"stop"}],'
    '"usage":{"prompt_tokens":7,"completion_tokens":3,"total_tokens":10},'
    '"beaver":{"session_id":"s-1","run_id":"run-1","stop_reason":"stop","tools_used":["memory"],"provider":"scripted"}}'
)
FAILURE = '{"error":{"message":"the model is away","type":"unavailable_error","code":"unavailable","param":null}}'


async def ask(handle: Callable[[httpx.Request], httpx.Response], shown: list[str]) -> Answer:
    transport = httpx.MockTransport(handle)
    async with httpx.AsyncClient(transport=transport, base_url="http://server") as client:
        return await ServerConversation(client).ask(QUESTION, shown.append)


def stream(*data: str) -> Callable[[httpx.Request], httpx.Response]:
    text = ": keep-alive\n\n" + "".join(f"data: {each}\n\n" for each in data)
    return lambda _request: httpx.Response(200, text=text, headers={"X-Beaver-Session": "s-1"})


async def test_a_stream_is_shown_piece_by_piece_and_comes_to_an_answer() -> None:
    shown: list[str] = []
    answer = await ask(stream(ROLE, PIECE, PIECE, FINISH, "[DONE]"), shown)
    assert shown == ["Dams", "Dams"]
    assert answer == Answer(
        session_id="s-1",
        run_id="run-1",
        text="DamsDams",
        stop_reason="stop",
        usage={"input_tokens": 7, "output_tokens": 3},
        tools_used=("memory",),
        error=None,
        provider="scripted",
    )


async def test_a_server_of_an_earlier_release_does_not_tell_its_provider() -> None:
    older = FINISH.replace(',"provider":"scripted"', "")
    assert (await ask(stream(ROLE, PIECE, older, "[DONE]"), [])).provider is None


@pytest.mark.parametrize(
    ("data", "words"),
    [
        ((ROLE, PIECE, FAILURE), "the model is away"),
        ((ROLE, PIECE), "ended before the answer did"),
        ((), "ended before"),
    ],
)
async def test_a_stream_that_fails_or_is_cut_is_an_error_and_never_a_whole_answer(
    data: tuple[str, ...], words: str
) -> None:
    answer = await ask(stream(*data), [])
    assert answer.error == "unavailable"
    assert words in answer.text


async def test_a_refusal_comes_back_in_the_servers_words() -> None:
    def refuse(_request: httpx.Request) -> httpx.Response:
        problem = {"message": "skills: no such skill", "type": "x", "code": "invalid_input", "param": "skills"}
        return httpx.Response(400, json={"error": problem})

    answer = await ask(refuse, [])
    assert (answer.error, answer.text) == ("invalid_input", "skills: no such skill")


async def test_a_server_that_is_gone_is_unavailable() -> None:
    def gone(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("canary", request=request)

    with pytest.raises(Unavailable, match=r"the chat server does not answer \(ConnectError\)"):
        await ask(gone, [])


@pytest.mark.parametrize(("key", "sent"), [("sk-beaver-1", "Bearer sk-beaver-1"), (None, None), ("", None)])
async def test_a_key_goes_with_every_request_where_there_is_one(key: str | None, sent: str | None) -> None:
    heard: list[str | None] = []

    def answer(request: httpx.Request) -> httpx.Response:
        heard.append(request.headers.get("Authorization"))
        return httpx.Response(200, text=f"data: {ROLE}\n\ndata: {FINISH}\n\ndata: [DONE]\n\n")

    async with ServerConversation.at("http://127.0.0.1:1", key, transport=httpx.MockTransport(answer)) as conversation:
        await conversation.ask(QUESTION, lambda _piece: None)
    assert heard == [sent]


SESSION_ANSWERS = {
    200: {"id": "s 1", "title": None, "created_ms": 1, "updated_ms": 7},
    404: {"error": {"message": "there is no such session", "code": "not_found"}},
}


@pytest.mark.parametrize(("status", "used"), [(200, 7), (404, None)])
async def test_when_a_session_was_used_last_is_asked_of_the_server(status: int, used: int | None) -> None:
    def handle(request: httpx.Request) -> httpx.Response:
        assert (request.method, request.url.raw_path) == ("GET", b"/v1/sessions/s%201")
        return httpx.Response(status, json=SESSION_ANSWERS[status])

    async with httpx.AsyncClient(transport=httpx.MockTransport(handle), base_url="http://server") as client:
        assert await ServerConversation(client).last_used("s 1") == used


async def test_a_key_that_may_not_read_does_not_tell_whether_a_session_is_new() -> None:
    refused = httpx.MockTransport(lambda _request: httpx.Response(403, json={"error": {"code": "forbidden"}}))
    async with httpx.AsyncClient(transport=refused, base_url="http://server") as client:
        with pytest.raises(Unavailable, match="does not tell"):
            await ServerConversation(client).last_used("s-1")


async def test_what_the_person_said_in_a_session_is_read_from_its_messages() -> None:
    said = [
        {"role": "user", "content": "one"},
        {"role": "assistant", "content": "1"},
        {"role": "user", "content": "two"},
    ]

    def handle(request: httpx.Request) -> httpx.Response:
        if request.url.path == "/v1/sessions/none/messages":
            return httpx.Response(404)
        return (
            httpx.Response(403)
            if request.url.path != "/v1/sessions/s-1/messages"
            else httpx.Response(200, json={"data": said})
        )

    async with httpx.AsyncClient(transport=httpx.MockTransport(handle), base_url="http://server") as client:
        conversation = ServerConversation(client)
        assert await conversation.said("s-1") == ["one", "two"]
        assert await conversation.said("none") == []
        with pytest.raises(Unavailable, match="does not tell"):
            await conversation.said("other")


@pytest.mark.parametrize(
    ("answer", "lines"),
    [
        ({"lines": ["Pinned m_1."]}, ["Pinned m_1."]),
        ({"error": {"message": "no such item", "code": "not_found"}}, ["no such item"]),
    ],
)
async def test_a_line_about_the_memory_goes_to_the_session_and_comes_back_in_words(
    answer: dict[str, object], lines: list[str]
) -> None:
    def handle(request: httpx.Request) -> httpx.Response:
        assert request.url.raw_path == b"/v1/sessions/s%201/memory/command"
        return httpx.Response(200, json=answer)

    async with httpx.AsyncClient(transport=httpx.MockTransport(handle), base_url="http://server") as client:
        assert await ServerConversation(client).memory("/memory pin m_1", "s 1") == lines


@pytest.mark.parametrize(
    ("status", "code", "kind"), [(401, "unauthenticated", Unauthenticated), (403, "forbidden", Forbidden)]
)
async def test_a_line_about_the_memory_without_a_key_that_may_is_an_error(
    status: int, code: str, kind: type[BeaverError]
) -> None:
    refused = httpx.MockTransport(
        lambda _request: httpx.Response(status, json={"error": {"message": "not for this key", "code": code}})
    )
    async with httpx.AsyncClient(transport=refused, base_url="http://server") as client:
        with pytest.raises(kind, match="not for this key"):
            await ServerConversation(client).memory("/memory", "s-1")


async def test_something_else_that_answers_at_the_servers_address_is_unavailable() -> None:
    with pytest.raises(Unavailable, match="answers, but not as a chat server does"):
        await ask(lambda _request: httpx.Response(502, text="<html>Bad Gateway</html>"), [])
