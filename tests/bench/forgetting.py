"""Forgetting one message, observation or session of a memory in whose archive much lies; one process, no encoder."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Awaitable, Sequence
from contextlib import ExitStack
from dataclasses import asdict
from statistics import median
from typing import Any

from sqlalchemy import insert, text

from beaver.db.engine import Database
from beaver.memory.namespace import Namespace
from beaver.memory.observations.entries import content_hash, text_of
from beaver.memory.observations.records import Evidence, NewObservation, Observation
from beaver.memory.records import NewMessage
from beaver.memory.retrieval.words import index_text
from beaver.memory.runtime import MemoryRuntime
from beaver.memory.tables import observation_archive
from tests.bench.figures import Table
from tests.bench.gateway_ingest import message_text
from tests.bench.options import DatabaseKind, Options
from tests.support.memory_gateway import MORNING_MS
from tests.support.postgres import running_postgres

ABOUT = "how long it takes to forget one message, observation or session, by how much lies in the archive"
TIMES = 10
A_SESSION = 200
AT_ONCE = 1000
ADA = Namespace("default", "default", "ada")


async def measure(options: Options) -> list[Table]:
    """A table a database."""
    return [await _measured(kind, options.sizes) for kind in options.databases]


async def _measured(kind: DatabaseKind, sizes: Sequence[int]) -> Table:
    with ExitStack() as parts:
        url = f"sqlite:///{parts.enter_context(tempfile.TemporaryDirectory())}/memory.db"
        if kind == "postgresql":
            server = parts.enter_context(running_postgres(mortal=True))
            url = server.url(await server.create_database())
        runtime, database = await MemoryRuntime.open(url), Database.open(url)
        try:
            await runtime.create_user("ada")
            await runtime.add(ADA, "chat:other", [NewMessage("user", "ada", MORNING_MS, "Hello.")])
            lines, filled = [], 0
            for size in sizes:
                await _fill(database, filled, size)
                filled = size
                lines.append({"archived": size, **await _forgetting(runtime)})
            return Table(f"{kind}, ms at the median and at most, of {TIMES}", lines)
        finally:
            await database.close()
            await runtime.close()


async def _fill(database: Database, first: int, end: int) -> None:
    for start in range(first, end, AT_ONCE):
        async with database.write() as tx:
            numbers = range(start, min(start + AT_ONCE, end))
            await tx.execute(insert(observation_archive), [_archived(number) for number in numbers])
    if database.dialect.name == "postgresql":
        async with database.write() as tx:
            await tx.execute(text("ANALYZE"))


def _archived(number: int) -> dict[str, Any]:
    title, facts = f"Noted {number}", (message_text(number),)
    lists: dict[str, Any] = {"tags": (), "related_files": (), "related_people": ()}
    named = {"source": "tool", "min_trust": "owner", "mention_count": 0, "token_count": 20, "pinned": False}
    said = Observation(
        id=f"obs_archived{number}",
        store="private",
        type="discovery",
        title=title,
        narrative="",
        **{"facts": facts, **lists, "evidence": (Evidence(f"old{number}", f"old{number}.0"),), **named},
        session_id=f"old:{number // A_SESSION}",
        created_ms=MORNING_MS,
        updated_ms=MORNING_MS,
    )
    return {
        "observation_id": said.id,
        "namespace_id": 1,
        "store": said.store,
        "type": said.type,
        "title": title,
        "words": index_text(text_of(said)),
        "observation": asdict(said),
        "reason": "unused",
        "archived_ms": MORNING_MS,
        "hash": content_hash(title, facts),
    }


async def _forgetting(runtime: MemoryRuntime) -> dict[str, str]:
    samples: dict[str, list[float]] = {"message": [], "observation": [], "session": []}
    for number in range(TIMES):
        said = [NewMessage("user", "ada", MORNING_MS, f"{message_text(each)} {number}") for each in range(4)]
        ids = (await runtime.add(ADA, "chat:s", said)).message_ids
        learned = [
            await runtime.write_observation(
                ADA, NewObservation("discovery", f"Learned {one}", evidence=(Evidence(one.split(".")[0], one),))
            )
            for one in ids
        ]
        own = str(learned[1].observation_id)
        samples["message"].append(await _taken_s(runtime.forget_memory(ADA, ids[0])))
        samples["observation"].append(await _taken_s(runtime.forget_memory(ADA, own)))
        samples["session"].append(await _taken_s(runtime.forget_session(ADA, "chat:s")))
    await runtime.wait_until_purged()
    return {what: f"{median(taken) * 1000:.1f} / {max(taken) * 1000:.1f}" for what, taken in samples.items()}


async def _taken_s(act: Awaitable[object]) -> float:
    began = time.perf_counter()
    await act
    return time.perf_counter() - began
