"""A conversation through a running chat server, over HTTP."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import Any, Final
from urllib.parse import quote

import httpx

from beaver.cli.talk.conversation import SAID_MESSAGES_MAX, Answer, Question, Show
from beaver.errors import Forbidden, Unauthenticated, Unavailable
from beaver.schemas.chat import MODEL_ID, SESSION_HEADER

_PATH: Final = "/v1/chat/completions"
_OK: Final = 200
_NOT_FOUND: Final = 404
# The server says something at least every 15 s; an answer that is not streamed may take as long as it takes.
_SILENCE_S: Final = 60.0
_REFUSALS: Final = {401: Unauthenticated, 403: Forbidden}
_CUT: Final = {"code": "unavailable", "message": "the chat server ended before the answer did; ask again in a moment"}


class ServerConversation:
    """Over a chat server's HTTP API. The server's own machine: no proxy, no redirect."""

    def __init__(self, client: httpx.AsyncClient) -> None:
        """`client` has the server as its base URL; the caller closes it."""
        self._client = client

    @classmethod
    @asynccontextmanager
    async def at(
        cls, url: str, api_key: str | None = None, *, transport: httpx.AsyncBaseTransport | None = None
    ) -> AsyncIterator[ServerConversation]:
        """A conversation with the server at a URL, for the length of the block; `api_key` where the server wants one."""
        timeout = httpx.Timeout(10, read=_SILENCE_S)
        headers = {} if not api_key else {"Authorization": f"Bearer {api_key}"}
        async with httpx.AsyncClient(
            base_url=url, headers=headers, transport=transport, trust_env=False, timeout=timeout
        ) as client:
            yield cls(client)

    async def ask(self, question: Question, show: Show | None) -> Answer:
        """See Conversation. A run that the server could not begin comes back as an Answer with its error."""
        with _answering():
            return await (self._whole(question) if show is None else self._streamed(question, show))

    async def last_used(self, session_id: str) -> int | None:
        """See Conversation. A key that may not read sessions cannot tell."""
        with _answering():
            answer = await self._client.get(_session_path(session_id))
        if answer.status_code == _NOT_FOUND:
            return None
        if answer.status_code != _OK:
            raise Unavailable("the chat server does not tell whether there is such a session")
        return int(answer.json()["updated_ms"])

    async def said(self, session_id: str) -> list[str]:
        """See Conversation. A key that may not read sessions cannot tell."""
        with _answering():
            path = f"{_session_path(session_id)}/messages"
            answer = await self._client.get(path, params={"limit": SAID_MESSAGES_MAX})
        if answer.status_code == _NOT_FOUND:
            return []
        if answer.status_code != _OK:
            raise Unavailable("the chat server does not tell what was said in the session")
        return [str(message["content"]) for message in answer.json()["data"] if message["role"] == "user"]

    async def memory(self, line: str, session_id: str) -> list[str]:
        """See Conversation. What the server refuses to do is said in its own words; a key that may not ask is an error."""
        with _answering():
            answer = await self._client.post(f"{_session_path(session_id)}/memory/command", json={"line": line})
            raw = answer.json()
        kind = _REFUSALS.get(answer.status_code)
        if kind is not None:
            raise kind(str(raw["error"]["message"]))
        return [str(raw["error"]["message"])] if "error" in raw else [str(each) for each in raw["lines"]]

    async def settled(self, *, within_s: float) -> bool:  # noqa: ARG002 - of the protocol
        """See Conversation: `beaver up` stays and sees to it."""
        return True

    async def _whole(self, question: Question) -> Answer:
        request = self._client.build_request(
            "POST", _PATH, json=_body(question, stream=False), headers=_headers(question), timeout=None
        )
        response = await self._client.send(request)
        session_id, raw = _session_of(response, question), response.json()
        if "error" in raw:
            return _failed(session_id, None, raw["error"])
        return _answered(session_id, raw["choices"][0]["message"]["content"], raw)

    async def _streamed(self, question: Question, show: Show) -> Answer:
        heard = _Heard()
        body, headers = _body(question, stream=True), _headers(question)
        async with self._client.stream("POST", _PATH, json=body, headers=headers) as response:
            session_id = _session_of(response, question)
            if response.status_code != _OK:
                return _failed(session_id, None, json.loads(await response.aread())["error"])
            async with self._stopping(heard):
                async for line in response.aiter_lines():
                    heard.line(line, show)
        return heard.answer(session_id)

    @asynccontextmanager
    async def _stopping(self, heard: _Heard) -> AsyncIterator[None]:
        """Where listening is broken off, the run is told to stop: the server would finish it otherwise."""
        try:
            yield
        except BaseException:
            if heard.run_id is not None:
                with suppress(httpx.HTTPError):
                    await self._client.post(f"/v1/runs/{heard.run_id}/stop")
            raise


class _Heard:
    """What has come of a stream so far."""

    def __init__(self) -> None:
        self.run_id: str | None = None
        self._pieces: list[str] = []
        self._error: Mapping[str, Any] | None = None
        self._last: Mapping[str, Any] | None = None

    def line(self, line: str, show: Show) -> None:
        """Take in one line of the stream."""
        data = line.removeprefix("data: ")
        if data == line or data == "[DONE]":
            return
        chunk = json.loads(data)
        if "error" in chunk:
            self._error = chunk["error"]
            return
        self.run_id = chunk["id"]
        if "beaver" in chunk:
            self._last = chunk
        for choice in chunk["choices"]:
            piece = choice["delta"].get("content")
            if piece:
                self._pieces.append(piece)
                show(piece)

    def answer(self, session_id: str) -> Answer:
        """What the stream came to: one that ended without its last chunk was cut."""
        if self._error is not None or self._last is None:
            return _failed(session_id, self.run_id, self._error or _CUT)
        return _answered(session_id, "".join(self._pieces), self._last)


@contextmanager
def _answering() -> Iterator[None]:
    try:
        yield
    except httpx.HTTPError as error:
        raise Unavailable(f"the chat server does not answer ({type(error).__name__})") from None
    except json.JSONDecodeError:
        raise Unavailable("something answers, but not as a chat server does") from None


def _session_path(session_id: str) -> str:
    return f"/v1/sessions/{quote(session_id, safe='')}"


def _body(question: Question, *, stream: bool) -> dict[str, Any]:
    return {
        "model": MODEL_ID,
        "messages": [{"role": "user", "content": question.prompt}],
        "stream": stream,
        "beaver": {"skills": list(question.skills)},
    }


def _headers(question: Question) -> list[tuple[bytes, bytes]]:
    return [] if question.session_id is None else [(SESSION_HEADER.encode(), question.session_id.encode())]


def _session_of(response: httpx.Response, question: Question) -> str:
    return str(response.headers.get(SESSION_HEADER) or question.session_id or "")


def _answered(session_id: str, text: str, raw: Mapping[str, Any]) -> Answer:
    usage, outcome = raw["usage"], raw["beaver"]
    return Answer(
        session_id=session_id,
        run_id=outcome["run_id"],
        text=text,
        stop_reason=outcome["stop_reason"],
        usage={"input_tokens": usage["prompt_tokens"], "output_tokens": usage["completion_tokens"]},
        tools_used=tuple(outcome["tools_used"]),
        error=None,
        provider=outcome.get("provider"),
    )


def _failed(session_id: str, run_id: str | None, problem: Mapping[str, Any]) -> Answer:
    return Answer(session_id, run_id, str(problem["message"]), "error", {}, (), str(problem["code"]), None)
