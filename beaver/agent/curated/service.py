"""Curated memory for a running chat: snapshots and changes. No chat waits long for a disk that hangs."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Any, Final

from beaver.agent.curated.entries import Operation, Refusal, Target, split_entries
from beaver.agent.curated.scanning import find_threat
from beaver.agent.curated.snapshot import MemorySnapshot, build_snapshot
from beaver.agent.curated.store import Changed, MemoryStore, Unreadable
from beaver.apart import apart
from beaver.logs import get_logger

SNAPSHOT_S: Final = 2.0
"""How long a turn waits for the two files. What hangs for longer is a share of a network that is gone, or no file at all."""

_HANGS: Final = Unreadable("it could not be read in time")


class MemoryService:
    """What a run does with curated memory. A change is on disk at once, and in a prompt from the next run on."""

    def __init__(self, store: MemoryStore, *, snapshot_s: float = SNAPSHOT_S) -> None:
        self._store = store
        self._snapshot_s = snapshot_s
        self._late: set[asyncio.Task[Any]] = set()

    async def snapshot(self) -> MemorySnapshot:
        """Both files as they are now. Never raises for what a file holds; what is left out is logged without content.

        Files that cannot be read in time are as good as unreadable, and as long as they hang nobody waits for them again.
        """
        if not self._late:
            reading = asyncio.create_task(apart(self._snapshot))
            await asyncio.wait({reading}, timeout=self._snapshot_s)
            if reading.done():
                return reading.result()
            self._late.add(reading)
            reading.add_done_callback(self._late.discard)
        get_logger().warning("memory.unreadable", file="MEMORY.md, USER.md", cause=_HANGS.cause)
        return build_snapshot(_HANGS, _HANGS)

    async def read(self, target: Target) -> list[str] | Unreadable:
        """The entries of one memory as they are on disk now."""
        text = await apart(partial(self._store.read, target))
        return text if isinstance(text, Unreadable) else split_entries(text)

    async def change(self, target: Target, operations: tuple[Operation, ...]) -> Changed | Refusal:
        """Do all operations on one memory, or none. A cancelled call may still be done: whole, never half."""
        return await apart(partial(self._store.change, target, operations))

    def _snapshot(self) -> MemorySnapshot:
        memory, user = self._store.read(Target.MEMORY), self._store.read(Target.USER)
        _report(Target.MEMORY, memory)
        _report(Target.USER, user)
        return build_snapshot(memory, user)


def _report(target: Target, text: str | Unreadable) -> None:
    if isinstance(text, Unreadable):
        get_logger().warning("memory.unreadable", file=target.file_name, cause=text.cause)
        return
    for threat in {find_threat(entry) for entry in split_entries(text)} - {None}:
        get_logger().warning("memory.entry_not_shown", file=target.file_name, pattern=threat)
