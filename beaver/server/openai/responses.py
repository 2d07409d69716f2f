"""OpenAI's Responses API over a run: streamed, whole, and read again later."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Iterable
from typing import Final

from fastapi import APIRouter, Request
from fastapi import Response as HttpResponse
from fastapi.responses import StreamingResponse

from beaver.agent.loader import EngineLoadResult
from beaver.agent.messages import TextDelta
from beaver.agent.results import RunStarted, ToolStarted
from beaver.errors import NotFound
from beaver.schemas.problems import ProblemBody
from beaver.schemas.responses import Response, ResponsesRequest, StreamEvent
from beaver.server.description.refusals import refusals
from beaver.server.openai.asking import Asked, answer, ask, end_of
from beaver.server.openai.chat import BEGIN_WITHIN_S
from beaver.server.openai.questions import of_responses
from beaver.server.openai.response_body import finished, output_of, stored, under_way
from beaver.server.openai.response_stream import ResponseStream
from beaver.server.runs.idempotency import RUN
from beaver.server.sse import COMMENT, KEEP_ALIVE_S, SSE_HEADERS, named_sse, sse
from beaver.sessions.run_messages import run_messages

UNSTORED: Final = "unstored"
"""What the ids begin with of runs whose response nobody may read by its id: so every server knows, for good."""

router = APIRouter(prefix="/v1")


@router.post("/responses", response_model=Response, responses=refusals(404, 409, 502, 504))
async def create_response(body: ResponsesRequest, request: Request) -> HttpResponse:
    """One turn of a session: the one of `previous_response_id`, or what else names one; its id is in the answer's header."""
    created_at = int(time.time())
    asked = await ask(request, of_responses(body), prefix=UNSTORED if body.store is False else RUN)
    if not body.stream:
        result = await answer(asked.run)
        response = under_way(body, result.run_id, asked.session_id, created_at=created_at)
        whole = finished(response, result, output_of(result), completed_at=int(time.time()))
        return HttpResponse(whole.model_dump_json(), media_type="application/json", headers=asked.headers)
    await asked.run.begun(within_s=BEGIN_WITHIN_S)
    headers = {**asked.headers, **SSE_HEADERS}
    return StreamingResponse(_stream(body, asked, created_at), media_type="text/event-stream", headers=headers)


@router.get("/responses/{response_id}", responses=refusals(404))
async def get_response(response_id: str, request: Request) -> Response:
    """A response of a session, as it is stored; one that was asked for without `store` is not to be found."""
    engine: EngineLoadResult = request.app.state.engine
    if response_id.startswith(f"{UNSTORED}_"):
        raise NotFound("there is no such response")
    async with engine.database.read() as tx:
        run = await engine.sessions.find_run(tx, response_id)
        if run is None:
            raise NotFound("there is no such response")
        events = await run_messages(tx, run.id)
    return stored(run, events)


async def _stream(body: ResponsesRequest, asked: Asked, created_at: int) -> AsyncIterator[str]:
    """The events in OpenAI's order; a run that fails ends in response.failed, one that never began in an error."""
    stream: ResponseStream | None = None
    try:
        async for event in asked.run.follow(idle_s=KEEP_ALIVE_S):
            match event:
                case None:
                    yield COMMENT
                case RunStarted():
                    stream = ResponseStream(under_way(body, event.run_id, asked.session_id, created_at=created_at))
                    yield _joined(stream.begin())
                case TextDelta() if stream:
                    yield _joined(stream.text(event.text))
                case ToolStarted() if stream:
                    yield _joined(stream.tool())
        end = await end_of(asked.run)
        match end:
            case ProblemBody():
                yield _joined(stream.fail(end.error)) if stream else sse(end)
            case result if stream:
                yield _joined(stream.finish(result, completed_at=int(time.time())))
    finally:
        asked.let_go()


def _joined(events: Iterable[StreamEvent]) -> str:
    return "".join(named_sse(event.type, event) for event in events)
