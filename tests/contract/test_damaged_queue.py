"""An embedded queue server whose files are damaged: it begins with none, since the ledger knows what waits."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import pytest

from beaver.config.loader import parse_settings
from beaver.config.paths import InstancePaths
from beaver.embedded.parts import QUEUE, queue_part
from beaver.embedded.supervisor import PartStatus, Patience, Supervisor
from tests.support.waiting import wait_until

QUICK = Patience(probe_every_s=0.01, backoff_first_s=0.05, backoff_most_s=0.2)
NAMES = ["appendonly.aof.manifest", "appendonly.aof.1.incr.aof", "appendonly.aof.1.base.rdb"]


@asynccontextmanager
async def kept(root: Path, said: list[PartStatus]) -> AsyncIterator[Supervisor]:
    settings = parse_settings(InstancePaths.at(root), {}, {})
    async with Supervisor(root / "logs", os.environ, said.append, QUICK) as supervisor:
        supervisor.start(queue_part(settings))
        await supervisor.wait_ready(QUEUE, within_s=30)
        yield supervisor


@pytest.mark.parametrize("name", NAMES)
async def test_it_serves_with_no_data_and_sets_what_is_damaged_aside(tmp_path: Path, name: str) -> None:
    async with kept(tmp_path, []):
        pass
    (file,) = tmp_path.rglob(name)  # noqa: ASYNC240 - nothing else runs
    file.write_bytes(b"\xff\x00 nothing of the kind " * 20)
    said: list[PartStatus] = []
    async with kept(tmp_path, said):
        told = {status.detail for status in said if "set aside as" in status.detail}
    assert len(told) == 1
    (aside,) = tmp_path.rglob(f"queue.damaged/appendonlydir/{name}")  # noqa: ASYNC240 - as above
    assert aside.read_bytes().startswith(b"\xff\x00 nothing")


async def test_what_dies_and_starts_again_keeps_its_data(tmp_path: Path) -> None:
    said: list[PartStatus] = []
    async with kept(tmp_path, said) as supervisor:
        for count in range(1, 4):
            supervisor.hurry()
            await wait_until(partial(_restarted, supervisor, count), what="the next life")
            await supervisor.wait_ready(QUEUE, within_s=30)
    assert not [status for status in said if "set aside" in status.detail]


async def _restarted(supervisor: Supervisor, count: int) -> bool:
    return supervisor.statuses[0].restarts >= count
