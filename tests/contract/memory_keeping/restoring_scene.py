"""Ada's memory as a file, a process that restores it, another that serves meanwhile, and ways of looking at both."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from io import BytesIO

from sqlalchemy import func, select, table

from beaver.db.engine import Database
from beaver.memory.namespace import Namespace
from beaver.memory.observations.records import NewObservation
from beaver.memory.portability.merging import Merged
from beaver.memory.records import NewDocument, NewMessage, Question
from beaver.memory.runtime import MemoryRuntime
from beaver.memory.tables import FULLTEXT_TABLE, metadata
from beaver.memory.tools.handlers import ToolCaller
from beaver.memory.upkeep.policy import DAY_MS
from beaver.schemas.gateway import SCOPES
from tests.support.encoders import WordEncoder
from tests.support.memory_gateway import MORNING_MS

ADA, BOB = Namespace("default", "default", "ada"), Namespace("default", "default", "bob")
CANARY = "zanzibarheron"
TURNS = 12


class HeldFile(BytesIO):
    """An export that is given out up to one line when it is read for the second time, and further once it is let go."""

    def __init__(self, whole: bytes, *, upto: int) -> None:
        super().__init__(whole)
        self.reached, self._go = threading.Event(), threading.Event()
        self._upto = upto
        self._readings = 0
        self._line = 0

    def seek(self, offset: int, whence: int = 0) -> int:
        self._readings += 1
        self._line = 0
        return super().seek(offset, whence)

    def readline(self, size: int | None = -1) -> bytes:
        self._line += 1
        if self._readings == 2 and self._line > self._upto:
            self.reached.set()
            self._go.wait()
        return super().readline(size)

    def let_go(self) -> None:
        self._go.set()


@asynccontextmanager
async def opened(url: str, days: list[int], encoder: WordEncoder | None = None) -> AsyncIterator[MemoryRuntime]:
    runtime = await MemoryRuntime.open(url, encoder=encoder, clock=lambda: MORNING_MS + days[0] * DAY_MS)
    yield runtime
    await runtime.close()


async def fill(runtime: MemoryRuntime) -> None:
    """Messages, a document, observations with their history, a summary."""
    for number in range(TURNS):
        said = [NewMessage("user", "ada", MORNING_MS + number, f"{CANARY} number {number}")]
        await runtime.add(ADA, f"chat:{number % 2}", said)
    await runtime.flush(ADA, "chat:0")
    await runtime.put_resource(ADA, NewDocument("file:birds", "Birds", f"{CANARY} wades. " * 300))
    for title in ("likes", "draws", "feeds"):
        await runtime.write_observation(
            ADA, NewObservation("event", f"Ada {title} birds", facts=(f"{CANARY} {title}",))
        )


async def exported(runtime: MemoryRuntime) -> bytes:
    target = BytesIO()
    await runtime.export(ADA, target, unwatched)
    return target.getvalue()


def unwatched(_done: int, _total: int) -> None:
    return None


def breaking_off(done: int, total: int) -> None:
    """Once the file was checked, which is half of the way, and some of it is written."""
    if done > total / 2 + 12:
        raise ConnectionResetError


@asynccontextmanager
async def half_restored(runtime: MemoryRuntime, whole: bytes) -> AsyncIterator[tuple[HeldFile, asyncio.Task[Merged]]]:
    """A restore that has written most of the file's pages, and stands still until its file is let go."""
    held = HeldFile(whole, upto=whole.count(b"\n") - 3)
    task = asyncio.create_task(runtime.restore(ADA, held, unwatched))
    task.add_done_callback(lambda _: held.reached.set())  # one that fails before is not waited for
    await asyncio.to_thread(held.reached.wait)
    try:
        yield held, task
    finally:
        held.let_go()
        await asyncio.gather(task, return_exceptions=True)


async def rows(database: Database) -> dict[str, int]:
    """How many each table has, but for the purge's note."""
    names = [one.name for one in metadata.sorted_tables if one.name != "upkeep"] + [FULLTEXT_TABLE]
    async with database.read() as tx:
        return {name: await tx.scalar(select(func.count()).select_from(table(name))) or 0 for name in names}


async def all_that_ada_sees(runtime: MemoryRuntime) -> list[object]:
    """By every way there is of looking."""
    return [
        await runtime.search(ADA, Question("", "chat:0", SCOPES, 50)),
        await runtime.search(ADA, Question(CANARY, "chat:0", SCOPES, 50)),
        (await runtime.list_memories(ADA)).memories,
        (await runtime.list_resources(ADA)).resources,
        (await runtime.list_observations(ADA)).observations,
        await runtime.search_archive(ADA, CANARY),
        await runtime.list_people(ADA),
        (await runtime.call_tool("memory_sessions", {}, ToolCaller(ADA)))["sessions"],
        (await runtime.prompt_index(ADA, CANARY)).text,
        [one for one in await runtime.namespaces_of("ada") if one != ADA],
    ]
