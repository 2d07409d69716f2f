"""Curated memory for a running chat: snapshots and changes, with every file access in a thread."""

from __future__ import annotations

import asyncio

from beaver.agent.curated.entries import Operation, Refusal, Target, split_entries
from beaver.agent.curated.scanning import find_threat
from beaver.agent.curated.snapshot import MemorySnapshot, build_snapshot
from beaver.agent.curated.store import Changed, MemoryStore, Unreadable
from beaver.logs import get_logger


class MemoryService:
    """What a run does with curated memory. A change is on disk at once, and in a prompt from the next run on."""

    def __init__(self, store: MemoryStore) -> None:
        self._store = store

    async def snapshot(self) -> MemorySnapshot:
        """Both files as they are now. Never raises for what a file holds; what is left out is logged without content."""
        return await asyncio.to_thread(self._snapshot)

    async def read(self, target: Target) -> list[str] | Unreadable:
        """The entries of one memory as they are on disk now."""
        text = await asyncio.to_thread(self._store.read, target)
        return text if isinstance(text, Unreadable) else split_entries(text)

    async def change(self, target: Target, operations: tuple[Operation, ...]) -> Changed | Refusal:
        """Do all operations on one memory, or none. A cancelled call may still be done: whole, never half."""
        return await asyncio.to_thread(self._store.change, target, operations)

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
