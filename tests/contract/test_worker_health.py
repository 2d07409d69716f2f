"""A worker shows that it lives and what it does: heartbeat, health check and metrics of a real process."""

from __future__ import annotations

import asyncio
import json
import socket
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families
from sqlalchemy import text, update

from beaver.client.jobs import PersistQueue
from beaver.db.engine import Database
from beaver.db.tables import worker_heartbeats
from beaver.outbox.heartbeats import FRESH_MS, HeartbeatStore, SeenWorker
from beaver.outbox.states import State
from beaver.schemas.gateway import ADD_PATH, FLUSH_PATH
from beaver.schemas.jobs import PersistJob
from tests.support.forking import forked
from tests.support.gateway_stub import GatewayStub, hang, running_gateway_stub, status
from tests.support.http import loopback_client
from tests.support.ledger import Ledger
from tests.support.ports import free_ports
from tests.support.processes import ARQ, WORKER, InstanceProcess, Start
from tests.support.valkey import ValkeyServer
from tests.support.waiting import wait_until
from tests.support.worker_instance import write_instance
from worker.__main__ import main as worker_main

Samples = dict[tuple[str, ...], float]


@dataclass
class Place:
    """An instance that a worker can be started on, and what to look at it with."""

    root: Path
    ledger: Ledger
    queue: PersistQueue
    stub: GatewayStub
    valkey: ValkeyServer
    database_url: str
    port: int

    def write(self, **changes: Any) -> None:
        """Write the configuration, with the metrics' port."""
        told = {"metricsPort": self.port}
        values = {"database_url": self.database_url, "redis_url": self.valkey.url, "gateway_url": self.stub.url}
        write_instance(self.root, **{**values, "worker": told, **changes})

    async def workers(self) -> list[SeenWorker]:
        """All rows of workers."""
        async with self.ledger.database.read() as tx:
            return await HeartbeatStore(self.ledger.database.dialect).list_workers(tx)

    async def worker(self, **fields: Any) -> SeenWorker:
        """Wait for the one worker to say this of itself."""

        async def said() -> SeenWorker | None:
            found = await self.workers()
            fits = [each for each in found if all(getattr(each, name) == value for name, value in fields.items())]
            return fits[0] if len(found) == len(fits) == 1 else None

        seen = await wait_until(said, within_s=30, what=f"a worker that says {fields}")
        assert seen is not None
        return seen

    async def health(self, *further: str) -> tuple[int | None, str]:
        """Exit code and words of the health check."""
        log = self.root / "health.log"
        log.write_bytes(b"")
        checking = forked(worker_main, ["--health", "--root", str(self.root), *further], log)
        await asyncio.to_thread(checking.join, 60)
        return checking.exitcode, log.read_text()

    async def scrape(self) -> Samples:
        """Every sample of the worker's /metrics: (name, values of its labels by their names) and value."""
        async with loopback_client() as client:
            response = await client.get(f"http://127.0.0.1:{self.port}/metrics")
        families = text_string_to_metric_families(response.text)
        return {
            (each.name, *(value for _, value in sorted(each.labels.items()))): each.value
            for family in families
            for each in family.samples
        }

    async def turn(self, end: State, session_id: str = "s1") -> str:
        """A turn that is rung for; wait for its end."""
        run_id = await self.ledger.complete_turn(session_id, prompt="Canary prompt", answer="Canary answer")
        assert await self.queue.enqueue(PersistJob(run_id=run_id, generation=0))

        async def ended() -> bool:
            return await self.ledger.state(run_id) is end

        await wait_until(ended, within_s=30, what=f"{run_id} in {end}")
        return run_id


async def placed(root: Path, database: Database, database_url: str, valkey: ValkeyServer) -> AsyncIterator[Place]:
    queue = PersistQueue.open(valkey.url, timeout_ms=2_000)
    async with running_gateway_stub() as stub:
        made = Place(root, Ledger(database), queue, stub, valkey, database_url, free_ports(1)[0])
        made.write()
        yield made
        stub.release()
    await queue.aclose()


@pytest.fixture
async def place(tmp_path: Path, database: Database, database_url: str, valkey: ValkeyServer) -> AsyncIterator[Place]:
    async for made in placed(tmp_path, database, database_url, valkey):
        yield made


@pytest.fixture
async def quick_place(tmp_path: Path, sqlite_database: Database, valkey: ValkeyServer) -> AsyncIterator[Place]:
    """The same on SQLite alone."""
    async for made in placed(tmp_path, sqlite_database, f"sqlite:///{tmp_path / 'sessions.db'}", valkey):
        yield made


@pytest.mark.parametrize("how", [WORKER, ARQ], ids=["python -m worker", "arq"])
async def test_a_heartbeat_comes_with_the_worker_and_goes_with_sigterm(place: Place, how: Start) -> None:
    with InstanceProcess(place.root, how=how) as worker:
        seen = await place.worker()
        assert (seen.host, seen.pid, seen.alive) == (socket.gethostname(), worker.pid, True)
        assert (seen.in_flight, seen.draining, seen.version) == (0, False, "0.1.0")
        assert (await place.health())[0] == 0
        await worker.logged("worker.ready")
        worker.terminate()
        await worker.ended()
    assert await place.workers() == []
    code, said = await place.health()
    assert (code, said) == (1, f"workers alive on {socket.gethostname()}: 0\n")


async def test_a_killed_workers_heartbeat_goes_stale_and_its_successors_is_fresh(place: Place) -> None:
    with InstanceProcess(place.root, "first") as worker:
        killed = await place.worker()
        worker.kill()
    await grow_older(place.ledger.database, FRESH_MS + 1)
    (left,) = await place.workers()
    assert (left.worker_id, left.alive) == (killed.worker_id, False)
    assert (await place.health())[0] == 1
    with InstanceProcess(place.root, "second"):

        async def both() -> bool:
            return [each.alive for each in await place.workers()] == [False, True]

        await wait_until(both, within_s=30, what="the successor's heartbeat")
        assert (await place.health())[0] == 0


async def test_a_draining_worker_says_so_and_what_is_still_in_flight(quick_place: Place) -> None:
    place = quick_place
    place.write(gateway={"timeoutSeconds": 20})
    place.stub.script(ADD_PATH, hang())
    run_id = await place.ledger.complete_turn()
    with InstanceProcess(place.root) as worker:
        await place.queue.enqueue(PersistJob(run_id=run_id, generation=0))
        await place.worker(in_flight=1, draining=False)
        worker.terminate()
        await place.worker(in_flight=1, draining=True)
        place.stub.release()
        assert await worker.ended() == 0
    assert await place.workers() == []


async def test_the_health_check_makes_no_database_and_is_content_with_nothing_to_do(tmp_path: Path) -> None:
    place = Place(tmp_path, None, None, GatewayStub(), None, f"sqlite:///{tmp_path / 'none.db'}", 1)  # type: ignore[arg-type]
    write_instance(
        tmp_path, database_url=place.database_url, redis_url="redis://localhost", gateway_url="http://127.0.0.1:9"
    )
    assert await place.health() == (1, "the session database is not there yet\n")
    assert not (tmp_path / "none.db").exists()
    write_instance(tmp_path, database_url=place.database_url, redis_url="redis://localhost", gateway_url=None)
    assert await place.health() == (0, "the memory plan has no Gateway, so there is nothing to deliver\n")


async def test_the_health_check_and_a_broken_rule_are_json_for_programs(tmp_path: Path) -> None:
    place = Place(tmp_path, None, None, GatewayStub(), None, f"sqlite:///{tmp_path / 'none.db'}", 1)  # type: ignore[arg-type]
    write_instance(tmp_path, database_url=place.database_url, redis_url="redis://localhost", gateway_url=None)
    code, said = await place.health("--json")
    words = "the memory plan has no Gateway, so there is nothing to deliver"
    assert (code, json.loads(said)) == (0, {"well": True, "message": words})
    write_instance(
        tmp_path, database_url=place.database_url, redis_url="redis://localhost", gateway_url="http://127.0.0.1:9"
    )
    code, said = await place.health("--json")
    assert (code, json.loads(said)) == (1, {"well": False, "message": "the session database is not there yet"})
    write_instance(tmp_path, database_url="mysql://db", redis_url="redis://localhost", gateway_url=None)
    code, said = await place.health("--json")
    error = json.loads(said)["error"]
    assert (code, error["code"]) == (78, "config")
    assert error["message"] == "sessions.databaseUrl: must be a sqlite:/// URL with a file or a postgresql:// URL"
    assert "beaver check" in error["next_step"]


async def test_the_metrics_tell_depth_outcomes_and_durations(place: Place) -> None:
    place.stub.script(ADD_PATH, status(500), status(401))
    place.stub.script(FLUSH_PATH, status(404))
    with InstanceProcess(place.root) as worker:
        await worker.logged("metrics.serving", port=place.port)
        before = await place.scrape()
        for end in (State.ADD_UNKNOWN, State.ADD_REFUSED, State.FLUSH_FAILED, State.FLUSHED, State.FLUSHED):
            await place.turn(end)

        async def counted() -> Samples | None:
            told = await place.scrape()
            return told if told.get(("beaver_persist_outcomes_total", "none", "flushed")) == 2 else None

        told = await wait_until(counted, what="both flushed turns in the metrics")
    assert told is not None
    assert not [name for name in before if name[0] == "beaver_persist_outcomes_total"]
    assert {name[1:]: value for name, value in told.items() if name[0] == "beaver_persist_outcomes_total"} == {
        ("http_status", "add_unknown"): 1,
        ("unauthorized", "add_refused"): 1,
        ("http_status", "flush_failed"): 1,
        ("none", "flushed"): 2,
    }
    assert told[("beaver_gateway_call_seconds_count", "add")] == 5
    assert told[("beaver_gateway_call_seconds_count", "flush")] == 3
    assert 0 < told[("beaver_gateway_call_seconds_sum", "add")] < 60
    assert told[("beaver_outbox_turns", "flushed")] == 2
    assert told[("beaver_outbox_turns", "add_unknown")] == 1
    assert told[("beaver_outbox_turns", "pending")] == told[("beaver_outbox_ready",)] == 0
    assert told[("beaver_ledger_up",)] == told[("beaver_workers_alive",)] == 1
    assert told[("beaver_turns_in_flight",)] == 0
    for counter in ("claims_lost", "sweep_faults", "heartbeat_faults"):
        assert told[(f"beaver_{counter}_total",)] == 0
    assert "anary" not in str(told)


async def test_a_second_worker_whose_metrics_port_is_taken_delivers_all_the_same(quick_place: Place) -> None:
    place = quick_place
    with InstanceProcess(place.root, "first") as first:
        await first.logged("metrics.serving")
        with InstanceProcess(place.root, "second") as second:
            await second.logged("metrics.not_served", port=place.port, reason="OSError")
            await second.logged("worker.ready")
            first.kill()
            await place.turn(State.FLUSHED)


async def test_a_worker_whose_heartbeat_fails_delivers_and_counts_it(quick_place: Place) -> None:
    place = quick_place
    with InstanceProcess(place.root) as worker:
        await place.worker()
        async with place.ledger.database.write() as tx:
            await tx.execute(text("ALTER TABLE worker_heartbeats RENAME TO elsewhere"))
        await worker.logged("heartbeat.failed")
        await place.turn(State.FLUSHED)
        async with place.ledger.database.write() as tx:
            await tx.execute(text("ALTER TABLE elsewhere RENAME TO worker_heartbeats"))
        assert (await place.scrape())[("beaver_heartbeat_faults_total",)] >= 1
        worker.terminate()
        assert await worker.ended() == 0


async def grow_older(database: Database, by_ms: int) -> None:
    async with database.write() as tx:
        await tx.execute(update(worker_heartbeats).values(seen_ms=worker_heartbeats.c.seen_ms - by_ms))
