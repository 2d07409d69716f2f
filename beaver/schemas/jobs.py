"""The jobs in the queue: a run id and a generation, or that items wait. No content, no credential ever stands in Redis."""

from __future__ import annotations

from typing import Annotated, Final

from pydantic import Field

from beaver.schemas.wire import Answered, NotBlank

QUEUE_NAME: Final = "beaver:persist"
PERSIST_FUNCTION: Final = "persist_turn"
DISTILLED_FUNCTION: Final = "deliver_distilled"


class PersistJob(Answered):
    """Ask a worker to look at one run's row in the ledger.

    `generation` counts how often the row was rung for; it makes the job's id fresh, since the queue
    refuses an id that it still holds. Unknown keys are dropped: old workers meet newer chat servers.
    """

    version: int = 1
    run_id: NotBlank
    generation: Annotated[int, Field(ge=0)]
    traceparent: str | None = None

    @property
    def job_id(self) -> str:
        """The queue's id of this job."""
        return f"persist:{self.run_id}:{self.generation}"


class DistilledJob(Answered):
    """Ask a worker to look whether items of the host's memory wait to be sent. Two with one `number` are one job."""

    version: int = 1
    number: Annotated[int, Field(ge=0)]

    @property
    def job_id(self) -> str:
        """The queue's id of this job."""
        return f"distilled:{self.number}"
