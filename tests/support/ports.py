"""Free ports of loopback, from where the system hands out none by itself: nobody comes between the asking and the listening."""

from __future__ import annotations

import itertools
import os
import random
import socket
from collections.abc import Iterator
from contextlib import ExitStack
from functools import cache

LOWEST, BLOCKS, IN_BLOCK = 20_000, 12, 1_000
"""One block for each process of a test run; all below 32768, where systems begin to hand them out."""


def free_ports(count: int) -> list[int]:
    """Ports that nobody listens on now, all different."""
    with ExitStack() as held:
        return list(itertools.islice((port for port in _candidates() if _take(held, port)), count))


@cache
def _candidates() -> Iterator[int]:
    """The ports of this process's block, round and round, from anywhere in it: another run may use the same one."""
    block = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw")) % BLOCKS
    ports = range(LOWEST + block * IN_BLOCK, LOWEST + (block + 1) * IN_BLOCK)
    begin = random.randrange(IN_BLOCK)
    return itertools.cycle([*ports[begin:], *ports[:begin]])


def _take(held: ExitStack, port: int) -> bool:
    """Whether we could take it; it is then ours until `held` ends."""
    probe = held.enter_context(socket.socket())
    try:
        probe.bind(("127.0.0.1", port))
    except OSError:
        return False
    return True
