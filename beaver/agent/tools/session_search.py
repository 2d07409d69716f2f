"""The `session_search` tool: past conversations, by words, around a place, whole, or as a list. No model is asked."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any, Final

from beaver.agent.messages import ToolSpec
from beaver.agent.tools.base import ToolContext, ToolFailure
from beaver.db.engine import Database, Transaction
from beaver.errors import InvalidInput, NotFound
from beaver.sessions.records import StoredEvent
from beaver.sessions.search import SPEAKERS, TranscriptHit, TranscriptPage, TranscriptSearch

HIT_CHARACTERS_MAX: Final = 400
PAGE_CHARACTERS_MAX: Final = 2_000
READ_MESSAGES_MAX: Final = 40

SPEC: Final = ToolSpec(
    name="session_search",
    description=(
        "Look into earlier conversations with this user, word for word. `discover` finds sessions by `query`; `scroll` shows "
        "what was said around `message_id` of `session_id`; `read` gives a session from its beginning, or from after "
        "`message_id`; `browse` lists the latest sessions. The conversation you are in is never among them."
    ),
    parameters={
        "type": "object",
        "properties": {
            "mode": {"type": "string", "enum": ["discover", "scroll", "read", "browse"]},
            "query": {"type": "string", "maxLength": 2048, "description": "For discover: a few telling words."},
            "session_id": {"type": "string", "description": "For scroll and read."},
            "message_id": {"type": "integer", "description": "For scroll, and for read to go on."},
            "limit": {
                "type": "integer",
                "minimum": 1,
                "maximum": 10,
                "description": "For discover (3) and browse (10).",
            },
            "window": {
                "type": "integer",
                "minimum": 1,
                "maximum": 20,
                "description": "For scroll: on either side (5).",
            },
            "roles": {
                "type": "array",
                "items": {"type": "string", "enum": ["user", "assistant", "tool"]},
                "minItems": 1,
                "description": "Whose messages; without it, user and assistant.",
            },
        },
        "required": ["mode"],
        "additionalProperties": False,
    },
)


class SessionSearchTool:
    """Searches one database's transcripts. Hidden events and the live session are never shown."""

    spec = SPEC

    def __init__(self, database: Database, search: TranscriptSearch) -> None:
        self._database = database
        self._search = search

    async def call(self, arguments: Mapping[str, Any], context: ToolContext) -> str:
        """The findings as JSON. Raises ToolFailure for what the model can mend."""
        try:
            async with self._database.read() as tx:
                found = await self._find(tx, arguments, context.session_id)
        except (InvalidInput, NotFound) as error:
            raise ToolFailure(str(error)) from None
        return json.dumps(found, ensure_ascii=False)

    async def _find(self, tx: Transaction, arguments: Mapping[str, Any], live: str) -> Any:
        roles = tuple(arguments.get("roles", SPEAKERS))
        match arguments["mode"]:
            case "discover":
                query, limit = _needed(arguments, "query"), arguments.get("limit", 3)
                hits = await self._search.discover(tx, query, limit=limit, exclude_session=live, roles=roles)
                return {"sessions": [_hit(hit) for hit in hits]}
            case "scroll":
                session_id, anchor = _other_session(arguments, live), _needed(arguments, "message_id")
                window = arguments.get("window", 5)
                return _page(await self._search.scroll(tx, session_id, anchor, window=window, roles=roles))
            case "read":
                session_id, after_id = _other_session(arguments, live), arguments.get("message_id", 0)
                page = await self._search.read(tx, session_id, after_id=after_id, limit=READ_MESSAGES_MAX, roles=roles)
                return _page(page)
            case "browse":
                glimpses = await self._search.browse(tx, limit=arguments.get("limit", 10), exclude_session=live)
                return {
                    "sessions": [
                        {
                            "session_id": glimpse.session_id,
                            "title": glimpse.title,
                            "date": _date(glimpse.updated_ms),
                            "messages": glimpse.message_count,
                            "begins": glimpse.first_words,
                        }
                        for glimpse in glimpses
                    ]
                }
            case mode:
                raise ToolFailure(f"mode must be discover, scroll, read or browse, not {mode!r}")


def _needed(arguments: Mapping[str, Any], name: str) -> Any:
    if name not in arguments:
        raise ToolFailure(f"{arguments['mode']} needs {name}")
    return arguments[name]


def _other_session(arguments: Mapping[str, Any], live: str) -> str:
    session_id: str = _needed(arguments, "session_id")
    if session_id == live:
        raise ToolFailure("That is the conversation you are in; what was said in it is before you.")
    return session_id


def _hit(hit: TranscriptHit) -> dict[str, Any]:
    return {
        "session_id": hit.session_id,
        "title": hit.title,
        "date": _date(hit.created_ms),
        "match": hit.event_id,
        "messages": _messages(hit.messages, HIT_CHARACTERS_MAX),
    }


def _page(page: TranscriptPage) -> dict[str, Any]:
    return {
        "session_id": page.session_id,
        "messages": _messages(page.messages, PAGE_CHARACTERS_MAX),
        "has_earlier": page.has_earlier,
        "has_later": page.has_later,
    }


def _messages(events: Iterable[StoredEvent], characters_max: int) -> list[dict[str, Any]]:
    return [
        {"id": event.id, "role": event.role, "text": _shortened(event.content, characters_max)}
        for event in events
        if event.content.strip()
    ]


def _shortened(text: str, characters_max: int) -> str:
    return text if len(text) <= characters_max else f"{text[: characters_max - 1]}…"


def _date(epoch_ms: int) -> str:
    return datetime.fromtimestamp(epoch_ms / 1000, UTC).date().isoformat()
