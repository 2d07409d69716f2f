"""`python -m tests.drills.mortal_chat --root FOLDER [--point POINT]`: a chat server that kills itself at one exact point.

`ring`, where it would ring for a committed turn, or `record`, where it has claimed a request and would record its run.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path

from beaver.client.jobs import PersistQueue
from beaver.config.loader import load_settings
from beaver.config.paths import InstancePaths
from beaver.server.serve import serve
from beaver.sessions.run_requests import RunRequestStore
from tests.drills.mortal_worker import Point, signal_at

POINTS = {"ring": Point(PersistQueue, "enqueue", "before"), "record": Point(RunRequestStore, "settle", "before")}


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve until the point, or until told to stop."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--root", required=True, type=Path)
    parser.add_argument("--point", choices=POINTS, default="ring")
    given = parser.parse_args(arguments)
    signal_at(POINTS[given.point], signal.SIGKILL)
    serve(load_settings(InstancePaths.at(given.root), os.environ))
    return 0


if __name__ == "__main__":
    sys.exit(main())
