"""Python's garbage collector, told what a server is like: what stands at its start stands to its end."""

from __future__ import annotations

import gc
from typing import Final

# A turn leaves few cycles behind, and looking for them after every 700 objects is much of what a turn costs: a long
# history alone is thousands of objects.
THRESHOLDS: Final = (10_000, 20, 50)


def settle_collector() -> None:
    """Never look again through what is loaded by now, and less often through what comes. Call it once, when all is loaded."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*THRESHOLDS)
