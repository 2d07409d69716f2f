"""What the ledger is measured against: an arq worker with our options that makes the same two calls and remembers nothing.

`python -m tests.bench.plain_worker`, on the instance that BEAVER_ROOT names; with `rings` it takes its jobs as our worker does,
which says what the ledger alone costs.
"""

from __future__ import annotations

import asyncio
import os
import sys
import time
from pathlib import Path
from typing import Any, Final

from arq.worker import Worker, func

from beaver.client.gateway import MemoryGatewayClient
from beaver.config.loader import load_settings
from beaver.config.memory import gateway_of
from beaver.config.paths import InstancePaths
from beaver.ids import new_id
from beaver.schemas.gateway import GatewayMessage
from beaver.schemas.jobs import PERSIST_FUNCTION
from tests.bench.stage import ANSWER, PROMPT
from tests.support.processes import launching
from worker.app import worker_options, worker_redis
from worker.rings import take_rings

# arq looks at the first ids of the queue only, those that workers are running included.
READ_LIMIT_PER_JOB: Final = 10

COMMAND = launching(sys.executable, "-m", "tests.bench.plain_worker")
TAKING_RINGS = launching(sys.executable, "-m", "tests.bench.plain_worker", "rings")


def jobs(turns: int) -> dict[str, dict[str, Any]]:
    """Its jobs by their ids. Without a ledger the texts travel in the queue."""
    runs = [new_id("run") for _ in range(turns)]
    return {f"plain:{each}": {"run_id": each, "prompt": PROMPT, "answer": ANSWER} for each in runs}


async def deliver(ctx: dict[Any, Any], turn: dict[str, str]) -> None:
    """Add and flush."""
    client: MemoryGatewayClient = ctx["client"]
    session, now = f"s-{turn['run_id']}", int(time.time() * 1000)
    messages = [
        GatewayMessage(sender_id="ada", role="user", timestamp=now, content=turn["prompt"]),
        GatewayMessage(sender_id="assistant", role="assistant", timestamp=now, content=turn["answer"]),
    ]
    await client.add(session_id=session, messages=messages, idempotency_key=turn["run_id"])
    await client.flush(session_id=session)


async def _serve(*, rings: bool) -> None:
    settings = load_settings(InstancePaths.at(Path(os.environ["BEAVER_ROOT"])), os.environ)
    gateway = gateway_of(settings.memory)
    assert gateway is not None
    own = {
        "functions": [func(deliver, name=PERSIST_FUNCTION, max_tries=1)],
        "queue_read_limit": settings.worker.max_jobs * READ_LIMIT_PER_JOB,
    }
    worker = Worker(
        **worker_options(settings, gateway) | own,
        redis_pool=worker_redis(settings.redis_url),
        ctx={"client": MemoryGatewayClient(gateway)},
        handle_signals=False,
    )
    if rings:
        take_rings(worker)
    print('{"event": "worker.ready"}', flush=True)
    await worker.main()


if __name__ == "__main__":
    asyncio.run(_serve(rings="rings" in sys.argv))
