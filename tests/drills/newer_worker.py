"""The worker of a release to come: its jobs carry what today's release does not know, and it must read today's jobs.

Only what two releases say to each other differs: the jobs in the queue, and the release that a heartbeat names.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from arq.connections import ArqRedis
from arq.jobs import Job

import beaver.client.jobs
import worker.app
import worker.heartbeat
from beaver.schemas.jobs import PersistJob
from tests.drills import mortal_worker
from tests.drills.mortal_worker import _set

RELEASE: Final = "99.0"


class NewerJob(PersistJob):
    """Today's job with more to say; a job of today says less."""

    version: int = 2
    urgency: str = "nobody said"


def newer_arguments(job: Mapping[str, Any]) -> tuple[Sequence[Any], Mapping[str, Any]]:
    """What this release enqueues where today's enqueues this job alone: a newer job, and things beside it."""
    newer = NewerJob.model_validate({**job, "version": 2, "urgency": "high"})
    return (newer.model_dump(), {"hint": 1}), {"region": "north"}


class NewerRedis(ArqRedis):
    """Makes every job a newer one."""

    async def enqueue_job(self, function: str, *args: Any, **kwargs: Any) -> Job | None:
        """As arq's, for persist jobs."""
        newer, beside = newer_arguments(args[0])
        return await super().enqueue_job(function, *newer, **beside, **kwargs)


def main(arguments: Sequence[str] | None = None) -> int:
    """mortal_worker's main in the newer release."""
    _set(beaver.client.jobs, "ArqRedis", NewerRedis)
    _set(worker.app, "PersistJob", NewerJob)
    _set(worker.heartbeat, "version", lambda _: RELEASE)
    return mortal_worker.main(arguments)
