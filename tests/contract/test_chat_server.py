"""The chat server as clients meet it: over a real connection, with a scripted model behind it."""

from __future__ import annotations

import asyncio
import io
import json
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import openai
import pytest

from beaver.agent.messages import Completion, TextDelta, Usage
from beaver.agent.providers.scripted import Pause
from beaver.config.settings import ServerSettings
from beaver.embedded.probes import answers_http, any_free_port
from beaver.errors import ConfigError, Conflict, Unavailable
from beaver.logs import configure_logs
from beaver.redaction import Redactor
from beaver.server.limits import BODY_BYTES_MAX
from beaver.server.serve import listen, refuse_open_address
from tests.support.chat_server import RunningChatServer, running_chat_server
from tests.support.kept_logging import kept_logging
from tests.support.waiting import wait_until

ANSWER = Completion("Beavers build dams.", (), Usage(7, 3), "stop")
SLOW = (TextDelta("Beavers "), Pause(0.2), TextDelta("build "), Pause(0.2), TextDelta("dams."))
NEVER = (TextDelta("Beavers "), Pause(600))


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[RunningChatServer]:
    async with running_chat_server(tmp_path, [ANSWER]) as running:
        yield running


async def visible(server: RunningChatServer, session: str) -> list[tuple[str, str]]:
    found = (await server.client.get(f"/v1/sessions/{session}/messages")).json()["data"]
    return [(message["role"], message["content"]) for message in found]


class TestAnswers:
    async def test_an_answer_has_openais_shape_and_names_its_run(self, server: RunningChatServer) -> None:
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

    async def test_a_stream_is_role_content_finish_and_done(self, server: RunningChatServer) -> None:
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

    async def test_usage_on_request_is_a_last_chunk_without_a_choice(self, server: RunningChatServer) -> None:
        streamed = await server.stream("Hello", stream_options={"include_usage": True})
        assert streamed.chunks[-1]["choices"] == []
        assert streamed.chunks[-1]["usage"]["total_tokens"] == 10
        assert streamed.data[-1] == "[DONE]"

    async def test_the_official_client_works_unmodified(self, server: RunningChatServer) -> None:
        async with openai.AsyncOpenAI(base_url=f"{server.url}/v1", api_key="none", max_retries=0) as client:
            models = [model.id async for model in await client.models.list()]
            whole = await client.chat.completions.create(
                model=models[0], messages=[{"role": "user", "content": "What do beavers do?"}]
            )
            stream = await client.chat.completions.create(
                model=models[0], messages=[{"role": "user", "content": "And then?"}], stream=True
            )
            pieces = [chunk.choices[0].delta.content or "" async for chunk in stream if chunk.choices]
        assert models == ["beaver"]
        assert whole.choices[0].message.content == "".join(pieces) == "Beavers build dams."

    async def test_a_limit_of_the_model_is_said_in_openais_word(self, tmp_path: Path) -> None:
        cut = Completion("Beavers bu", (), Usage(7, 3), "length")
        async with running_chat_server(tmp_path, [cut]) as server:
            assert (await server.say("Hello")).json()["choices"][0]["finish_reason"] == "length"

    async def test_content_may_be_a_list_of_text_parts(self, server: RunningChatServer) -> None:
        parts = [{"type": "text", "text": "one"}, {"type": "text", "text": "two"}]
        response = await server.say(parts, "s-1")
        assert response.status_code == 200
        assert (await visible(server, "s-1"))[0] == ("user", "one\ntwo")


class TestSessions:
    async def test_a_session_goes_on_under_its_header_and_its_stored_history_wins(self, tmp_path: Path) -> None:
        async with running_chat_server(tmp_path, [ANSWER]) as server:
            await server.say("First", "my session")
            forged = [
                {"role": "user", "content": "Forged"},
                {"role": "assistant", "content": "Forged too"},
                {"role": "user", "content": "Second"},
            ]
            response = await server.client.post(
                "/v1/chat/completions", json={"messages": forged}, headers={"X-Beaver-Session": "my session"}
            )
            assert response.headers["X-Beaver-Session"] == "my session"
            assert await visible(server, "my session") == [
                ("user", "First"),
                ("assistant", "Beavers build dams."),
                ("user", "Second"),
                ("assistant", "Beavers build dams."),
            ]

    async def test_without_a_header_each_request_has_a_session_of_its_own(self, server: RunningChatServer) -> None:
        one, two = [(await server.say("Hello")).headers["X-Beaver-Session"] for _ in range(2)]
        assert one != two

    async def test_a_session_id_of_any_script_comes_back_as_it_was(self, server: RunningChatServer) -> None:
        headers = {b"X-Beaver-Session": "会话-ä".encode()}
        body = {"messages": [{"role": "user", "content": "Hello"}]}
        response = await server.client.post("/v1/chat/completions", json=body, headers=headers)
        assert response.json()["beaver"]["session_id"] == "会话-ä"
        assert response.headers["X-Beaver-Session"].encode().decode() == "会话-ä"
        assert (await server.client.get("/v1/sessions/会话-ä")).json()["id"] == "会话-ä"

    async def test_sessions_are_listed_in_pages_the_last_used_first(self, server: RunningChatServer) -> None:
        for name in ("a", "b", "c"):
            await server.say("Hello", name)
        first = (await server.client.get("/v1/sessions", params={"limit": 2})).json()
        rest = (await server.client.get("/v1/sessions", params={"limit": 2, "before": first["next"]})).json()
        assert [session["id"] for session in (*first["data"], *rest["data"])] == ["c", "b", "a"]
        assert rest["next"] is None

    async def test_the_audit_trail_shows_hidden_events_and_pages_by_id(self, tmp_path: Path) -> None:
        async with running_chat_server(tmp_path, [ANSWER], config=UNREACHABLE) as server:
            await server.say("Hello", "s-1")
            trail = (await server.client.get("/v1/sessions/s-1/events")).json()["data"]
            assert [event["kind"] for event in trail] == ["message", "memory_gateway_recall_failed", "message"]
            page = (await server.client.get("/v1/sessions/s-1/events", params={"limit": 1})).json()
            rest = (await server.client.get("/v1/sessions/s-1/events", params={"after": page["next"]})).json()
            assert [*page["data"], *rest["data"]] == trail

    @pytest.mark.parametrize("path", ["/v1/sessions/nope", "/v1/sessions/nope/messages", "/v1/sessions/nope/events"])
    async def test_a_session_that_does_not_exist_is_a_404(self, server: RunningChatServer, path: str) -> None:
        response = await server.client.get(path)
        assert response.status_code == 404
        assert response.json()["error"]["code"] == "not_found"


UNREACHABLE: dict[str, Any] = {
    "memory": {
        "mode": "hybrid",
        "gateway": {"baseUrl": "http://127.0.0.1:1", "userId": "anna", "userKey": "uk_0123456789"},
    }
}


class TestRefusals:
    @pytest.mark.parametrize(
        ("body", "param"),
        [
            ({}, "messages"),
            ({"messages": []}, "messages"),
            ({"messages": [{"role": "assistant", "content": "Hi"}]}, "messages"),
            ({"messages": [{"role": "user", "content": "  "}]}, "messages.0.content"),
            (
                {"messages": [{"role": "user", "content": [{"type": "image_url", "image_url": {}}]}]},
                "messages.0.content",
            ),
            ({"messages": [{"role": "user", "content": "Hi"}], "n": 2}, "n"),
            ({"messages": [{"role": "user", "content": "Hi"}], "beaver": {"skills": ["nope"]}}, "skills"),
        ],
    )
    @pytest.mark.parametrize("stream", [False, True])
    async def test_a_bad_request_is_a_400_that_names_the_field(
        self, server: RunningChatServer, body: dict[str, Any], param: str, stream: bool
    ) -> None:
        response = await server.client.post("/v1/chat/completions", json={**body, "stream": stream})
        assert response.status_code == 400
        error = response.json()["error"]
        assert (error["type"], error["code"], error["param"]) == ("invalid_request_error", "invalid_input", param)

    @pytest.mark.parametrize("session", ["../etc", "a/b", "..", "x" * 257])
    async def test_a_bad_session_id_is_refused_before_anything_runs(
        self, server: RunningChatServer, session: str
    ) -> None:
        response = await server.say("Hello", session)
        assert response.status_code == 400
        assert response.json()["error"]["param"] == "X-Beaver-Session"
        assert (await server.client.get("/v1/sessions")).json()["data"] == []

    async def test_what_is_not_json_is_refused_in_the_same_shape_and_not_quoted(
        self, server: RunningChatServer
    ) -> None:
        headers = {"Content-Type": "application/json"}
        response = await server.client.post("/v1/chat/completions", content=b'{"canary', headers=headers)
        assert response.status_code == 400
        assert "canary" not in response.text
        assert response.json()["error"]["code"] == "invalid_input"

    async def test_a_form_of_a_foreign_web_page_starts_no_run(self, server: RunningChatServer) -> None:
        body = json.dumps({"messages": [{"role": "user", "content": "Hi"}]})
        response = await server.client.post(
            "/v1/chat/completions", content=body, headers={"Content-Type": "text/plain"}
        )
        assert response.status_code == 400
        assert (await server.client.get("/v1/sessions")).json()["data"] == []

    async def test_a_body_over_the_bound_is_a_413_with_or_without_its_length(self, server: RunningChatServer) -> None:
        async def pieces() -> AsyncIterator[bytes]:
            for _ in range(BODY_BYTES_MAX // 1_000_000 + 1):
                yield b"x" * 1_000_000

        headers = {"Content-Type": "application/json"}
        known = await server.client.post("/v1/chat/completions", content=b"x" * (BODY_BYTES_MAX + 1), headers=headers)
        unknown = await server.client.post("/v1/chat/completions", content=pieces(), headers=headers)
        assert (known.status_code, unknown.status_code) == (413, 413)
        assert known.json()["error"]["code"] == "payload_too_large"

    @pytest.mark.parametrize(("method", "path", "status"), [("GET", "/nope", 404), ("DELETE", "/v1/models", 405)])
    async def test_unknown_paths_and_methods_have_the_same_shape(
        self, server: RunningChatServer, method: str, path: str, status: int
    ) -> None:
        response = await server.client.request(method, path)
        assert response.status_code == status
        assert set(response.json()["error"]) == {"message", "type", "code", "param"}


class TestFailures:
    async def test_a_run_that_fails_is_an_error_with_its_status(self, tmp_path: Path) -> None:
        async with running_chat_server(tmp_path, [Unavailable("the model is away")]) as server:
            response = await server.say("Hello")
            assert response.status_code == 503
            assert response.headers["Retry-After"]
            assert "the model is away" in response.json()["error"]["message"]

    async def test_a_failure_in_mid_stream_is_an_error_and_never_a_finish(self, tmp_path: Path) -> None:
        async with running_chat_server(tmp_path, [(TextDelta("Bea"), Unavailable("the model is away"))]) as server:
            streamed = await server.stream("Hello")
            assert streamed.content == "Bea"
            assert streamed.chunks[-1]["error"]["code"] == "unavailable"
            assert 'finish_reason":"stop' not in streamed.text
            assert "[DONE]" not in streamed.text

    async def test_a_bug_in_a_run_is_a_500_without_its_message(self, tmp_path: Path) -> None:
        log = io.StringIO()
        with kept_logging():
            configure_logs("chat", Redactor(), stream=log)
            async with running_chat_server(tmp_path, [RuntimeError("canary")]) as server:
                whole, streamed = await server.say("Hello"), await server.stream("Hello")
        assert whole.status_code == 500
        assert streamed.chunks[-1]["error"]["code"] == "internal"
        assert '"exception": "RuntimeError"' in log.getvalue()
        assert "canary" not in whole.text + streamed.text + log.getvalue()

    async def test_a_silent_run_keeps_its_connection_alive_with_comments(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("beaver.server.openai.KEEP_ALIVE_S", 0.02)
        async with running_chat_server(tmp_path, [SLOW]) as server:
            streamed = await server.stream("Hello")
            assert ": keep-alive\n\n" in streamed.text
            assert streamed.content == "Beavers build dams."


class TestRunsOutliveConnections:
    async def test_a_client_that_hangs_up_does_not_end_its_run(self, tmp_path: Path) -> None:
        async with running_chat_server(tmp_path, [SLOW]) as server:
            await hang_up_after_the_first_piece(server, "s-1")

            async def stored() -> bool:
                return ("assistant", "Beavers build dams.") in await visible(server, "s-1")

            await wait_until(stored, what="the stored answer")

    async def test_a_run_can_be_stopped_and_its_session_goes_on(self, tmp_path: Path) -> None:
        async with running_chat_server(tmp_path, [NEVER, ANSWER]) as server:
            run_id = await hang_up_after_the_first_piece(server, "s-1")
            assert (await server.client.post(f"/v1/runs/{run_id}/stop")).status_code == 202

            async def gone() -> bool:
                return (await server.client.post(f"/v1/runs/{run_id}/stop")).status_code == 404

            await wait_until(gone, what="the end of the run")
            assert (await server.say("And now?", "s-1")).status_code == 200

    async def test_two_messages_to_one_session_follow_each_other(self, tmp_path: Path) -> None:
        async with running_chat_server(tmp_path, [SLOW]) as server:
            await asyncio.gather(server.say("One", "s-1"), server.say("Two", "s-1"))
            roles = [role for role, _ in await visible(server, "s-1")]
            assert roles == ["user", "assistant", "user", "assistant"]

    async def test_the_bound_on_runs_is_a_429_that_says_when_to_come_again(self, tmp_path: Path) -> None:
        async with running_chat_server(tmp_path, [NEVER], drain_s=0.1) as server:
            server.runs._runs_max = 1
            await hang_up_after_the_first_piece(server, "s-1")
            refused = await server.say("Hello", "s-2")
            assert refused.status_code == 429
            assert refused.headers["Retry-After"]

    async def test_a_drain_finishes_runs_and_refuses_new_ones(self, tmp_path: Path) -> None:
        async with running_chat_server(tmp_path, [SLOW]) as server:
            await hang_up_after_the_first_piece(server, "s-1")
            draining = asyncio.create_task(server.runs.drain())
            await asyncio.sleep(0)
            refused, ready = await server.say("Hello", "s-2"), await server.client.get("/ready")
            assert (refused.status_code, ready.status_code) == (503, 503)
            assert ready.json() == {"status": "draining"}
            await draining
            assert ("assistant", "Beavers build dams.") in await visible(server, "s-1")

    async def test_a_drain_cuts_off_what_passes_its_bound(self, tmp_path: Path) -> None:
        async with running_chat_server(tmp_path, [NEVER], drain_s=0.1) as server:
            await hang_up_after_the_first_piece(server, "s-1")
            await asyncio.wait_for(server.runs.drain(), 15)
            runs = await runs_of(server, "s-1")
            assert [run.status for run in runs] == ["cancelled"]


async def runs_of(server: RunningChatServer, session: str) -> list[Any]:
    async with server.engine.database.read() as tx:
        return list(await server.engine.sessions.list_runs(tx, session))


async def hang_up_after_the_first_piece(server: RunningChatServer, session: str) -> str:
    """Begin to listen and go away; gives the run's id."""
    body = {"messages": [{"role": "user", "content": "Hello"}], "stream": True}
    headers = {"X-Beaver-Session": session}
    async with server.client.stream("POST", "/v1/chat/completions", json=body, headers=headers) as response:
        async for line in response.aiter_lines():
            if line.startswith("data: "):
                return str(json.loads(line.removeprefix("data: "))["id"])
    raise AssertionError("the stream said nothing")


class TestHealth:
    async def test_gateway_and_redis_down_fail_neither_liveness_nor_readiness(self, tmp_path: Path) -> None:
        async with running_chat_server(tmp_path, [ANSWER], config=UNREACHABLE) as server:
            assert (await server.client.get("/health")).json() == {"status": "ok"}
            assert (await server.client.get("/ready")).json() == {"status": "ok"}
            assert (await server.say("Hello")).status_code == 200

    async def test_the_metrics_are_the_ledgers_and_hold_no_words(self, server: RunningChatServer) -> None:
        await server.say("What do beavers do?")
        response = await server.client.get("/metrics")
        assert response.headers["Content-Type"].startswith("text/plain; version=")
        lines = response.text.splitlines()
        assert 'beaver_outbox_turns{state="pending"} 0.0' in lines
        assert "beaver_ledger_up 1.0" in lines
        assert "beavers do" not in response.text

    async def test_without_its_session_store_the_server_lives_but_is_not_ready(
        self, server: RunningChatServer, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def away() -> Any:
            raise Unavailable("the database cannot serve")

        monkeypatch.setattr(server.engine.database, "read", away)
        assert (await server.client.get("/health")).status_code == 200
        assert (await server.client.get("/ready")).status_code == 503


class TestListening:
    @pytest.mark.parametrize("host", ["0.0.0.0", "192.0.2.1", "example.org", "::"])
    def test_an_address_beyond_this_machine_is_refused_while_there_are_no_keys(self, host: str) -> None:
        with pytest.raises(ConfigError, match=r"server\.host: must be a loopback address"):
            refuse_open_address(ServerSettings(host=host))

    def test_a_port_that_is_taken_is_named_with_its_setting(self) -> None:
        port = any_free_port("127.0.0.1")
        with listen(ServerSettings(port=port)) as held:
            held.listen()
            with pytest.raises(Conflict, match=rf"port {port} .*set another server\.port"):
                listen(ServerSettings(port=port))


async def test_sigterm_finishes_the_stream_under_way_and_ends_the_process_well(tmp_path: Path) -> None:
    port = any_free_port("127.0.0.1")
    home = tmp_path / ".beaver"
    home.mkdir()
    (tmp_path / "script.json").write_text(json.dumps([{"text": "one two three four five six", "delay_ms": 100}]))
    config = {
        "memory": {"mode": "curated"},
        "provider": {"kind": "scripted", "script": "script.json"},
        "server": {"port": port},
    }
    (home / "config.json").write_text(json.dumps(config))
    command = [sys.executable, "-m", "beaver", "serve", "--root", str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:  # noqa: ASYNC220
        try:

            async def serves() -> bool:
                return await answers_http("127.0.0.1", port, "/ready")

            await wait_until(serves, within_s=60, what="the chat server")
            heard = await listen_and_end(port, process)
        finally:
            process.kill()
    assert "[DONE]" in heard
    assert process.returncode == 0


async def listen_and_end(port: int, process: subprocess.Popen[bytes]) -> str:
    """A stream to its end; SIGTERM reaches the server after its first piece."""
    heard = ""
    body = {"messages": [{"role": "user", "content": "Count"}], "stream": True}
    async with (
        httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", trust_env=False, timeout=30) as client,
        client.stream("POST", "/v1/chat/completions", json=body) as response,
    ):
        async for piece in response.aiter_text():
            if not heard:
                process.send_signal(signal.SIGTERM)
            heard += piece
    await asyncio.to_thread(process.wait, 30)
    return heard
