"""When an item is sent, sent again, and given up, pure.

Unlike a turn, which is added once, an item may be sent again after an unknown outcome: its batch keeps its idempotency key.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

BATCH_ITEMS_MAX: Final = 20
BATCH_WAIT_MS: Final = 2_000
"""How long an item waits for others to go with."""
ATTEMPTS_MAX: Final = 6
BACKOFF_S_MAX: Final = 60.0
JITTER: Final = (0.5, 1.5)
"""A backoff is multiplied by a number drawn from between these."""
SENT_KEPT_MS: Final = 30 * 86_400_000
"""For how long a row tells that its item arrived."""

_AGAIN_CATEGORIES: Final = frozenset({"timeout", "connect_failed", "connection_lost"})
_TOO_MANY: Final = 429
_SERVER_FAULTS: Final = range(500, 600)


class DistilledState(StrEnum):
    """Where an item stands: `sent` and `dead` are ends, and an operator may have a dead one sent anew."""

    PENDING = "pending"
    SENDING = "sending"
    SENT = "sent"
    DEAD = "dead"


@dataclass(frozen=True)
class Fault:
    """Why a batch did not arrive. `retry_after_s`: how long the Gateway asked to be left alone."""

    category: str
    status: int | None = None
    retry_after_s: float | None = None


@dataclass(frozen=True)
class Again:
    """To be sent again after so many milliseconds."""

    delay_ms: int


@dataclass(frozen=True)
class GivenUp:
    """Not to be sent any more, unless somebody says so."""


def after(fault: Fault, attempt: int, jitter: float) -> Again | GivenUp:
    """What becomes of a batch that failed for the time number `attempt` (from 1). `jitter` is between those of JITTER."""
    if attempt >= ATTEMPTS_MAX or not may_help(fault):
        return GivenUp()
    wait_s = max(backoff_s(attempt) * jitter, fault.retry_after_s or 0.0)
    return Again(round(wait_s * 1000))


def may_help(fault: Fault) -> bool:
    """Whether sending it again may come to something else: what a broken connection, 429 and 5xx have in common."""
    if fault.status is None:
        return fault.category in _AGAIN_CATEGORIES
    return fault.status == _TOO_MANY or fault.status in _SERVER_FAULTS


def backoff_s(attempt: int) -> float:
    """Seconds after the attempt of that number, before jitter: 1, 2, 4, … up to 60."""
    return min(BACKOFF_S_MAX, float(2 ** (min(attempt, 20) - 1)))


def item_key(session_id: str, run_id: str, content: str) -> str:
    """An item's identity: SHA-256 of its session, its turn and the hash of its redacted content."""
    content_hash = hashlib.sha256(content.encode()).hexdigest()
    return hashlib.sha256("\0".join((session_id, run_id, content_hash)).encode()).hexdigest()


def batch_key(keys: Iterable[str]) -> str:
    """A batch's idempotency key: the same for the same items, in whatever order."""
    return hashlib.sha256("\0".join(sorted(keys)).encode()).hexdigest()
