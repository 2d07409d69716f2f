"""Where the back-fill stands, pure: which ids are looked at for what waits, the newest first, each old one once."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

LATE_IDS_MAX: Final = 20_000
"""At the start, how many ids below the highest one may belong to writes that are not committed yet."""
SETTLED_AFTER_S: Final = 60.0
"""No write is under way for so long: after that, no lower id than the highest one seen comes any more."""
WINDOW_IDS: Final = 10_000
"""How many ids one statement looks at."""


@dataclass(frozen=True)
class Window:
    """Ids in (after_id, upto_id]."""

    after_id: int
    upto_id: int


@dataclass(frozen=True)
class Progress:
    """Ids above `recent_from` are looked at each time, those at or below `older_upto` are yet to be looked at.

    `seen_id` was the highest id at `seen_s` (a monotonic clock), when nothing above `recent_from` waited.
    """

    recent_from: int
    older_upto: int
    seen_id: int
    seen_s: float

    @staticmethod
    def at_start(newest_id: int, now_s: float) -> Progress:
        """Nothing was looked at yet."""
        recent_from = max(0, newest_id - LATE_IDS_MAX)
        return Progress(recent_from, recent_from, newest_id, now_s)

    def recent_done(self, newest_id: int, now_s: float) -> Progress:
        """Nothing recent waits, up to `newest_id`."""
        if now_s - self.seen_s < SETTLED_AFTER_S:
            return self
        return replace(self, recent_from=self.seen_id, seen_id=newest_id, seen_s=now_s)

    def older_window(self) -> Window | None:
        """The next ids of the past; None when all were looked at."""
        return Window(max(0, self.older_upto - WINDOW_IDS), self.older_upto) if self.older_upto else None

    def older_done_down_to(self, passage_id: int) -> Progress:
        """All of the past from `passage_id` upwards was looked at."""
        return replace(self, older_upto=min(self.older_upto, passage_id - 1))
