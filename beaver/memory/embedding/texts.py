"""What of a passage is encoded, pure: its words with what a reader would know beside them, who speaks or what it is of."""

from __future__ import annotations

from collections.abc import Sequence

from beaver.schemas.gateway import ASSISTANT_SENDER


def message_text(text: str, speaker: str, user_id: str) -> str:
    """A speaker who is neither the user nor the assistant is named: every conversation has those two."""
    return text if speaker in {user_id, ASSISTANT_SENDER} else f"{speaker}: {text}"


def document_text(text: str, title: str, section: str | None = None) -> str:
    """A part of a document under its title and its section's."""
    under = " › ".join(name for name in (title.strip(), section) if name)
    return f"{under}: {text}" if under else text


def whole_text(head: str, *more: str | Sequence[str]) -> str:
    """An observation or a summary, a line for each thing that it says."""
    lines = [head, *(line for part in more for line in ([part] if isinstance(part, str) else part))]
    return "\n".join(line for line in lines if line)
