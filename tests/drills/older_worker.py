"""The worker of the release before: it takes its jobs as arq does, one after the other, each guarded by keys in the queue."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

import worker.app
import worker.supervisor
from tests.drills import mortal_worker
from tests.drills.mortal_worker import _set

READ_LIMIT: Final = 1000
IN_PROGRESS_S: Final = 1.0


def main(arguments: Sequence[str] | None = None) -> int:
    """mortal_worker's main in the older release; what a dead one leaves in the queue runs out within a second."""
    _set(worker.app, "take_rings", lambda _worker: None)
    build: Callable[..., Any] = vars(worker.supervisor)["build_worker"]

    def build_older(*given: Any) -> Any:
        built = build(*given)
        built.queue_read_limit = READ_LIMIT
        built.in_progress_timeout_s = IN_PROGRESS_S
        return built

    _set(worker.supervisor, "build_worker", build_older)
    return mortal_worker.main(arguments)


def run_out(queue: Any) -> None:
    """End what arq counts the tries of a job with. Of one that a dead worker began though it was done, it stays for a day."""
    for key in queue.scan_iter("arq:retry:*"):
        queue.delete(key)
