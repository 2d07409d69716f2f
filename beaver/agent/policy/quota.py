"""How often the Gateway is searched: a bound on any hundred turns in a row, of one user in one process."""

from __future__ import annotations

from collections import deque
from typing import Final

TURNS: Final = 100


class ReadQuota:
    """Counts turns and the reads among the last hundred of them."""

    def __init__(self, reads_max: int) -> None:
        self._reads_max = reads_max
        self._turns: deque[bool] = deque(maxlen=TURNS)

    def begin_turn(self) -> None:
        """A further turn, which has not read yet."""
        self._turns.append(False)

    def take(self) -> bool:
        """Whether this turn may read; if so, it counts as one that did."""
        if sum(self._turns) >= self._reads_max:
            return False
        self._turns[-1] = True
        return True
