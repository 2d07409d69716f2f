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
    "/memory: what is active, and the ten newest others",
    "/memory why: what was recalled for the last answer, and from where",
    "/memory pin ID, unpin ID: have it recalled before others, or like any other",
    "/memory forget ID: erase it; also forget tag TAG, forget session ID, forget project yes, forget user yes",
    "/memory off, on: recall and keep nothing in this session, or do so again",
    "/memory status: figures",
)
NOT_UNDERSTOOD: Final = "That is no line about the memory. There is:"
NOTHING_YET: Final = "Nothing is remembered yet."
NOTHING_HERE: Final = (
    "No local store keeps items (memory.policy.localStore). "
    "What the Memory Gateway keeps: `beaver gateway memories list`."
)
_HELP: Final = "help"
_SURE: Final = "yes"
FORGOTTEN_SHOWN: Final = 10


async def spoken(commands: MemoryCommands, line: str, session_id: str, actor: str) -> list[str]:
    """Do what a line asks, and say what came of it. Raises Unavailable, and InvalidInput for a session id that breaks a rule."""
    try:
        return await _done(commands, replace_surrogates(line).split()[1:], session_id, actor)
    except NotFound:
        return [SAID_NOT_FOUND]


async def _done(commands: MemoryCommands, words: Sequence[str], session_id: str, actor: str) -> list[str]:
    match [word.casefold() for word in words[:1]] + list(words[1:]):
        case []:
            return _overview(await commands.overview(session_id), session_id)
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
        case [word] if word == _HELP:
            return list(USAGE)
        case _:
            return [NOT_UNDERSTOOD, *USAGE]


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
            return [NOT_UNDERSTOOD, *USAGE]
    return [forgotten_line((await commands.forget(selection, session_id, actor)).ids)]


def forgotten_line(ids: Sequence[str]) -> str:
    """What was forgotten: how many, and the first ten ids."""
    more = "" if len(ids) <= FORGOTTEN_SHOWN else ", …"
    return f"Forgot {len(ids)} item{'' if len(ids) == 1 else 's'}: {', '.join(ids[:FORGOTTEN_SHOWN])}{more}"


def empty_lines(found: Overview) -> list[str]:
    """What to say where nothing is listed."""
    return [NOTHING_YET] if found.keeps else [NOTHING_YET, NOTHING_HERE]


def _overview(found: Overview, session_id: str) -> list[str]:
    off = ["Memory is off in this session."] if found.off else []
    if not found.active and not found.recent:
        return [*off, *empty_lines(found)]
    active = ["Active:", *(_line(item, session_id) for item in found.active)] if found.active else []
    recent = ["Recent:", *(_line(item, session_id) for item in found.recent)] if found.recent else []
    return [*off, *active, *recent]


def _line(item: MemoryItem, session_id: str) -> str:
    day = datetime.fromtimestamp(item.created_at / 1000, UTC).date().isoformat()
    pinned = ", pinned" if item.pinned else ""
    origin = (
        "this session" if item.session == session_id else f"session {item.session}" if item.session else "no session"
    )
    return f"- {item.id} {item.type}/{item.scope}{pinned}: {item.text} ({origin}, {day}, by {item.source})"


def status_lines(found: MemoryStatus, *, of_a_session: bool = True) -> list[str]:
    """Figures in words, a line each; `of_a_session`: somebody asks in a session, or about one."""
    writes = found.writes
    rejected = ", ".join(f"{reason} {count}" for reason, count in sorted(writes.rejected.items())) or "none"
    queue = ", ".join(f"{state} {count}" for state, count in found.queue.counts.items())
    switched = f"Memory is {'off' if found.off else 'on'} in this session. " if of_a_session else ""
    return [
        f"{switched}{'A local store keeps items' if found.keeps else 'No local store keeps items (memory.policy.localStore)'}.",
        f"Items: {found.items}. Forgotten on command: {found.forgotten}.",
        f"Of {writes.turns} turns: {writes.attempted} candidates, {writes.accepted} kept, {writes.deduped} known already, "
        f"{writes.superseded} in another's place, {writes.remote} sent. Not kept: {rejected}.",
        f"On the way to the Gateway: {queue}.",
    ]
