"""Whether a chat's session is new, and the words for it: a mistyped id begins a session, which nobody should find out late."""

from __future__ import annotations

from dataclasses import dataclass

from beaver.cli.output import when
from beaver.cli.talk.conversation import Conversation
from beaver.errors import BeaverError


@dataclass(frozen=True)
class Standing:
    """How a session stood before the first question. `is_new` is None where that could not be found out."""

    is_new: bool | None
    words: str


def fresh(session_id: str) -> Standing:
    """Of an id that was made for this chat."""
    return Standing(True, f"new session {session_id}")


async def standing_of(conversation: Conversation, session_id: str) -> Standing:
    """Of an id that a person or a script has named."""
    try:
        used_ms = await conversation.last_used(session_id)
    except BeaverError:
        # A key that may chat need not be one that may read; whoever cannot be reached says so to the question itself.
        return Standing(None, f"session {session_id}")
    if used_ms is None:
        return Standing(True, f"new session {session_id}: there was none with this id")
    return Standing(False, f"session {session_id} goes on, last used {when(used_ms)} UTC")
