"""Stored sessions, their messages and their audit trail; and stopping a run."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

from fastapi import APIRouter, Query, Request

from beaver.agent.loader import EngineLoadResult
from beaver.errors import InvalidInput, NotFound
from beaver.schemas.chat import EventList, RunStopped, Session, SessionEvent, SessionList
from beaver.server.runs import RunRegistry
from beaver.sessions.records import SessionRecord, StoredEvent

router = APIRouter(prefix="/v1")

Limit = Annotated[int, Query(ge=1, le=1000)]


@router.get("/sessions")
async def list_sessions(request: Request, limit: Limit = 50, before: str | None = None) -> SessionList:
    """Sessions, the one used last first; `before` is the `next` of the page before."""
    engine = _engine(request)
    async with engine.database.read() as tx:
        found = await engine.sessions.list_sessions(tx, limit=limit, before=None if before is None else _cursor(before))
    further = f"{found[-1].updated_ms}:{found[-1].id}" if len(found) == limit else None
    return SessionList(data=[_session(record) for record in found], next=further)


@router.get("/sessions/{session_id}")
async def get_session(request: Request, session_id: str) -> Session:
    """One session."""
    engine = _engine(request)
    async with engine.database.read() as tx:
        record = await engine.sessions.find_session(tx, session_id)
    if record is None:
        raise NotFound("there is no such session")
    return _session(record)


@router.get("/sessions/{session_id}/messages")
async def messages(request: Request, session_id: str, limit: Limit = 1000) -> EventList:
    """The newest `limit` messages of a session, oldest first."""
    await get_session(request, session_id)
    engine = _engine(request)
    async with engine.database.read() as tx:
        found = await engine.sessions.history(tx, session_id, limit=limit)
    return EventList(data=[_event(event) for event in found])


@router.get("/sessions/{session_id}/events")
async def events(
    request: Request, session_id: str, after: Annotated[int, Query(ge=0)] = 0, limit: Limit = 500
) -> EventList:
    """The audit trail: messages and hidden events, in the order they were stored."""
    await get_session(request, session_id)
    engine = _engine(request)
    async with engine.database.read() as tx:
        found = await engine.sessions.events(tx, session_id, after_id=after, limit=limit)
    return EventList(data=[_event(event) for event in found], next=found[-1].id if len(found) == limit else None)


@router.post("/runs/{run_id}/stop", status_code=202)
async def stop_run(request: Request, run_id: str) -> RunStopped:
    """Cancel a run that is under way in this process."""
    runs: RunRegistry = request.app.state.runs
    runs.find(run_id).stop()
    return RunStopped(id=run_id)


def _engine(request: Request) -> EngineLoadResult:
    engine: EngineLoadResult = request.app.state.engine
    return engine


def _cursor(before: str) -> tuple[int, str]:
    updated_ms, _, session_id = before.partition(":")
    if not updated_ms.isdecimal() or not session_id:
        raise InvalidInput("before", "must be the `next` of an earlier page")
    return int(updated_ms), session_id


def _session(record: SessionRecord) -> Session:
    return Session(**asdict(record))


def _event(event: StoredEvent) -> SessionEvent:
    return SessionEvent(**{**asdict(event), "payload": dict(event.payload)})
