"""What the Gateway is told of a turn, or why nothing may be told."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from beaver.outbox.turns import NewTurn
from beaver.schemas.gateway import ASSISTANT_SENDER, GatewayMessage

CONTENT_MISSING: Final = "content_missing"


def has_content(turn: NewTurn, texts: Mapping[int, str]) -> bool:
    """Whether both the prompt and the answer say something."""
    return all(texts.get(event_id, "").strip() for event_id in (turn.user_event_id, turn.answer_event_id))


def turn_messages(turn: NewTurn, texts: Mapping[int, str]) -> Sequence[GatewayMessage] | str:
    """The user's prompt and the final answer, exactly as stored, oldest first; or the category of what is missing.

    Timestamps are made positive and never fall, since a host's clock may have stepped back in between.
    """
    if not has_content(turn, texts):
        return CONTENT_MISSING
    prompt, answer = texts[turn.user_event_id], texts[turn.answer_event_id]
    asked_at = max(turn.user_at_ms, 1)
    answered_at = max(turn.answer_at_ms, asked_at)
    return (
        GatewayMessage(sender_id=turn.gateway_user_id, role="user", timestamp=asked_at, content=prompt),
        GatewayMessage(sender_id=ASSISTANT_SENDER, role="assistant", timestamp=answered_at, content=answer),
    )
