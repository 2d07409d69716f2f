"""How a chat server and its parts stand, for operators: figures and words, no content and no secret."""

from __future__ import annotations

from typing import Literal

from beaver.schemas.wire import Answered


class PartHealth(Answered):
    """One part as it answered just now. `trouble` says in words why it did not; an unused part was not asked."""

    status: Literal["ok", "failed", "unused"]
    ms: int | None = None
    trouble: str | None = None


class LedgerHealth(Answered):
    """What waits for the Gateway: turns by state, those that wait for nothing but a worker, and who works."""

    turns: dict[str, int]
    ready: int
    oldest_pending_age_seconds: float
    workers_alive: int


class HealthDetail(Answered):
    """`GET /health/detail`. `degraded`: answers come, and a part that they can do without is away.

    `ledger` is null when it could not be read in time.
    """

    status: Literal["ok", "degraded", "draining", "unavailable"]
    version: str
    runs_under_way: int
    parts: dict[Literal["sessions", "queue", "gateway"], PartHealth]
    ledger: LedgerHealth | None
