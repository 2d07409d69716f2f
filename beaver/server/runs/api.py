"""Runs by themselves: start one, see how it stands, follow its stream from any point, stop it; at any server."""

from __future__ import annotations

from collections.abc import AsyncIterator
from functools import partial
from typing import Annotated

from fastapi import APIRouter, Header, Request
from fastapi.responses import StreamingResponse

from beaver.agent.results import RunRequest
from beaver.errors import BeaverError, Conflict, InvalidInput
from beaver.ids import validate_session_id
from beaver.schemas.chat import RunStopped
from beaver.schemas.problems import problem_body
from beaver.schemas.runs import RunAccepted, RunCreate, RunView
from beaver.server.description.refusals import refusals
from beaver.server.guard.asker import asker_of
from beaver.server.problems import of_this_request
from beaver.server.runs.stored import RunState, StoredRuns
from beaver.server.sse import COMMENT, KEEP_ALIVE_S, SSE_HEADERS, numbered_sse, sse
from beaver.sessions.run_events import StreamEvent

router = APIRouter(prefix="/v1")


@router.post("/sessions/{session_id}/runs", status_code=202, responses=refusals(409))
async def start_run(body: RunCreate, request: Request, session_id: str) -> RunAccepted:
    """Begin a run in a session, made where it does not exist. With `Idempotency-Key`, once."""
    validate_session_id(session_id)
    state, asked = request.app.state, RunRequest(body.prompt, session_id, body.skills)

    async def wanted() -> RunRequest:
        state.runs.check(asked)
        return asked

    begin = partial(state.starter.once, request, queued=True)
    run = await state.quotas.during(asker_of(request.scope), wanted, begin)
    return RunAccepted(id=run.known_id, session_id=run.session_id)


@router.get("/runs/{run_id}", responses=refusals(404))
async def get_run(request: Request, run_id: str) -> RunView:
    """How a run stands."""
    return _view(await _runs(request).get(run_id))


@router.get("/runs/{run_id}/events", response_class=StreamingResponse, responses=refusals(404))
async def stream_run_events(
    request: Request, run_id: str, last_event_id: Annotated[str | None, Header()] = None
) -> StreamingResponse:
    """The run's stream as server-sent events, from `Last-Event-ID` on; it ends with `run.ended`.

    `run.text` holds a piece of the answer, `run.answered` the whole: it replaces the pieces, some of which may be missing
    where a server died or the stream is an old one.
    """
    after = _number(last_event_id)
    await _runs(request).get(run_id)
    request.app.state.starter.listens(request, run_id)
    stream = _lines(_runs(request).follow(run_id, after=after, idle_s=KEEP_ALIVE_S))
    return StreamingResponse(stream, media_type="text/event-stream", headers=SSE_HEADERS)


@router.post("/runs/{run_id}/stop", status_code=202, responses=refusals(404, 409))
async def stop_run(request: Request, run_id: str) -> RunStopped:
    """Stop a run, in whichever process it is: there within a second. A run that has ended is a conflict."""
    if not await _runs(request).request_stop(run_id):
        raise Conflict("the run has ended")
    if here := request.app.state.runs.find(run_id):
        here.stop()
    return RunStopped(id=run_id)


async def _lines(events: AsyncIterator[StreamEvent | None]) -> AsyncIterator[str]:
    try:
        async for event in events:
            yield COMMENT if event is None else numbered_sse(event.seq, event.kind, event.payload)
    except BeaverError as error:
        yield sse(of_this_request(problem_body(error)))


def _number(last_event_id: str | None) -> int:
    if not last_event_id:
        return 0
    if not last_event_id.isascii() or not last_event_id.isdecimal() or len(last_event_id) > 9:
        raise InvalidInput("Last-Event-ID", "must be the id of an event of this stream")
    return int(last_event_id)


def _runs(request: Request) -> StoredRuns:
    runs: StoredRuns = request.app.state.stored_runs
    return runs


def _view(state: RunState) -> RunView:
    record = state.record
    return RunView(
        id=record.id,
        session_id=record.session_id,
        status=record.status,
        stop_reason=record.stop_reason,
        error=record.error_code,
        answer=state.answer,
        usage=dict(record.usage) if record.usage else None,
        tools_used=list(record.tools_used),
        provider=record.provider,
        model=record.model,
        created_ms=record.created_ms,
        ended_ms=record.ended_ms,
        stop_requested_ms=record.stop_requested_ms,
    )
