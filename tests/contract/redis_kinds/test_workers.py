"""A worker over each kind of queue server: warned, over TLS, through a failover, and waiting for one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from beaver.client.jobs import PersistQueue
from beaver.db.engine import Database
from beaver.schemas.jobs import PersistJob
from tests.contract.redis_kinds.scene import (
    PASSWORD,
    all_flushed,
    allow,
    carry_turns,
    documented_rule,
    ring,
    write_worker_instance,
)
from tests.support.fault_proxy import running_fault_proxy
from tests.support.gateway_stub import running_gateway_stub
from tests.support.processes import InstanceProcess
from tests.support.valkey_kinds import SentinelServer, TcpServer, running
from tests.support.waiting import wait_until


async def test_a_worker_says_that_its_queue_may_evict(
    ports: dict[str, Any], tmp_path: Path, sqlite_database: Database
) -> None:
    async with running_gateway_stub() as stub:
        write_worker_instance(tmp_path, sqlite_database, f"redis://localhost:{ports['evicting']}", stub.url)
        with InstanceProcess(tmp_path) as worker:
            said = await worker.logged("queue.unwise")
            assert "maxmemory-policy is allkeys-lru" in said["reason"]
            await worker.logged("worker.ready")


async def test_a_worker_delivers_over_verified_tls(
    ports: dict[str, Any], tmp_path: Path, sqlite_database: Database
) -> None:
    if "tls" not in ports:
        pytest.skip("no openssl program to make certificates")
    await carry_turns(tmp_path, sqlite_database, f"rediss://localhost:{ports['tls']}?ssl_ca_certs={ports['ca']}")


async def test_rings_and_a_worker_follow_the_master_through_a_failover(
    folder: Path, tmp_path: Path, sqlite_database: Database
) -> None:
    master = TcpServer(folder)
    replica = TcpServer(folder, "--replicaof", f"127.0.0.1 {master.port}", "--repl-ping-replica-period", "1")
    sentinel = SentinelServer(folder, master.port)
    with running(master, replica, sentinel):
        await _known_replica(sentinel)
        url = f"sentinel://localhost:{sentinel.port}/main"
        queue = PersistQueue.open(url, timeout_ms=1_000)
        async with running_gateway_stub() as stub:
            ledger = write_worker_instance(tmp_path, sqlite_database, url, stub.url, sweepSeconds=60)
            with InstanceProcess(tmp_path) as worker:
                await worker.logged("worker.ready")
                await ring(queue, await ledger.complete_turn("before"))
                await all_flushed(ledger, 1)
                master.kill()
                await ring(queue, await ledger.complete_turn("after"))
                await all_flushed(ledger, 2)
        assert replica.client().info("replication")["role"] == "master"
        await queue.aclose()


async def test_turns_are_delivered_by_a_queue_too_far_away_for_a_chat_to_ring_it(
    ports: dict[str, Any], tmp_path: Path, sqlite_database: Database
) -> None:
    async with running_gateway_stub() as stub, running_fault_proxy(ports["plain"]) as proxy:
        proxy.fault, proxy.pause_s = "late", 0.15
        url = proxy.url.replace("http:", "redis:")
        ledger = write_worker_instance(tmp_path, sqlite_database, url, stub.url, sweepSeconds=0.3)
        chat = PersistQueue.open(url)
        assert not await chat.enqueue(PersistJob(run_id=await ledger.complete_turn("s1"), generation=0))
        await chat.aclose()
        with InstanceProcess(tmp_path) as worker:
            await worker.logged("worker.ready")
            await all_flushed(ledger, 1)


async def test_a_worker_with_a_wrong_password_waits_says_so_and_goes_on_once_it_is_right(
    folder: Path, tmp_path: Path, sqlite_database: Database
) -> None:
    server = TcpServer(folder)
    with running(server):
        url = f"redis://beaver:{PASSWORD}@localhost:{server.port}"
        async with running_gateway_stub() as stub:
            ledger = write_worker_instance(tmp_path, sqlite_database, url, stub.url)
            with InstanceProcess(tmp_path) as worker:
                waiting = await worker.logged("worker.waiting", part="queue")
                assert waiting["reason"] == "does not accept the user or the password of the URL (WRONGPASS)"
                assert waiting["place"] == f"redis://localhost:{server.port}"
                allow(server, *documented_rule())
                await worker.logged("worker.ready")
                await ledger.complete_turn()
                await all_flushed(ledger, 1)
            assert PASSWORD not in worker.log.read_text()


async def test_a_worker_that_finds_no_queue_waits_longer_each_time_and_starts_when_it_comes(
    folder: Path, tmp_path: Path, sqlite_database: Database
) -> None:
    server = TcpServer(folder)
    async with running_gateway_stub() as stub:
        write_worker_instance(tmp_path, sqlite_database, f"redis://127.0.0.1:{server.port}", stub.url)
        with InstanceProcess(tmp_path) as worker:

            async def waited_thrice() -> bool:
                return len([each for each in worker.events() if each["event"] == "worker.waiting"]) >= 3

            await wait_until(waited_thrice, within_s=30, what="three waits")
            waits = [each for each in worker.events() if each["event"] == "worker.waiting"]
            assert {each["reason"] for each in waits} == {"connection refused: nothing listens there"}
            assert waits[0]["retry_s"] < waits[1]["retry_s"] < waits[2]["retry_s"]
            with running(server):
                await worker.logged("worker.ready")
                worker.terminate()
                assert await worker.ended() == 0


async def _known_replica(sentinel: SentinelServer) -> None:
    async def known() -> bool:
        return bool(sentinel.client().sentinel_master("main")["num-slaves"])

    await wait_until(known, within_s=30, what="the Sentinel's knowledge of the replica")
