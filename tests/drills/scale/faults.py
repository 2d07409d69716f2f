"""What befalls the servers and workers, by a plan: at which turn whom, and how. The same seed gives the same plan."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Final, Literal

from beaver.embedded.probes import answers_http
from tests.support.processes import InstanceProcess
from tests.support.waiting import wait_until

Kind = Literal["kill a server", "kill a worker", "drain a server", "drain a worker"]

CALM_AT_THE_END: Final = 0.25
"""Of all turns, so many come after the last fault."""
RUNS_CUT_OFF: Final = "server.runs_cut_off"
UP: Final = {"server": "Application startup complete.", "worker": "worker.ready"}
"""What a process logs once it ends well when it is told to."""


@dataclass(frozen=True)
class Fault:
    """After so many answered turns, to the process of this number; it is away for so long."""

    after: int
    kind: Kind
    number: int
    away_s: float


def plan(random: Random, turns: int, kinds: Sequence[Kind], servers: int, workers: int) -> list[Fault]:
    """Those faults in any order, spread over all turns but the last."""
    struck = round(turns * (1 - CALM_AT_THE_END))
    times = sorted(random.randrange(struck) for _ in kinds)
    return [
        Fault(after, kind, random.randrange(servers if kind.endswith("server") else workers), random.uniform(0, 0.5))
        for after, kind in zip(times, random.sample(kinds, len(kinds)), strict=True)
    ]


async def strike(
    faults: Sequence[Fault],
    answered: Callable[[], int],
    servers: Sequence[InstanceProcess],
    workers: Sequence[InstanceProcess],
) -> None:
    """All of the plan, one after the other, each in its time."""
    for fault in faults:

        async def due(fault: Fault = fault) -> bool:
            return answered() >= fault.after

        await wait_until(due, within_s=600, what=f"turn {fault.after}")
        victim = (servers if fault.kind.endswith("server") else workers)[fault.number]
        if fault.kind.startswith("kill"):
            await asyncio.to_thread(victim.kill)
        else:
            await victim.came_up(UP[fault.kind.rsplit(" ", 1)[1]])
            await drained(victim)
        await asyncio.sleep(fault.away_s)
        victim.start()


async def drained(victim: InstanceProcess) -> None:
    """SIGTERM: it ends well, and leaves no run behind."""
    victim.terminate()
    assert await victim.ended() == 0, victim.log.read_text()[-3000:]
    assert RUNS_CUT_OFF not in victim.log.read_text()


async def serves(server: InstanceProcess, port: int) -> None:
    """Wait until a chat server is ready."""

    async def ready() -> bool:
        assert server.is_alive(), server.log.read_text()[-3000:]
        return await answers_http("127.0.0.1", port, "/ready")

    await wait_until(ready, within_s=120, what=f"the chat server on port {port}")
