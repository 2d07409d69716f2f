"""`kill -9` of the whole PostgreSQL under load, again and again: the workers outlive it, and what it acknowledged stands."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from beaver.db.engine import Database
from beaver.db.migrate import ensure_schema
from beaver.outbox.states import State
from beaver.schemas.gateway import ADD_PATH, FLUSH_PATH
from tests.drills.conftest import staged
from tests.drills.scene import Scene
from tests.support.gateway_stub import delay
from tests.support.postgres import PostgresServer, running_postgres
from tests.support.valkey import ValkeyServer

TURNS, SESSIONS = 60, 16
KILLED_AFTER_ADDS = (4, 18, 32)


async def test_a_postgresql_killed_mid_transition_loses_nothing_and_has_nothing_sent_twice(
    tmp_path: Path, own_valkey: ValkeyServer
) -> None:
    with running_postgres(mortal=True) as server:
        async with staged_over(server, tmp_path, own_valkey) as scene:
            scene.write(gateway={"timeoutSeconds": 0.5})
            for path in (ADD_PATH, FLUSH_PATH):
                scene.stub.always(path, delay(0.03))
            run_ids = await scene.complete(*(f"s{number % SESSIONS}" for number in range(TURNS)))
            with scene.worker("left") as left, scene.worker("right") as right:
                await scene.ring(*run_ids)
                for count in KILLED_AFTER_ADDS:
                    await scene.adds(count)
                    await asyncio.to_thread(server.kill)
                    await asyncio.to_thread(server.start)
                ends = await scene.holds()
                assert left.is_alive()
                assert right.is_alive()
    # Two workers hold few turns at a time: most are not even on their way when the server dies.
    assert ends[State.FLUSHED, None] > TURNS / 2


@asynccontextmanager
async def staged_over(server: PostgresServer, root: Path, valkey: ValkeyServer) -> AsyncIterator[Scene]:
    """A scene in a database of this server."""
    url = server.url(await server.create_database())
    database = Database.open(url)
    await ensure_schema(database, "beaver.db.migrations")
    async with staged(root, database, url, valkey) as scene:
        yield scene
    await database.close()
