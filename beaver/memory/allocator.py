"""glibc's memory allocator, told what an engine is like that works in many threads on large arrays."""

from __future__ import annotations

import ctypes
from contextlib import suppress
from typing import Final

_M_ARENA_MAX: Final = -8


def use_one_arena() -> None:
    """Have all threads of this process, from now on, share what was freed.

    Each would keep its own, and a search runs in any of them: 76 MB at 100,000 passages. Only one at a time runs Python.
    """
    with suppress(OSError, AttributeError):
        ctypes.CDLL("libc.so.6").mallopt(_M_ARENA_MAX, 1)


def give_memory_back() -> None:
    """After work that took much memory for a moment: glibc keeps tens of megabytes of it until it is asked."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL("libc.so.6").malloc_trim(0)
