"""arq wired for persist jobs: each option set, none left to its default where that would hurt, all of them checked at start.

`python -m worker` runs this under its own supervision. `arq worker.app.WorkerSettings` works too: the settings are made
when that name is first asked for (from BEAVER_ROOT or the working folder), so that importing this module does nothing.
"""

from __future__ import annotations

import asyncio
import inspect
import os
import sys
from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path
from typing import Any, Final

from arq.connections import ArqRedis
from arq.worker import Function, Worker, func
from pydantic import ValidationError
from redis.asyncio.retry import Retry
from redis.backoff import ExponentialBackoff

from beaver.client.jobs import arq_redis, decode_job, encode_job
from beaver.client.redis_urls import queue_place
from beaver.collector import settle_collector
from beaver.config.memory import GatewaySettings, gateway_of
from beaver.config.settings import Settings
from beaver.errors import ConfigError, Unavailable
from beaver.logs import get_logger
from beaver.schemas.jobs import DISTILLED_FUNCTION, PERSIST_FUNCTION, QUEUE_NAME, PersistJob
from worker.distilled import DistilledCourier
from worker.draining import ending_for_certain
from worker.parts import Parts, beside_the_jobs, open_parts, process_name
from worker.persist import Persister
from worker.refusal import refuse
from worker.rings import take_rings
from worker.startup import ready_ledger, worker_logs, worker_settings
from worker.timing import Timing

POLL_DELAY_S: Final = 0.05
HEALTH_INTERVAL_S: Final = 15
SOCKET_TIMEOUT_S: Final = 3.0
CONNECTION_RETRIES: Final = 3


async def deliver_distilled(ctx: dict[Any, Any], *_arguments: Any, **_newer: Any) -> None:
    """The other job: whatever its arguments, it asks to look whether items wait."""
    courier: DistilledCourier = ctx["courier"]
    try:
        await courier.deliver()
    except Unavailable as error:
        get_logger().warning("distilled.postponed", reason=str(error))


async def persist_turn(ctx: dict[Any, Any], *arguments: Any, **_newer: Any) -> None:
    """The job of a turn: its first argument is a PersistJob, what newer senders may add is ignored.

    Whatever comes of it is in the ledger; arq learns nothing and keeps nothing.
    """
    try:
        job = PersistJob.model_validate(next(iter(arguments), None))
    except ValidationError:
        get_logger().warning("persist.unreadable_job", job_id=ctx["job_id"])
        return
    persister: Persister = ctx["persister"]
    try:
        await persister.persist(job)
    except Unavailable as error:
        get_logger().warning("persist.postponed", run_id=job.run_id, reason=str(error))


def worker_options(settings: Settings, gateway: GatewaySettings) -> dict[str, Any]:
    """Every option of arq's Worker that we rely on; `wrong_options` checks the same ones."""
    timing = Timing.of(settings.worker, gateway)
    return {
        "functions": [
            func(persist_turn, name=PERSIST_FUNCTION, max_tries=1, timeout=timing.job_timeout_s),
            func(deliver_distilled, name=DISTILLED_FUNCTION, max_tries=1, timeout=timing.job_timeout_s),
        ],
        "queue_name": QUEUE_NAME,
        "job_serializer": encode_job,
        "job_deserializer": decode_job,
        "max_tries": 1,
        "retry_jobs": False,
        "keep_result": 0,
        "log_results": False,
        "allow_abort_jobs": False,
        "job_timeout": timing.job_timeout_s,
        "job_completion_wait": timing.drain_s,
        "poll_delay": POLL_DELAY_S,
        "max_jobs": settings.worker.max_jobs,
        # Whether anything waits, no more: `take_rings` reads the rest.
        "queue_read_limit": 1,
        "health_check_interval": HEALTH_INTERVAL_S,
        "health_check_key": f"{QUEUE_NAME}:health:{process_name()}",
    }


def build_worker(settings: Settings, gateway: GatewaySettings, parts: Parts) -> Worker:
    """A worker for `python -m worker`, which handles signals itself. Connects nothing."""
    worker = Worker(
        **worker_options(settings, gateway),
        redis_pool=worker_redis(settings.redis_url),
        ctx={"persister": parts.persister, "courier": parts.courier},
        handle_signals=False,
    )
    refuse_wrong_options(worker)
    take_rings(worker)
    return worker


def worker_redis(url: str) -> ArqRedis:
    """The worker's own connections: short losses of the queue server are ridden out, longer ones raise."""
    retry = Retry(ExponentialBackoff(cap=1, base=0.05), CONNECTION_RETRIES)
    return arq_redis(url, socket_timeout_s=SOCKET_TIMEOUT_S, retry=retry)


def wrong_options(worker: Worker) -> list[str]:
    """Names of the options that this worker does not hold as we need them: arq drops unknown ones without a word."""
    functions = [each for each in worker.functions.values() if isinstance(each, Function)]
    held = {
        "functions": [each.name for each in functions] == [PERSIST_FUNCTION, DISTILLED_FUNCTION],
        "function max_tries": all(each.max_tries == 1 for each in functions),
        "max_tries": worker.max_tries == 1,
        "retry_jobs": worker.retry_jobs is False,
        "keep_result": worker.keep_result_s == 0 and not worker.keep_result_forever,
        "job_serializer": worker.job_serializer is encode_job and worker.job_deserializer is decode_job,
        "allow_abort_jobs": not worker.allow_abort_jobs,
        "job hooks": (worker.on_job_start, worker.on_job_end, worker.after_job_end) == (None, None, None),
        "cron_jobs": not worker.cron_jobs,
        "queue_name": worker.queue_name == QUEUE_NAME,
        "job_completion_wait": worker._job_completion_wait > 0,
    }
    return [name for name, right in held.items() if not right]


def refuse_wrong_options(worker: Worker) -> None:
    """Raises RuntimeError, naming them, where options got lost: running so would break the ledger's promises."""
    wrong = wrong_options(worker)
    if wrong:
        raise RuntimeError(f"the arq worker does not hold: {', '.join(wrong)}")


def __getattr__(name: str) -> Any:
    if name != "WorkerSettings":
        raise AttributeError(name)
    try:
        return arq_settings(Path(os.environ.get("BEAVER_ROOT") or "."))
    except ConfigError as error:
        # The command `arq` would show a traceback and end with 1, upon which a supervisor starts it again.
        sys.exit(refuse(error))


def arq_settings(root: Path) -> dict[str, Any]:
    """What the command `arq` runs a worker from. Raises ConfigError, also for a plan without a Gateway."""
    settings = worker_settings(root)
    gateway = gateway_of(settings.memory)
    if gateway is None:
        raise ConfigError("memory", "names no Gateway, so there is nothing for a worker to deliver")
    opened = AsyncExitStack()
    return {
        **worker_options(settings, gateway),
        "redis_pool": worker_redis(settings.redis_url),
        "on_startup": partial(_start, settings, gateway, opened),
        "on_shutdown": partial(_stop, opened),
    }


async def _start(settings: Settings, gateway: GatewaySettings, opened: AsyncExitStack, context: dict[str, Any]) -> None:
    loop, worker = _running_worker()
    refuse_wrong_options(worker)
    take_rings(worker)
    worker_logs(settings)
    parts = await opened.enter_async_context(open_parts(settings, gateway, lambda: not worker.allow_pick_jobs))
    await ready_ledger(parts.database, asyncio.Event())
    settle_collector()
    await opened.enter_async_context(beside_the_jobs(settings, parts))
    await opened.enter_async_context(ending_for_certain(worker, loop))
    context |= {"persister": parts.persister, "courier": parts.courier}
    get_logger().info("worker.ready", queue=queue_place(settings.redis_url), holder=parts.ledger.holder)


async def _stop(opened: AsyncExitStack, _context: dict[str, Any]) -> None:
    await opened.aclose()


def _running_worker() -> tuple[asyncio.Task[Any], Worker]:
    """arq hands its start hook no worker; but the hook runs inside `Worker.main`, whose `self` it is."""
    main: Any = asyncio.current_task()
    found = inspect.getcoroutinelocals(main.get_coro()).get("self")
    if not isinstance(found, Worker):
        raise RuntimeError("not started by arq's worker")
    return main, found
