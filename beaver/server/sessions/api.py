"""Sessions: made, listed, read, forked and deleted; their messages and their audit trail."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

from fastapi import APIRouter, Query, Request

from beaver.agent.loader import EngineLoadResult
from beaver.errors import Conflict, InvalidInput, NotFound
from beaver.ids import new_id, validate_session_id
from beaver.schemas.chat import EventList, Session, SessionEvent, SessionList
from beaver.schemas.runs import ForkCreate, SessionCreate
from beaver.sessions.forks import ForkStore
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


@router.post("/sessions", status_code=201)
async def create_session(body: SessionCreate, request: Request) -> Session:
    """Make a session. An id that is taken already is a conflict."""
    engine = _engine(request)
    session_id = new_id("session") if body.id is None else validate_session_id(body.id, "id")
    async with engine.database.write() as tx:
        if await engine.sessions.find_session(tx, session_id) is not None:
            raise Conflict("id: there is such a session already")
        return _session(await engine.sessions.ensure_session(tx, session_id, title=body.title))


@router.delete("/sessions/{session_id}", status_code=204)
async def delete_session(request: Request, session_id: str) -> None:
    """Delete a session and everything of it; a run under way in it is stopped and writes nothing more."""
    engine = _engine(request)
    async with engine.database.write() as tx:
        if not await engine.sessions.delete_session(tx, session_id):
            raise NotFound("there is no such session")


@router.post("/sessions/{session_id}/fork", status_code=201)
async def fork_session(body: ForkCreate, request: Request, session_id: str) -> Session:
    """Make a session that begins with this one's messages."""
    engine, fork_id = _engine(request), new_id("session")
    await get_session(request, session_id)
    async with engine.database.write() as tx:
        said = await engine.sessions.history(tx, session_id, limit=1)
        last = said[-1].id if said else 0
        after = last if body.after_event is None else body.after_event
        await ForkStore(engine.database.dialect).fork(tx, session_id, fork_id, after_event=after)
    return await get_session(request, fork_id)


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
