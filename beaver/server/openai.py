"""OpenAI's chat completions over a run: the last user message is the prompt, the server's stored history is the rest."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from typing import Annotated, Final

from fastapi import APIRouter, Header, Request, Response
from fastapi.responses import StreamingResponse

from beaver.agent.messages import TextDelta
from beaver.agent.results import AgentRunResult, RunRequest, RunStarted
from beaver.errors import BeaverError, InvalidInput
from beaver.ids import new_id, validate_session_id
from beaver.schemas.chat import (
    MODEL_ID,
    SESSION_HEADER,
    AssistantMessage,
    ChatCompletion,
    ChatCompletionChunk,
    ChatCompletionRequest,
    ChatMessage,
    Choice,
    ChunkChoice,
    Delta,
    FinishReason,
    ModelCard,
    ModelList,
    RunOutcome,
    TokenUsage,
)
from beaver.schemas.problems import problem_body, problem_of
from beaver.server.problems import RunFailed
from beaver.server.runs import Run, RunRegistry
from beaver.server.sse import COMMENT, DONE, SSE_HEADERS, sse

KEEP_ALIVE_S: Final = 15.0
# A run that is refused at once answers with an HTTP status; one that waits for its session longer begins to stream.
BEGIN_WITHIN_S: Final = 2.0

router = APIRouter(prefix="/v1")


@router.get("/models")
async def models() -> ModelList:
    """The one model: the agent."""
    return ModelList(data=[ModelCard(id=MODEL_ID)])


@router.post("/chat/completions", response_model=ChatCompletion)
async def chat_completions(
    body: ChatCompletionRequest,
    request: Request,
    session: Annotated[str | None, Header(alias=SESSION_HEADER)] = None,
) -> Response:
    """One turn of a session. Without a session header a fresh session is made; its id is in the answer's header."""
    session_id = new_id("session") if session is None else validate_session_id(from_header(session), SESSION_HEADER)
    wanted = RunRequest(prompt_of(body.messages), session_id, tuple(body.beaver.skills))
    runs: RunRegistry = request.app.state.runs
    run = runs.start(wanted)
    headers = {SESSION_HEADER: to_header(session_id)}
    if not body.stream:
        completion = _completion(body, await run.result())
        return Response(completion.model_dump_json(), media_type="application/json", headers=headers)
    await run.begun(within_s=BEGIN_WITHIN_S)
    return StreamingResponse(_stream(body, run), media_type="text/event-stream", headers={**headers, **SSE_HEADERS})


def prompt_of(messages: list[ChatMessage]) -> str:
    """The text of the last user message. Raises InvalidInput where there is none, or it holds more than text."""
    for index in range(len(messages) - 1, -1, -1):
        if messages[index].role == "user":
            return _text(messages[index], f"messages.{index}.content")
    raise InvalidInput("messages", "must hold a message of role user")


def _text(message: ChatMessage, field: str) -> str:
    if message.content is None or isinstance(message.content, str):
        text = message.content or ""
    else:
        if any(part.type not in {"text", "input_text"} for part in message.content):
            raise InvalidInput(field, "must hold text parts only")
        text = "\n".join(part.text for part in message.content)
    if not text.strip():
        raise InvalidInput(field, "must not be blank")
    return text


def _completion(body: ChatCompletionRequest, result: AgentRunResult) -> ChatCompletion:
    if result.error is not None:
        raise RunFailed(result.error, result.text)
    choice = Choice(message=AssistantMessage(content=result.text), finish_reason=finish_reason(result))
    return ChatCompletion(
        id=result.run_id,
        created=int(time.time()),
        model=body.model,
        choices=[choice],
        usage=_usage(result),
        beaver=_outcome(result),
    )


async def _stream(body: ChatCompletionRequest, run: Run) -> AsyncIterator[str]:
    """Role chunk, content chunks, finish chunk, usage on request, [DONE]; or an error, and then nothing more."""
    chunks = _Chunks(body.model)
    async for event in run.follow(idle_s=KEEP_ALIVE_S):
        match event:
            case None:
                yield COMMENT
            case RunStarted():
                chunks.id = event.run_id
                yield sse(chunks.chunk(Delta(role="assistant", content="")))
            case TextDelta():
                yield sse(chunks.chunk(Delta(content=event.text)))
            case _:
                continue
    try:
        result = await run.result()
    except BeaverError as error:
        yield sse(problem_body(error))
        return
    # The edge of this process: the status line is out, so only the stream can say that the run crashed; the registry
    # has logged it.
    except Exception:
        yield sse(problem_of("internal", "the run ended by a fault of the server"))
        return
    if result.error is not None:
        yield sse(problem_of(result.error, result.text))
        return
    yield sse(chunks.finish(result))
    if body.stream_options.include_usage:
        yield sse(chunks.usage(result))
    yield DONE


class _Chunks:
    """Builds the chunks of one stream, which share their id and time."""

    def __init__(self, model: str) -> None:
        self.id = ""
        self._created = int(time.time())
        self._model = model

    def chunk(self, delta: Delta) -> ChatCompletionChunk:
        return self._made([ChunkChoice(delta=delta)])

    def finish(self, result: AgentRunResult) -> ChatCompletionChunk:
        choice = ChunkChoice(delta=Delta(), finish_reason=finish_reason(result))
        return self._made([choice]).model_copy(update={"usage": _usage(result), "beaver": _outcome(result)})

    def usage(self, result: AgentRunResult) -> ChatCompletionChunk:
        return self._made([]).model_copy(update={"usage": _usage(result)})

    def _made(self, choices: list[ChunkChoice]) -> ChatCompletionChunk:
        return ChatCompletionChunk(id=self.id, created=self._created, model=self._model, choices=choices)


def finish_reason(result: AgentRunResult) -> FinishReason:
    """OpenAI's word for how a run that did not fail has ended: the limits of the loop are normal ends."""
    return result.stop_reason if result.stop_reason in ("length", "content_filter") else "stop"


def _usage(result: AgentRunResult) -> TokenUsage:
    used = result.usage
    return TokenUsage(
        prompt_tokens=used.input_tokens,
        completion_tokens=used.output_tokens,
        total_tokens=used.input_tokens + used.output_tokens,
    )


def _outcome(result: AgentRunResult) -> RunOutcome:
    return RunOutcome(
        session_id=result.session_id,
        run_id=result.run_id,
        stop_reason=result.stop_reason,
        tools_used=list(result.tools_used),
    )


def from_header(value: str) -> str:
    """A header's text: headers are read as Latin-1, and clients send UTF-8."""
    try:
        return value.encode("latin-1").decode("utf-8")
    except UnicodeError:
        return value


def to_header(value: str) -> str:
    """The reverse of from_header."""
    return value.encode("utf-8").decode("latin-1")
