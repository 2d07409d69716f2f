"""Sessions: made, listed, read, forked and deleted; their messages and their audit trail."""

from __future__ import annotations

import re
from dataclasses import asdict
from typing import Annotated, Final

from fastapi import APIRouter, Query, Request

from beaver.agent.loader import EngineLoadResult
from beaver.errors import Conflict, InvalidInput, NotFound
from beaver.ids import new_id, validate_session_id
from beaver.schemas.chat import EventList, Session, SessionEvent, SessionList
from beaver.schemas.runs import ForkCreate, SessionCreate
from beaver.schemas.wire import INTEGER_MAX
from beaver.server.description.refusals import refusals
from beaver.sessions import listing
from beaver.sessions.forks import ForkStore
from beaver.sessions.pages import newer_messages, older_messages
from beaver.sessions.records import SessionRecord, StoredEvent

router = APIRouter(prefix="/v1")

Limit = Annotated[int, Query(ge=1, le=1000)]
EventId = Annotated[int, Query(ge=0, le=INTEGER_MAX)]
# No more digits than both databases can be asked for.
_CURSOR_MS: Final = re.compile(r"[0-9]{1,18}")


@router.get("/sessions")
async def list_sessions(request: Request, limit: Limit = 50, before: str | None = None) -> SessionList:
    """Sessions, the one used last first; `before` is the `next` of the page before."""
    engine = _engine(request)
    async with engine.database.read() as tx:
        found = await listing.list_sessions(tx, limit=limit, before=None if before is None else _cursor(before))
    further = f"{found[-1].updated_ms}:{found[-1].id}" if len(found) == limit else None
    return SessionList(data=[_session(record) for record in found], next=further)


@router.get("/sessions/{session_id}", responses=refusals(404))
async def get_session(request: Request, session_id: str) -> Session:
    """One session."""
    async with _engine(request).database.read() as tx:
        record = await listing.find_listed(tx, session_id)
    if record is None:
        raise NotFound("there is no such session")
    return _session(record)


@router.get("/sessions/{session_id}/messages", responses=refusals(404))
async def list_messages(
    request: Request,
    session_id: str,
    limit: Limit = 1000,
    before: EventId | None = None,
    after: EventId | None = None,
) -> EventList:
    """The newest `limit` messages of a session, oldest first; the newest `before` an event, or the oldest `after` one."""
    if before is not None and after is not None:
        raise InvalidInput("after", "must not be given together with before")
    await get_session(request, session_id)
    async with _engine(request).database.read() as tx:
        if after is None:
            page = await older_messages(tx, session_id, limit=limit, before_id=before)
        else:
            page = await newer_messages(tx, session_id, limit=limit, after_id=after)
    further = page.messages[-1].id if after is not None and page.has_more else None
    return EventList(data=[_event(event) for event in page.messages], has_more=page.has_more, next=further)


@router.get("/sessions/{session_id}/events", responses=refusals(404))
async def list_events(request: Request, session_id: str, after: EventId = 0, limit: Limit = 500) -> EventList:
    """The audit trail: messages and hidden events, in the order they were stored."""
    await get_session(request, session_id)
    engine = _engine(request)
    async with engine.database.read() as tx:
        found = await engine.sessions.events(tx, session_id, after_id=after, limit=limit + 1)
    page, has_more = found[:limit], len(found) > limit
    return EventList(data=[_event(event) for event in page], has_more=has_more, next=page[-1].id if has_more else None)


@router.post("/sessions", status_code=201, responses=refusals(409))
async def create_session(body: SessionCreate, request: Request) -> Session:
    """Make a session. An id that is taken already is a conflict."""
    engine = _engine(request)
    session_id = new_id("session") if body.id is None else validate_session_id(body.id, "id")
    async with engine.database.write() as tx:
        if await engine.sessions.find_session(tx, session_id) is not None:
            raise Conflict("id: there is such a session already")
        return _session(await engine.sessions.ensure_session(tx, session_id, title=body.title))


@router.delete("/sessions/{session_id}", status_code=204, responses=refusals(404))
async def delete_session(request: Request, session_id: str) -> None:
    """Delete a session and everything of it; a run under way in it is stopped and writes nothing more. What is remembered for
    this session alone goes too. Answers once no byte of our own files holds it."""
    await _engine(request).memory_commands.delete_session(session_id)


@router.post("/sessions/{session_id}/fork", status_code=201, responses=refusals(404))
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
    if not _CURSOR_MS.fullmatch(updated_ms) or not session_id:
        raise InvalidInput("before", "must be the `next` of an earlier page")
    return int(updated_ms), session_id


def _session(record: SessionRecord) -> Session:
    return Session(**asdict(record))


def _event(event: StoredEvent) -> SessionEvent:
    return SessionEvent(**{**asdict(event), "payload": dict(event.payload)})
