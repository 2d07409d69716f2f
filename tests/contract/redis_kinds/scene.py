"""What is said to a queue server, and a worker's turns over it."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from beaver.client.jobs import PersistQueue, QueueLook
from beaver.db.engine import Database
from beaver.outbox.states import State
from beaver.schemas.jobs import PersistJob
from tests.support.gateway_stub import running_gateway_stub
from tests.support.ledger import Ledger
from tests.support.processes import InstanceProcess
from tests.support.valkey_kinds import TcpServer
from tests.support.waiting import wait_until
from tests.support.worker_instance import write_instance

README = Path(__file__).parents[3] / "README.md"
PASSWORD = "hunter2-Canary"
JOB = PersistJob(run_id="run_1", generation=0)
needs_openssl = pytest.mark.skipif(shutil.which("openssl") is None, reason="no openssl program to make certificates")


async def look(url: str) -> QueueLook:
    """One look at the server behind a URL."""
    queue = PersistQueue.open(url, timeout_ms=1_500)
    try:
        return await queue.look()
    finally:
        await queue.aclose()


def documented_rule() -> list[str]:
    """What the README says to grant, word by word, without the password."""
    found = re.search(r"^ACL SETUSER beaver (.+)$", README.read_text(), re.MULTILINE)
    assert found is not None
    return [word for word in found[1].split() if not word.startswith(">")]


def allow(server: TcpServer, *rules: str) -> None:
    """Make the user `beaver` with these rules."""
    server.client().execute_command("ACL", "SETUSER", "beaver", *rules, f">{PASSWORD}")


def write_worker_instance(root: Path, database: Database, redis_url: str, gateway_url: str, **worker: Any) -> Ledger:
    """An instance folder for a worker; gives its ledger."""
    url = f"sqlite:///{root / 'sessions.db'}"
    write_instance(root, database_url=url, redis_url=redis_url, gateway_url=gateway_url, worker=worker)
    return Ledger(database)


async def carry_turns(root: Path, database: Database, url: str) -> None:
    """Two turns from the ring to the flush, and the worker's whole life around them."""
    async with running_gateway_stub() as stub:
        # No sweep within the test: what arrives has come through the queue.
        ledger = write_worker_instance(root, database, url, stub.url, sweepSeconds=60)
        queue = PersistQueue.open(url, timeout_ms=2_000)
        with InstanceProcess(root) as worker:
            await worker.logged("worker.ready")
            runs = [await ledger.complete_turn("one"), await ledger.complete_turn("two")]
            for run_id in runs:
                await ring(queue, run_id)
            await all_flushed(ledger, 2)
            assert await queue.standing([JOB]) == frozenset()
            worker.terminate()
            assert await worker.ended() == 0
        await queue.aclose()


async def ring(queue: PersistQueue, run_id: str) -> None:
    """Ring until the queue takes it."""

    async def rung() -> bool:
        return await queue.enqueue(PersistJob(run_id=run_id, generation=0))

    await wait_until(rung, within_s=30, what="a ring that is taken")


async def all_flushed(ledger: Ledger, count: int) -> None:
    """Wait until so many turns are flushed, and no other is there."""

    async def flushed() -> bool:
        return list((await ledger.states()).values()) == [State.FLUSHED] * count

    await wait_until(flushed, within_s=30, what=f"{count} turns flushed")
