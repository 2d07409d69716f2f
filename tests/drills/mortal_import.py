"""`python -m tests.drills.mortal_import`: `beaver gateway import`, until one exact point, as often as it is told.

A line of standard input is {"arguments": […], "point": …}; what it answers is the exit code, negative for a signal. Each command
has a process of its own, forked from this one, which has all imports behind it.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import traceback
from collections.abc import Mapping, Sequence
from typing import Final

import beaver.gateway.serve  # noqa: F401 - so that no fork has to
from beaver.cli.main import app
from beaver.memory.portability import service, store
from beaver.memory.portability.staging import Staged
from beaver.memory.transcripts.service import TranscriptService
from beaver.memory.users import staging_store
from tests.drills.mortal_worker import Point, signal_at

PAGE_ROWS: Final = 12
POINTS: Final[Mapping[str, Point]] = {
    "merged page not committed": Point(service, "write_page", "after", nth=2),
    "restored page not committed": Point(service, "write_page", "after", nth=3),
    "between pages": Point(service, "_write", "after", nth=3),
    "before the last step": Point(Staged, "publish", "before"),
    "last step not committed": Point(staging_store, "publish_staged", "after"),
    "all but the word of it": Point(service.PortabilityService, "restore", "after"),
    "message stored": Point(TranscriptService, "add", "after", nth=70),
}


def main() -> None:
    """Answer each line."""
    for line in sys.stdin:
        print(_outcome(**json.loads(line)), flush=True)


def _outcome(arguments: Sequence[str], point: str | None) -> int:
    pid = os.fork()
    if pid == 0:
        _import(arguments, point)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def _import(arguments: Sequence[str], point: str | None) -> None:
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # the answers' own
    store.PAGE_ROWS = PAGE_ROWS  # type: ignore[misc]
    if point is not None:
        signal_at(POINTS[point], signal.SIGKILL)
    code = 1
    try:
        app(["gateway", "import", *arguments])
    except SystemExit as ended:
        code = int(ended.code or 0)
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(code)


if __name__ == "__main__":
    main()
