"""The host's memory: what it holds, why something was recalled, and how to have it forgotten."""

from __future__ import annotations

from dataclasses import asdict

from fastapi import APIRouter, Request

from beaver.agent.policy.commands import MemoryCommands
from beaver.agent.policy.selecting import selection_of
from beaver.agent.policy.spoken import spoken
from beaver.agent.policy.stores import MemoryItem
from beaver.errors import InvalidInput
from beaver.ids import validate_session_id
from beaver.schemas.memory import (
    MemoryForget,
    MemoryForgotten,
    MemoryItemView,
    MemoryLine,
    MemoryLines,
    MemoryOverview,
    MemoryPin,
    MemoryState,
    MemorySwitch,
    MemoryWhy,
)
from beaver.server.description.refusals import refusals
from beaver.server.guard.auth import caller_of

router = APIRouter(prefix="/v1")


@router.get("/sessions/{session_id}/memory/items")
async def list_memory(request: Request, session_id: str) -> MemoryOverview:
    """What is remembered, as a session sees it: active items and the ten newest others."""
    found = await _commands(request).overview(validate_session_id(session_id))
    return MemoryOverview(off=found.off, active=[*map(_view, found.active)], recent=[*map(_view, found.recent)])


@router.post("/memory/items/{item_id}/pin", responses=refusals(404))
async def pin_memory(body: MemoryPin, request: Request, item_id: str) -> MemoryItemView:
    """Pin an item, so that it is recalled first, or unpin it."""
    return _view(await _commands(request).pin(item_id, pinned=body.pinned))


@router.post("/memory/forget", responses=refusals(404))
async def forget_memory(body: MemoryForget, request: Request) -> MemoryForgotten:
    """Erase items everywhere here; they are not captured again. Answers once no byte holds them."""
    if (body.value is None) != (body.by in {"project", "user"}):
        raise InvalidInput("value", "is needed for an id, a tag or a session, and for nothing else")
    told = await _commands(request).forget(selection_of(body.by, body.value or ""), "", actor_of(request))
    return MemoryForgotten(by=told.by, ids=list(told.ids))


@router.get("/sessions/{session_id}/memory")
async def get_memory_state(request: Request, session_id: str) -> MemoryState:
    """Whether memory is off in a session, and figures."""
    return MemoryState(**asdict(await _commands(request).status(validate_session_id(session_id))))


@router.post("/sessions/{session_id}/memory")
async def switch_memory(body: MemorySwitch, request: Request, session_id: str) -> MemoryState:
    """Switch memory off or on in a session: nothing is recalled in it, and nothing kept of it."""
    await _commands(request).switch(validate_session_id(session_id), actor_of(request), off=body.off)
    return await get_memory_state(request, session_id)


@router.get("/sessions/{session_id}/memory/why")
async def explain_memory(request: Request, session_id: str) -> MemoryWhy:
    """What was recalled for the session's last answer, and from where."""
    found = await _commands(request).why(validate_session_id(session_id))
    return MemoryWhy(recall=None if found is None else asdict(found))


@router.post("/sessions/{session_id}/memory/command")
async def say_memory_command(body: MemoryLine, request: Request, session_id: str) -> MemoryLines:
    """Do what a line asks that somebody typed in a chat, and say in words what came of it."""
    session_id = validate_session_id(session_id)
    return MemoryLines(lines=await spoken(_commands(request), body.line, session_id, actor_of(request)))


def actor_of(request: Request) -> str:
    """Who acts, for the audit trail: a key by its id, or whoever reaches a server that needs none."""
    return f"api:{caller_of(request).key_id or 'local'}"


def _commands(request: Request) -> MemoryCommands:
    commands: MemoryCommands = request.app.state.engine.memory_commands
    return commands


def _view(item: MemoryItem) -> MemoryItemView:
    return MemoryItemView(**{**asdict(item), "tags": list(item.tags)})
