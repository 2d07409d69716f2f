"""Which messages of a turn are kept, pure: what never reached anybody was not said."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from beaver.memory.records import DeliveryStatus, NewMessage

_KEEP_ALL: Final = frozenset({"delivered"})
_KEEP_ASKED: Final = frozenset({"user_only", "upstream_failed", "cancelled"})


def kept_messages(status: DeliveryStatus, messages: Sequence[NewMessage]) -> list[NewMessage]:
    """All of a delivered turn; the user's side where no answer arrived; nothing of a broken or refused one."""
    if status in _KEEP_ALL:
        return list(messages)
    return [message for message in messages if message.role != "assistant"] if status in _KEEP_ASKED else []
