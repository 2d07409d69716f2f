"""`python -m tests.drills.mortal_worker --root FOLDER [--die-at POINT]`: the real worker, until one exact point.

There it kills (or with `--freeze-at` stops) itself. Without a point it is the worker as it is, but for shorter times: claims
run out within seconds.
"""

from __future__ import annotations

import argparse
import functools
import itertools
import os
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

import worker.parts
import worker.persist
import worker.timing
from beaver.client.gateway import MemoryGatewayClient
from beaver.client.jobs import PersistQueue
from beaver.outbox.claim_store import ClaimStore
from beaver.outbox.states import State
from worker.__main__ import main as worker_main
from worker.persist import Persister

LEDGER_S: Final = 2.0
CLAIM_MARGIN_S: Final = 0.5
IMPATIENT_S: Final = 0.5


@dataclass(frozen=True)
class Point:
    """Before or after a method's (or a module's function's) work; for moves of the ledger, those to `target` alone."""

    owner: Any
    method: str
    when: Literal["before", "after"]
    target: State | None = None
    nth: int = 1


POINTS: Final[Mapping[str, Point]] = {
    "before claim": Point(Persister, "persist", "before"),
    "claim not committed": Point(ClaimStore, "write", "after", State.ADDING),
    "after claim, before the first byte": Point(MemoryGatewayClient, "add", "before"),
    "after add, before record": Point(MemoryGatewayClient, "add", "after"),
    "record not committed": Point(ClaimStore, "write", "after", State.FLUSHING),
    "before flush": Point(MemoryGatewayClient, "flush", "before"),
    "after flush, before record": Point(MemoryGatewayClient, "flush", "after"),
    "end not committed": Point(ClaimStore, "write", "after", State.FLUSHED),
    "before the next ring": Point(PersistQueue, "enqueue", "before"),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run until told to stop, or until the point."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--root", required=True)
    parser.add_argument("--die-at", choices=POINTS)
    parser.add_argument("--freeze-at", choices=POINTS)
    parser.add_argument("--impatient", action="store_true", help="give up soon on a database that is locked")
    given = parser.parse_args(arguments)
    hurry()
    if given.impatient:
        _set(worker.parts, "BUSY_BUDGET_S", IMPATIENT_S)
        _set(worker.persist, "RECORD_RETRY_S", IMPATIENT_S)
    if given.die_at:
        signal_at(POINTS[given.die_at], signal.SIGKILL)
    if given.freeze_at:
        signal_at(POINTS[given.freeze_at], signal.SIGSTOP)
    return worker_main(["--root", given.root])


def hurry() -> None:
    """Shorten what a dead worker leaves standing: its claims in the ledger."""
    _set(worker.timing, "LEDGER_S", LEDGER_S)
    _set(worker.timing, "CLAIM_MARGIN_S", CLAIM_MARGIN_S)


def signal_at(point: Point, number: signal.Signals) -> None:
    """Wrap the method so that this process sends itself the signal there, the nth time it comes by."""
    whole: Callable[..., Any] = getattr(point.owner, point.method)
    times = itertools.count(1)

    @functools.wraps(whole)
    async def mortal(*arguments: Any, **named: Any) -> Any:
        meant = (point.target is None or point.target in targets(arguments)) and next(times) == point.nth
        if meant and point.when == "before":
            os.kill(os.getpid(), number)
        done = await whole(*arguments, **named)
        if meant and point.when == "after":
            os.kill(os.getpid(), number)
        return done

    _set(point.owner, point.method, mortal)


def targets(arguments: Sequence[Any]) -> set[State]:
    """The states that a group of decisions leads to."""
    [decided] = [each for each in arguments if isinstance(each, Sequence)]
    return {passage.target for moved in decided for passage in moved.passages}


def _set(owner: Any, name: str, value: Any) -> None:
    assert hasattr(owner, name), f"{owner} has no {name} any more"
    setattr(owner, name, value)


if __name__ == "__main__":
    sys.exit(main())
