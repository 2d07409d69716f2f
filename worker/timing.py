"""How the worker's times nest: two Gateway calls and the ledger < job timeout < claim; job timeout <= drain where it fits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from beaver.config.memory import GatewaySettings
from beaver.config.settings import WorkerSettings

LEDGER_S: Final = 8.0
"""For all transactions of one job, retries of the recording included."""

CLAIM_MARGIN_S: Final = 5.0
RECORD_RETRY_S: Final = 5.0
BUSY_BUDGET_S: Final = 5.0
RING_MS: Final = 2_000
"""For a ring or a look at the queue."""


@dataclass(frozen=True)
class Timing:
    """Seconds (and milliseconds) of one worker process."""

    job_timeout_s: float
    claim_ms: int
    drain_s: float

    @classmethod
    def of(cls, worker: WorkerSettings, gateway: GatewaySettings) -> Timing:
        """With the defaults: 28 s for a job, 33 s for a claim, 30 s to drain. A shorter drain cuts what is in flight."""
        job_timeout_s = 2 * gateway.timeout_seconds + LEDGER_S
        return cls(job_timeout_s, round((job_timeout_s + CLAIM_MARGIN_S) * 1000), worker.drain_seconds)
