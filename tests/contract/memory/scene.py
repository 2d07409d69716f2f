"""One session of Ada's, turn by turn."""

from __future__ import annotations

from beaver.memory.namespace import Namespace
from beaver.memory.records import NewMessage
from beaver.memory.runtime import MemoryRuntime
from tests.support.memory_gateway import MORNING_MS

ADA = Namespace("default", "default", "ada")
SESSION = "chat:s"


async def turn(runtime: MemoryRuntime, asked: str, answered: str) -> None:
    """Stored and flushed."""
    said = [NewMessage("user", "ada", MORNING_MS, asked), NewMessage("assistant", "beaver", MORNING_MS, answered)]
    await runtime.add(ADA, SESSION, said)
    await runtime.flush(ADA, SESSION)
