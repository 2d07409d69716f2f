"""Rings taken off the queue: as many at once as there is room for, in one command.

arq guards every job with keys of its own: four trips and a dozen commands each, one job after the other, and three trips
more for each job under way whenever it looks for new ones. Whose a turn is the ledger says, so a ring leaves the queue
with its taking; for one that is lost with its worker the relay rings again.
"""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Final

from arq.constants import job_key_prefix, retry_key_prefix
from arq.jobs import DeserializationError, deserialize_job_raw
from arq.utils import timestamp_ms
from arq.worker import Worker

from beaver.logs import get_logger

# KEYS: the queue. ARGV: now in ms, how many at most, what the keys of jobs and of arq's count of their tries begin with; a
# worker of an older release that died has left the count. A key that is no string, of another program, must not keep the others
# from being taken.
_TAKE: Final = """
local taken = {}
for _, id in ipairs(redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', ARGV[1], 'LIMIT', 0, ARGV[2])) do
  local key = ARGV[3] .. id
  taken[#taken + 1] = id
  local job = redis.pcall('GET', key)
  taken[#taken + 1] = type(job) == 'string' and job or ''
  redis.call('DEL', key, ARGV[4] .. id)
  redis.call('ZREM', KEYS[1], id)
end
return taken
"""


def take_rings(worker: Worker) -> None:
    """Have this arq worker start its jobs from here on as `Rings` does. It needs its queue's client by now."""
    # arq has no door for it: its loop calls this method with the ids at the head of the queue.
    worker.start_jobs = Rings(worker).start  # type: ignore[method-assign]


class Rings:
    """Takes rings and runs their jobs for an arq worker, whose loop, bounds and counts stay in charge."""

    def __init__(self, worker: Worker) -> None:
        self._worker = worker
        self._take = worker.pool.register_script(_TAKE)
        self._again: dict[str, bytes] = {}

    async def start(self, job_ids: list[bytes]) -> None:
        """Take as many rings as there is room for, and begin their jobs; none where no `job_ids` wait."""
        worker = self._worker
        room = worker.max_jobs - worker.job_counter
        if not job_ids or room < 1:
            return
        taken = await self._take([worker.queue_name], [timestamp_ms(), room, job_key_prefix, retry_key_prefix])
        for job_id, raw in zip(taken[::2], taken[1::2], strict=True):
            self._begin(job_id.decode(errors="replace"), raw)

    def _begin(self, job_id: str, raw: bytes) -> None:
        worker = self._worker
        under_way = worker.tasks.get(job_id)
        if under_way is not None and not under_way.done():
            # The job may have found a moment ago that its turn must wait, for the very turn whose end rings for it now.
            self._again[job_id] = raw
            return
        worker.job_counter += 1
        task = worker.tasks[job_id] = asyncio.create_task(self._run(job_id, raw))
        task.add_done_callback(partial(self._ended, job_id))

    def _ended(self, job_id: str, _task: asyncio.Task[None]) -> None:
        self._worker.job_counter -= 1
        raw = self._again.pop(job_id, None)
        # Of a worker that drains the relay takes care.
        if raw is not None and self._worker.allow_pick_jobs:
            self._begin(job_id, raw)

    async def _run(self, job_id: str, raw: bytes) -> None:
        """One job within its time. Raises nothing: arq's loop, and its way to stop, would end with it."""
        worker = self._worker
        try:
            await self._call(job_id, raw)
        except asyncio.CancelledError:
            # Told by arq's way to stop, which waits for this job and not for what it says.
            worker.jobs_failed += 1
        # A bug: it is told, and the turn's claim runs out. The other jobs may be in order.
        except Exception as error:
            worker.jobs_failed += 1
            get_logger().error("persist.failed", job_id=job_id, exc_info=error)
        else:
            worker.jobs_complete += 1

    async def _call(self, job_id: str, raw: bytes) -> None:
        worker = self._worker
        try:
            name, arguments, named, *_ = deserialize_job_raw(raw, deserializer=worker.job_deserializer)
            function = worker.functions[name]
        except (DeserializationError, KeyError):
            # Expired, or of a release that calls it otherwise: the relay rings again, with a job of ours.
            get_logger().warning("persist.unreadable_job", job_id=job_id)
            return
        async with asyncio.timeout(getattr(function, "timeout_s", None)):
            await function.coroutine({**worker.ctx, "job_id": job_id}, *arguments, **named)
