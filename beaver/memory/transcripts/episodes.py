"""Episodes, pure: a conversation's stretches without a long pause, within which a message's neighbours explain it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

PAUSE_MS_MAX: Final = 4 * 3_600_000
MESSAGES_MAX: Final = 64


@dataclass(frozen=True)
class Episode:
    """The stretch a conversation is in: its number, how many messages it holds, when the last was said (UTC epoch ms)."""

    number: int
    messages: int
    last_observed_ms: int | None

    def after(self, observed_ms: int) -> Episode:
        """The episode of the next message: a new one after a pause of four hours, or after 64 messages."""
        paused = self.last_observed_ms is not None and observed_ms - self.last_observed_ms > PAUSE_MS_MAX
        if paused or self.messages >= MESSAGES_MAX:
            return Episode(self.number + 1, 1, observed_ms)
        return Episode(self.number, self.messages + 1, observed_ms)
