"""What the Gateway is told of a turn, or why nothing may be told."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from beaver.config.memory import GatewaySettings
from beaver.outbox.turns import NewTurn
from beaver.schemas.gateway import ASSISTANT_SENDER, GatewayMessage

IDENTITY_MISMATCH: Final = "identity_mismatch"
CONTENT_MISSING: Final = "content_missing"


@dataclass(frozen=True)
class TurnMessages:
    """Makes an add's messages for the user and namespace that this worker is configured with."""

    gateway: GatewaySettings

    def of(self, turn: NewTurn, texts: Mapping[int, str]) -> Sequence[GatewayMessage] | str:
        """The messages, oldest first; or the category of why the turn may not be sent."""
        return turn_messages(turn, texts) if is_meant_for(turn, self.gateway) else IDENTITY_MISMATCH

    def are_sendable(self, turn: NewTurn, texts: Mapping[int, str]) -> bool:
        """Whether there is something to send."""
        return not isinstance(self.of(turn, texts), str)


def is_meant_for(turn: NewTurn, gateway: GatewaySettings) -> bool:
    """Whether the turn was made for the user and namespace of these settings."""
    configured = (gateway.user_id, gateway.app_id, gateway.project_id)
    return (turn.gateway_user_id, turn.app_id, turn.project_id) == configured


def turn_messages(turn: NewTurn, texts: Mapping[int, str]) -> Sequence[GatewayMessage] | str:
    """The user's prompt and the final answer, exactly as stored, oldest first; or the category of what is missing.

    Timestamps are made positive and never fall, since a host's clock may have stepped back in between.
    """
    prompt, answer = texts.get(turn.user_event_id, ""), texts.get(turn.answer_event_id, "")
    if not prompt.strip() or not answer.strip():
        return CONTENT_MISSING
    asked_at = max(turn.user_at_ms, 1)
    answered_at = max(turn.answer_at_ms, asked_at)
    return (
        GatewayMessage(sender_id=turn.gateway_user_id, role="user", timestamp=asked_at, content=prompt),
        GatewayMessage(sender_id=ASSISTANT_SENDER, role="assistant", timestamp=answered_at, content=answer),
    )
