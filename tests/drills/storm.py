"""A storm over a fleet: turns come in while workers die, the queue server dies, forgets or is replaced, and rings are lost.

Seeded: the same seed gives the same plan of faults (the machine decides how they meet the turns).
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import ExitStack
from dataclasses import dataclass, field
from random import Random

from beaver.outbox.states import State
from tests.drills.scene import Scene
from tests.support.gateway_stub import Behaviour, Exchange, delay, reset, status
from tests.support.processes import InstanceProcess

RINGS_LOST = 0.15
BATCH_TURNS = 10


@dataclass
class Storm:
    """How many turns, over how many sessions, against how many workers. Counts what it did."""

    scene: Scene
    seed: int
    turns: int
    sessions: int
    workers: int
    kill_every_s: tuple[float, float] = (0.2, 0.7)
    break_queue_every_s: tuple[float, float] = (0.7, 2.0)
    feed_every_s: float = 0.15
    kills: int = 0
    queue_faults: int = 0
    rings_lost: int = 0
    ends: Counter[tuple[State, str | None]] = field(default_factory=Counter)
    random: Random = field(init=False)
    finish_within_s: float = 120

    def __post_init__(self) -> None:
        self.random = Random(self.seed)

    async def rage(self) -> None:
        """Until every turn has come in; then the faults stop, and a full fleet is left to finish. Ends with the fleet."""
        with ExitStack() as afloat:
            fleet = [afloat.enter_context(self.scene.worker(f"worker-{n}")) for n in range(self.workers)]
            over = asyncio.Event()
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(self._feed(over))
                tasks.create_task(self._again(over, self.kill_every_s, lambda: self._kill(fleet)))
                tasks.create_task(self._again(over, self.break_queue_every_s, self._break_queue))
            for worker in fleet:
                if not worker.is_alive():
                    worker.start()
            self.ends = await self.scene.holds(within_s=self.finish_within_s)

    def report(self) -> str:
        """What happened, in a line."""
        ends = {f"{state} {why or ''}".strip(): count for (state, why), count in self.ends.items()}
        return (
            f"seed {self.seed}: {self.turns} turns, {self.kills} worker kills, {self.queue_faults} queue faults, "
            f"{self.rings_lost} rings lost: {ends}"
        )

    async def _feed(self, over: asyncio.Event) -> None:
        """Complete turns in batches, some of them never rung for, the rest rung for out of order."""
        left = [f"s{number % self.sessions}" for number in range(self.turns)]
        self.random.shuffle(left)
        while left:
            batch, left = left[:BATCH_TURNS], left[BATCH_TURNS:]
            run_ids = await self.scene.complete(*batch)
            heard = [run_id for run_id in run_ids if self.random.random() >= RINGS_LOST]
            self.rings_lost += len(run_ids) - len(heard)
            self.random.shuffle(heard)
            await self.scene.ring(*heard)
            await asyncio.sleep(self.feed_every_s * self.random.uniform(0.2, 1.8))
        over.set()

    async def _again(
        self, over: asyncio.Event, every_s: tuple[float, float], strike: Callable[[], Awaitable[None]]
    ) -> None:
        while not over.is_set():
            await asyncio.sleep(self.random.uniform(*every_s))
            await strike()

    async def _kill(self, fleet: list[InstanceProcess]) -> None:
        victim = self.random.choice(fleet)
        await asyncio.to_thread(victim.kill)
        self.kills += 1
        victim.start()

    async def _break_queue(self) -> None:
        valkey = self.scene.valkey
        self.queue_faults += 1
        match self.random.choice(("empty", "restart", "replace")):
            case "empty":
                valkey.empty()
            case "restart":
                await asyncio.to_thread(valkey.kill)
                await asyncio.sleep(self.random.uniform(0, 0.5))
                await asyncio.to_thread(valkey.start)
            case "replace":
                await asyncio.to_thread(valkey.kill)
                valkey.lose_files()
                await asyncio.to_thread(valkey.start)


def unsteady(random: Random, *, faults: float) -> Behaviour:
    """A Gateway that answers after 0-40 ms, and with this probability badly."""

    async def answer(exchange: Exchange) -> None:
        bad = random.choice((status(500), status(503), status(404), status(429), reset()))
        await delay(random.uniform(0, 0.04), bad if random.random() < faults else None)(exchange)

    return answer
