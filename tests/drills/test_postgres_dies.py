"""`kill -9` of the whole PostgreSQL under load, again and again: the workers outlive it, and what it acknowledged stands."""

from __future__ import annotations

import asyncio
import json
import signal
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from beaver.db.engine import Database
from beaver.db.migrate import ensure_schema
from beaver.outbox.states import State
from beaver.schemas.gateway import ADD_PATH, FLUSH_PATH
from tests.drills.conftest import staged
from tests.drills.scene import Scene
from tests.support.gateway_stub import delay
from tests.support.instance import BEAVER
from tests.support.postgres import PostgresServer, running_postgres
from tests.support.valkey import ValkeyServer
from tests.support.worker_instance import write_instance

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


@pytest.mark.parametrize("as_json", [True, False], ids=["json", "words"])
def test_whoever_watches_the_ledger_is_told_of_a_postgresql_that_dies_and_goes_on_watching(
    tmp_path: Path, as_json: bool
) -> None:
    with running_postgres(mortal=True) as server:
        write_instance(tmp_path, database_url=server.url("postgres"), redis_url="redis://localhost", gateway_url=None)
        command = [
            *BEAVER,
            "queue",
            "watch",
            "--root",
            str(tmp_path),
            "--interval",
            "0.1",
            *(["--json"] if as_json else []),
        ]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as watch:
            assert watch.stdout is not None
            counts = watch.stdout.readline()
            server.kill()
            told = watch.stdout.readline()
            server.start()
            again = watch.stdout.readline()
            while again != counts:  # it may be told of how the server starts
                again = watch.stdout.readline()
            watch.send_signal(signal.SIGINT)
            _, err = watch.communicate(timeout=30)
    assert (watch.returncode, err) == (0, "")
    assert "the database can" in (json.loads(told)["trouble"] if as_json else told)


@asynccontextmanager
async def staged_over(server: PostgresServer, root: Path, valkey: ValkeyServer) -> AsyncIterator[Scene]:
    """A scene in a database of this server."""
    url = server.url(await server.create_database())
    database = Database.open(url)
    await ensure_schema(database, "beaver.db.migrations")
    async with staged(root, database, url, valkey) as scene:
        yield scene
    await database.close()
