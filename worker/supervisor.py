"""Keeps a worker process alive through the loss of its parts: waits for them, starts arq again, drains on a signal."""

from __future__ import annotations

import asyncio
import signal
import time
from contextlib import suppress
from typing import Final

from arq.worker import Worker
from redis.exceptions import RedisError

from beaver.client.queue_faults import WORLD, fault_words
from beaver.client.queue_look import look_at_server
from beaver.client.redis_urls import queue_place
from beaver.collector import settle_collector
from beaver.config.memory import GatewaySettings, gateway_of
from beaver.config.settings import Settings
from beaver.logs import get_logger
from worker.app import build_worker
from worker.draining import drain, end
from worker.parts import Parts, beside_the_jobs, open_parts
from worker.startup import ready_ledger, stopped_within, waits
from worker.timing import Timing

STEADY_S: Final = 60.0
"""A run of the queue loop at least this long starts the waiting over from its shortest."""


async def run_worker(settings: Settings) -> None:
    """Serve until SIGTERM or SIGINT, then drain.

    Without a Gateway in the memory plan there is nothing to deliver: the process says so and waits for its signal, so
    that whoever supervises it does not start it again and again.
    """
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    gateway = gateway_of(settings.memory)
    if gateway is None:
        get_logger().warning("worker.idle", reason="the memory plan has no Gateway; waiting turns stay in the ledger")
        await stop.wait()
        return
    async with open_parts(settings, gateway, draining=stop.is_set) as parts:
        if await ready_ledger(parts.database, stop):
            settle_collector()
            async with beside_the_jobs(settings, parts):
                await serve(settings, gateway, parts, stop)
    get_logger().info("worker.stopped")


async def serve(settings: Settings, gateway: GatewaySettings, parts: Parts, stop: asyncio.Event) -> None:
    """Until `stop`, then drain. arq's loop ends whenever the queue server goes away, and is started again."""
    place = queue_place(settings.redis_url)
    pauses = waits()
    while not stop.is_set():
        started = time.monotonic()
        worker = build_worker(settings, gateway, parts)
        lost = await _serve_once(worker, Timing.of(settings.worker, gateway).drain_s, stop, place)
        if stop.is_set():
            return
        if time.monotonic() - started >= STEADY_S:
            pauses = waits()
        wait_s = next(pauses)
        get_logger().warning("worker.waiting", part="queue", place=place, reason=lost, retry_s=round(wait_s, 1))
        await stopped_within(stop, wait_s)


async def _serve_once(worker: Worker, drain_s: float, stop: asyncio.Event, place: str) -> str:
    """Until stopped and drained, or until the queue is lost; then the reason."""
    serving = asyncio.create_task(_loop(worker, place))
    stopping = asyncio.create_task(stop.wait())
    try:
        await asyncio.wait({serving, stopping}, return_when=asyncio.FIRST_COMPLETED)
        if stop.is_set():
            get_logger().info("worker.draining", in_flight=len(worker.tasks))
            await drain(worker, drain_s)
    finally:
        await end(stopping)
        await end(serving)
        await _let_go(worker, drain_s)
    return _reason(serving, place)


async def _loop(worker: Worker, place: str) -> None:
    for warning in await look_at_server(worker.pool):
        get_logger().warning("queue.unwise", place=place, reason=warning)
    get_logger().info("worker.ready", place=place)
    await worker.main()


def _reason(serving: asyncio.Task[None], place: str) -> str:
    """Why the loop ended: stopped by us, or what is wrong with the queue, in words. A bug is raised."""
    error = None if serving.cancelled() else serving.exception()
    if error is not None and not isinstance(error, WORLD):
        raise error
    return "stopped" if error is None else fault_words(error, place)


async def _let_go(worker: Worker, drain_s: float) -> None:
    """Close the connections, once the turns in flight have ended: those need the ledger and the Gateway, not the queue."""
    await drain(worker, drain_s)
    await asyncio.gather(*worker.tasks.values(), return_exceptions=True)
    with suppress(RedisError, OSError):
        await worker.pool.delete(worker.health_check_key)
    with suppress(RedisError, OSError):
        await worker.pool.aclose(close_connection_pool=True)
