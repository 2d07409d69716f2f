"""What goes into the distilled lane, and what comes out of it."""

from __future__ import annotations

from dataclasses import dataclass, field

from beaver.config.memory import MemoryOwner
from beaver.outbox.distilled.schedule import DistilledState, batch_key


@dataclass(frozen=True)
class NewDistilled:
    """An item to send: for which user and namespace of the Gateway, from which turn. `content` is redacted already.

    `expires_ms`: when its time is over, UTC epoch ms; None is never.
    """

    key: str
    tenant: str
    project: str
    user_id: str
    session_id: str
    run_id: str
    item_id: str
    content: str = field(repr=False)
    expires_ms: int | None = None


@dataclass(frozen=True)
class BatchedItem:
    """One item of a batch; `created_ms` is when it was entered, UTC epoch ms."""

    key: str
    content: str = field(repr=False)
    created_ms: int


@dataclass(frozen=True)
class Batch:
    """Items that a worker has claimed and sends in one request. `attempt` counts from 1."""

    id: str
    tenant: str
    project: str
    user_id: str
    attempt: int
    items: tuple[BatchedItem, ...]

    @property
    def owner(self) -> MemoryOwner:
        """For whose memory they are."""
        return MemoryOwner(self.user_id, self.tenant, self.project)

    @property
    def idempotency_key(self) -> str:
        """The same each time this batch is sent."""
        return batch_key(item.key for item in self.items)


@dataclass(frozen=True)
class DistilledRow:
    """A row as operators see it, with the user and namespace of the Gateway that it is for: no content."""

    key: str
    tenant: str
    project: str
    user_id: str
    session_id: str
    run_id: str
    item_id: str
    state: DistilledState
    attempt: int
    error_category: str | None
    error_status: int | None
    created_ms: int
    updated_ms: int


@dataclass(frozen=True)
class DistilledDepth:
    """How many rows stand in each state, all of them named, and since when the oldest pending one waits, in ms."""

    counts: dict[DistilledState, int]
    oldest_pending_age_ms: int | None
