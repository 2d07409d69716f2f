"""How many files and connections a process may have open."""

from __future__ import annotations

import resource
from contextlib import suppress
from typing import Final

OPEN_FILES: Final = 65_536


def allow_open_files() -> None:
    """Take what the system grants for the asking, up to a bound: by itself it gives each process a thousand or fewer.

    Each open stream takes one, and a server that has none left can neither accept nor read its database.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = OPEN_FILES if hard == resource.RLIM_INFINITY else min(hard, OPEN_FILES)
    if soft == resource.RLIM_INFINITY or soft >= wanted:
        return
    # Some systems grant less than they say.
    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
