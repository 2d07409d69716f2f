"""OpenAI's chat completions over a run: the last user message is the prompt, the server's stored history is the rest."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from typing import Final

from fastapi import APIRouter, Request, Response
from fastapi.responses import StreamingResponse

from beaver.agent.messages import TextDelta
from beaver.agent.results import AgentRunResult, RunStarted
from beaver.schemas.chat import (
    AssistantMessage,
    ChatCompletion,
    ChatCompletionChunk,
    ChatCompletionRequest,
    Choice,
    ChunkChoice,
    Delta,
    FinishReason,
    TokenUsage,
)
from beaver.schemas.problems import ProblemBody
from beaver.server.description.refusals import refusals
from beaver.server.openai.asking import Asked, answer, ask, end_of, outcome_of
from beaver.server.openai.questions import of_chat
from beaver.server.sse import COMMENT, DONE, KEEP_ALIVE_S, SSE_HEADERS, sse

# A run that is refused at once answers with an HTTP status; one that waits for its session longer begins to stream.
BEGIN_WITHIN_S: Final = 2.0

router = APIRouter(prefix="/v1")


@router.post("/chat/completions", response_model=ChatCompletion, responses=refusals(404, 409, 502, 504))
async def create_chat_completion(body: ChatCompletionRequest, request: Request) -> Response:
    """One turn of a session, which the headers or the body name; its id is in the answer's header."""
    asked = await ask(request, of_chat(body))
    if not body.stream:
        completion = _completion(body, await answer(asked.run))
        return Response(completion.model_dump_json(), media_type="application/json", headers=asked.headers)
    await asked.run.begun(within_s=BEGIN_WITHIN_S)
    headers = {**asked.headers, **SSE_HEADERS}
    return StreamingResponse(_stream(body, asked), media_type="text/event-stream", headers=headers)


def _completion(body: ChatCompletionRequest, result: AgentRunResult) -> ChatCompletion:
    choice = Choice(message=AssistantMessage(content=result.text), finish_reason=finish_reason(result))
    return ChatCompletion(
        id=result.run_id,
        created=int(time.time()),
        model=body.model,
        choices=[choice],
        usage=_usage(result),
        beaver=outcome_of(result),
    )


async def _stream(body: ChatCompletionRequest, asked: Asked) -> AsyncIterator[str]:
    """Role chunk, content chunks, finish chunk, usage on request, [DONE]; or an error, and then nothing more."""
    chunks = _Chunks(body)
    try:
        async for event in asked.run.follow(idle_s=KEEP_ALIVE_S):
            match event:
                case None:
                    yield COMMENT
                case RunStarted():
                    chunks.id = event.run_id
                    yield sse(chunks.chunk(Delta(role="assistant", content="")))
                case TextDelta():
                    yield sse(chunks.chunk(Delta(content=event.text)))
        end = await end_of(asked.run)
        if isinstance(end, ProblemBody):
            yield sse(end)
            return
        for chunk in chunks.finish(end):
            yield sse(chunk)
        yield DONE
    finally:
        asked.let_go()


class _Chunks:
    """Builds the chunks of one stream, which share their id and time."""

    def __init__(self, body: ChatCompletionRequest) -> None:
        self.id = ""
        self._created = int(time.time())
        self._model = body.model
        self._usage_wanted = body.usage_wanted

    def chunk(self, delta: Delta) -> ChatCompletionChunk:
        return self._made([ChunkChoice(delta=delta)])

    def finish(self, result: AgentRunResult) -> list[ChatCompletionChunk]:
        """The last chunks. Usage stands in one of them only, since some clients add up what they see."""
        choice = ChunkChoice(delta=Delta(), finish_reason=finish_reason(result))
        finish = self._made([choice]).model_copy(update={"beaver": outcome_of(result)})
        usage = {"usage": _usage(result)}
        if not self._usage_wanted:
            return [finish.model_copy(update=usage)]
        return [finish, self._made([]).model_copy(update=usage)]

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
