"""The real worker on a host whose clock is wrong: `--skew-s 5` has it five seconds ahead, `--skew-s -5` behind.

Every name by which a loaded module calls `time.time` or `time.time_ns` is replaced: that is how Beaver and arq read the wall
clock. Clocks that only rise (`time.monotonic`) are left alone, as they are where an administrator sets the date.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from tests.drills import mortal_worker


def main(arguments: Sequence[str] | None = None) -> int:
    """mortal_worker's main under another time."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--skew-s", type=float, required=True)
    given, others = parser.parse_known_args(arguments)
    with skewed(given.skew_s):
        return mortal_worker.main(others)


@contextmanager
def skewed(seconds: float) -> Iterator[None]:
    """This process's wall clock goes wrong by so much, and right again at the end."""
    right_s, right_ns = time.time, time.time_ns
    replaced = [*_replace(right_s, lambda: right_s() + seconds)]
    replaced += _replace(right_ns, lambda: right_ns() + round(seconds * 1e9))
    try:
        yield
    finally:
        for module, name, right in replaced:
            setattr(module, name, right)


def _replace(right: Callable[[], Any], wrong: Callable[[], Any]) -> Iterator[tuple[Any, str, Any]]:
    for module in list(sys.modules.values()):
        for name, value in list(vars(module).items()):
            if value is right:
                setattr(module, name, wrong)
                yield module, name, right
