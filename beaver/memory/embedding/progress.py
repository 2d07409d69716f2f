"""Where the back-fill stands, pure: which ids are looked at for what waits, the newest first, each old one once."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Final

LATE_IDS_MAX: Final = 20_000
"""At the start, how many ids below the highest one may belong to writes that are not committed yet."""
SETTLED_AFTER_S: Final = 60.0
"""No write is under way for so long: after that, no lower id than the highest one seen comes any more."""
WINDOW_IDS: Final = 10_000
"""How many ids one statement looks at."""
NEAR_IDS: Final = 500
"""How far below the highest id that was seen a quick look begins: a write that got its ids before may end after."""
THOROUGH_EVERY_S: Final = 10.0
"""How often all recent ids are looked at, however late their writes ended: a look costs by the id, and each turn asks for one."""


@dataclass(frozen=True)
class Window:
    """Ids in (after_id, upto_id]."""

    after_id: int
    upto_id: int


@dataclass(frozen=True)
class Progress:
    """Ids above `recent_from` are looked at now and then, of these the ones above `quick_from` each time; those at or below
    `older_upto` are yet to be looked at.

    `seen_id` was the highest id at `seen_s` (a monotonic clock), when nothing above `recent_from` waited. At `thorough_s` that
    was so for the last time.
    """

    recent_from: int
    older_upto: int
    seen_id: int
    seen_s: float
    quick_from: int
    thorough_s: float

    @staticmethod
    def at_start(newest_id: int, now_s: float) -> Progress:
        """Nothing was looked at yet."""
        recent_from = max(0, newest_id - LATE_IDS_MAX)
        return Progress(recent_from, recent_from, newest_id, now_s, recent_from, -math.inf)

    def is_due(self, now_s: float) -> bool:
        """Whether all that is recent is to be looked at, or some of the past is left."""
        return self.older_upto > 0 or now_s - self.thorough_s >= THOROUGH_EVERY_S

    def quick_done(self, newest_id: int) -> Progress:
        """Nothing above `quick_from` waits, up to `newest_id`."""
        return replace(self, quick_from=max(self.recent_from, newest_id - NEAR_IDS))

    def recent_done(self, newest_id: int, now_s: float) -> Progress:
        """Nothing recent waits, up to `newest_id`."""
        looked = replace(self.quick_done(newest_id), thorough_s=now_s)
        if now_s - self.seen_s < SETTLED_AFTER_S:
            return looked
        return replace(looked, recent_from=self.seen_id, seen_id=newest_id, seen_s=now_s)

    def older_window(self) -> Window | None:
        """The next ids of the past; None when all were looked at."""
        return Window(max(0, self.older_upto - WINDOW_IDS), self.older_upto) if self.older_upto else None

    def older_done_down_to(self, passage_id: int) -> Progress:
        """All of the past from `passage_id` upwards was looked at."""
        return replace(self, older_upto=min(self.older_upto, passage_id - 1))
