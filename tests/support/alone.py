"""Tests that are marked `alone` have the machine to themselves: those of other test processes wait until they have ended.

They start more processes than there are processors, and whatever ran beside them would be late for its own deadlines.
"""

from __future__ import annotations

import fcntl
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import IO, Final

import pytest

_RUN: Final = "PYTEST_XDIST_TESTRUNUID"
"""Names a run of several test processes, in each of them."""


def must_be_alone(item: pytest.Item) -> bool:
    """Whether the test is marked so."""
    return item.get_closest_marker("alone") is not None


@contextmanager
def in_its_turn(item: pytest.Item) -> Iterator[None]:
    """Hold the machine for the length of the block: by itself for a test that is `alone`, beside others else."""
    if _RUN not in os.environ:
        yield
        return
    gate, machine = _locks(os.environ[_RUN])
    alone = must_be_alone(item)
    # Who waits to be alone keeps the gate, so that no further test begins meanwhile.
    fcntl.flock(gate, fcntl.LOCK_EX)
    try:
        fcntl.flock(machine, fcntl.LOCK_EX if alone else fcntl.LOCK_SH)
        if not alone:
            fcntl.flock(gate, fcntl.LOCK_UN)
        yield
    finally:
        fcntl.flock(machine, fcntl.LOCK_UN)
        fcntl.flock(gate, fcntl.LOCK_UN)


@cache
def _locks(run: str) -> tuple[IO[str], IO[str]]:
    """Opened once by each process and closed with it: locks belong to what is open, not to the files."""
    folder = Path(tempfile.gettempdir())
    gate, machine = (folder / f"beaver-tests-{run}-{name}.lock" for name in ("gate", "machine"))
    return gate.open("w"), machine.open("w")


def forget_locks() -> None:
    """Remove the files, once this process's tests have run; the others have them open."""
    if run := os.environ.get(_RUN):
        for name in ("gate", "machine"):
            (Path(tempfile.gettempdir()) / f"beaver-tests-{run}-{name}.lock").unlink(missing_ok=True)
