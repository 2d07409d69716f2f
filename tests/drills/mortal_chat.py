"""`python -m tests.drills.mortal_chat FOLDER [POINT]`: a chat server that kills itself at one exact point.

`ring`, where it would ring for a committed turn, or `record`, where it has claimed a request and would record its run.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from beaver.client.jobs import PersistQueue
from beaver.config.loader import load_settings
from beaver.config.paths import InstancePaths
from beaver.server.serve import serve
from beaver.sessions.run_requests import RunRequestStore
from tests.drills.mortal_worker import Point, signal_at

POINTS = {"ring": Point(PersistQueue, "enqueue", "before"), "record": Point(RunRequestStore, "settle", "before")}

if __name__ == "__main__":
    import signal

    folder, *point = sys.argv[1:]
    signal_at(POINTS[point[0] if point else "ring"], signal.SIGKILL)
    serve(load_settings(InstancePaths.at(Path(folder)), os.environ))
