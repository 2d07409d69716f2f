"""Which observations served an answer, noted beside it: what is used does not age."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Sequence
from typing import Final

from beaver.clock import Clock
from beaver.errors import BeaverError
from beaver.logs import get_logger
from beaver.memory.namespace import Namespace
from beaver.memory.observations.editing import ObservationEditing
from beaver.memory.upkeep.policy import DAY_MS

NOTED_MAX: Final = 20_000
"""So many uses of today are known in memory; one that was let go is written again."""


class Uses:
    """Writes each observation's use once a day, by a task of its own. A use that cannot be written is given up: days are left."""

    def __init__(self, editing: ObservationEditing, clock: Clock) -> None:
        self._editing = editing
        self._clock = clock
        self._noted: OrderedDict[tuple[Namespace, str], int] = OrderedDict()
        self._waiting: dict[Namespace, set[str]] = {}
        self._task: asyncio.Task[None] | None = None

    def note(self, namespace: Namespace, observation_ids: Sequence[str]) -> None:
        """They served an answer now. Never blocks, never raises; ids that are none of an observation do no harm."""
        today = self._clock() // DAY_MS
        new = {one for one in observation_ids if self._noted.get((namespace, one)) != today}
        if not new:
            return
        self._noted.update({(namespace, one): today for one in new})
        while len(self._noted) > NOTED_MAX:
            self._noted.popitem(last=False)
        self._waiting.setdefault(namespace, set()).update(new)
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._write(), name="uses")

    async def close(self) -> None:
        """Return when what was noted is written, or given up."""
        if self._task is not None:
            await asyncio.wait([self._task])

    async def _write(self) -> None:
        while self._waiting:
            namespace, used = self._waiting.popitem()
            try:
                await self._editing.mark_used(namespace, used)
            except BeaverError as error:
                get_logger().warning("upkeep.uses_lost", reason=error.code, observations=len(used))
