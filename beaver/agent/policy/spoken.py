"""`/memory …` as a person types it in a chat: words in, lines out. The same at a terminal, on the page and over the API."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final

from beaver.agent.policy.attribution import in_words
from beaver.agent.policy.commands import MemoryCommands, MemoryStatus, Overview
from beaver.agent.policy.selecting import SAID_NOT_FOUND, selection_of
from beaver.agent.policy.stores import MemoryItem
from beaver.errors import NotFound
from beaver.text import replace_surrogates

COMMAND: Final = "/memory"
USAGE: Final = (
    "/memory                        what is active, and the ten newest others",
    "/memory why                    what was recalled for the last answer, and from where",
    "/memory pin ID, unpin ID       have it recalled first, or like any other",
    "/memory forget ID              erase it; also: forget tag TAG, forget session ID, forget project yes, forget user yes",
    "/memory off, on                in this session",
    "/memory status                 figures",
)
_SURE: Final = "yes"


async def spoken(commands: MemoryCommands, line: str, session_id: str, actor: str) -> list[str]:
    """Do what a line asks, and say what came of it. Raises Unavailable, and InvalidInput for a session id that breaks a rule."""
    try:
        return await _done(commands, replace_surrogates(line).split()[1:], session_id, actor)
    except NotFound:
        return [SAID_NOT_FOUND]


async def _done(commands: MemoryCommands, words: Sequence[str], session_id: str, actor: str) -> list[str]:
    match words:
        case []:
            return _overview(await commands.overview(session_id))
        case ["why"]:
            return in_words(await commands.why(session_id))
        case ["status"]:
            return status_lines(await commands.status(session_id))
        case [("off" | "on") as word]:
            await commands.switch(session_id, actor, off=word == "off")
            return [f"Memory is {word} in this session."]
        case [("pin" | "unpin") as word, item_id]:
            item = await commands.pin(item_id, pinned=word == "pin")
            return [f"{'Pinned' if item.pinned else 'Unpinned'} {item.id}."]
        case ["forget", *what]:
            return await _forgotten(commands, what, session_id, actor)
        case _:
            return list(USAGE)


async def _forgotten(commands: MemoryCommands, what: Sequence[str], session_id: str, actor: str) -> list[str]:
    match what:
        case [("tag" | "session") as by, value]:
            selection = selection_of(by, value)
        case [("project" | "user") as by, word] if word == _SURE:
            selection = selection_of(by, "")
        case [("project" | "user") as by]:
            return [f"This erases every item of this {by}. If you are sure: {COMMAND} forget {by} {_SURE}"]
        case [item_id]:
            selection = selection_of("id", item_id)
        case _:
            return list(USAGE)
    told = await commands.forget(selection, session_id, actor)
    return [f"Forgot {len(told.ids)} item{'' if len(told.ids) == 1 else 's'}: {', '.join(told.ids[:10])}"]


def _overview(found: Overview) -> list[str]:
    off = ["Memory is off in this session."] if found.off else []
    if not found.active and not found.recent:
        return [*off, "Nothing is remembered yet."]
    active = ["Active:", *map(_line, found.active)] if found.active else []
    recent = ["Recent:", *map(_line, found.recent)] if found.recent else []
    return [*off, *active, *recent]


def _line(item: MemoryItem) -> str:
    day = datetime.fromtimestamp(item.created_at / 1000, UTC).date().isoformat()
    pinned = ", pinned" if item.pinned else ""
    origin = f"session {item.session}" if item.session else "no session"
    return f"- {item.id} {item.type}/{item.scope}{pinned} ({origin}, {day}, by {item.source}): {item.text}"


def status_lines(found: MemoryStatus) -> list[str]:
    """Figures in words, a line each."""
    writes = found.writes
    rejected = ", ".join(f"{reason} {count}" for reason, count in sorted(writes.rejected.items())) or "none"
    queue = ", ".join(f"{state} {count}" for state, count in found.queue.counts.items())
    return [
        f"Memory is {'off' if found.off else 'on'} in this session; "
        f"{'a local store keeps items' if found.keeps else 'no local store keeps items (memory.policy.localStore)'}.",
        f"Items: {found.items}. Forgotten on command: {found.forgotten}.",
        f"Of {writes.turns} turns: {writes.attempted} candidates, {writes.accepted} kept, {writes.deduped} known already, "
        f"{writes.superseded} in another's place, {writes.remote} sent. Not kept: {rejected}.",
        f"On the way to the Gateway: {queue}.",
    ]
