"""`python -m tests.drills.mortal_chat FOLDER`: a chat server that kills itself where it would ring for a committed turn."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from beaver.client.jobs import PersistQueue
from beaver.config.loader import load_settings
from beaver.config.paths import InstancePaths
from beaver.server.serve import serve
from tests.drills.mortal_worker import Point, signal_at

if __name__ == "__main__":
    import signal

    signal_at(Point(PersistQueue, "enqueue", "before"), signal.SIGKILL)
    serve(load_settings(InstancePaths.at(Path(sys.argv[1])), os.environ))
