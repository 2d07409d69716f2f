"""The one job in the queue: a run id and a generation. No content, no credential ever stands in Redis."""

from __future__ import annotations

from typing import Annotated, Final

from pydantic import Field

from beaver.schemas.wire import Answered, NotBlank

QUEUE_NAME: Final = "beaver:persist"
PERSIST_FUNCTION: Final = "persist_turn"


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
