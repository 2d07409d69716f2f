"""Runs a command that ends when its supervisor does: `python -I -S launch.py SUPERVISOR_PID COMMAND…`.

On Linux the kernel is asked to send SIGTERM to this process when its parent dies, even by `kill -9`, and the process
then becomes the command. SIGTERM, not SIGKILL: each part finishes what it has in flight within its own bound. Elsewhere
the command runs without that tie. It is a program of its own because the same call between fork and exec, in a parent
that has threads, may deadlock.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from typing import Final

_PR_SET_PDEATHSIG: Final = 1


def main() -> None:
    """Tie this process to its parent and become the command."""
    supervisor, command = int(sys.argv[1]), sys.argv[2:]
    if sys.platform.startswith("linux"):
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
    if os.getppid() == supervisor:  # else it died before we asked
        os.execv(command[0], command)  # noqa: S606 - no shell is wanted


if __name__ == "__main__":
    main()
