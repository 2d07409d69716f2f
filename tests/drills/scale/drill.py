"""The drill as a whole: start everything, let the clients talk while the plan strikes, wait for quiet, look at what is left."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import AsyncExitStack, ExitStack
from dataclasses import dataclass, field
from random import Random

from beaver.outbox.states import State
from tests.drills.scale import hurried_chat
from tests.drills.scale.aftermath import check_histories, check_runs
from tests.drills.scale.crowd import WAYS, Conversation, Crowd
from tests.drills.scale.doors import doors_to
from tests.drills.scale.faults import Kind, plan, serves, strike
from tests.drills.scale.sdk import by_sdk
from tests.drills.scene import Scene
from tests.support.ports import free_ports
from tests.support.processes import InstanceProcess

SERVERS, WORKERS = 3, 2


@dataclass
class ScaleDrill:
    """How much is said, by how many clients at a time, and what befalls the processes. Counts what came of it."""

    scene: Scene
    seed: int
    sessions: int
    turns: int
    clients: int
    faults: Sequence[Kind]
    answered: int = 0
    crashes: int = 0
    talk_s: float = 0
    ends: Counter[tuple[State, str | None]] = field(default_factory=Counter)

    async def run(self) -> None:
        """To the last check."""
        random = Random(self.seed)
        ports = free_ports(SERVERS)
        urls = [f"http://127.0.0.1:{port}" for port in ports]
        async with AsyncExitStack() as opened:
            fleet = opened.enter_context(ExitStack())
            servers = [fleet.enter_context(self._server(port)) for port in ports]
            workers = [fleet.enter_context(self.scene.worker(f"worker-{number}")) for number in range(WORKERS)]
            await asyncio.gather(*map(serves, servers, ports))
            doors = await opened.enter_async_context(doors_to(urls, random))
            sdk = await opened.enter_async_context(by_sdk(urls, random))
            conversations = [Conversation(f"s{number:03d}", self.turns) for number in range(self.sessions)]
            crowd = Crowd(doors, (*WAYS, sdk), random, conversations, self.clients)
            await self._storm(crowd, servers, workers)
            await asyncio.gather(*map(serves, servers, ports))
            await check_histories(doors, conversations)
            self.ends = await self.scene.holds(within_s=200)
            await check_runs(self.scene, conversations)

    def report(self) -> str:
        """What happened, in a line."""
        ends = {f"{state} {why or ''}".strip(): count for (state, why), count in self.ends.items()}
        return (
            f"seed {self.seed}: {self.answered} turns in {self.sessions} sessions in {self.talk_s:.1f} s, "
            f"{len(self.faults)} faults, {self.crashes} messages said anew: {ends}"
        )

    def _server(self, port: int) -> InstanceProcess:
        options = ["--port", str(port), *(["--hurried"] if self.faults else [])]
        return self.scene.worker(f"chat-{port}", *options, program=hurried_chat.main)

    async def _storm(
        self, crowd: Crowd, servers: Sequence[InstanceProcess], workers: Sequence[InstanceProcess]
    ) -> None:
        planned = plan(Random(self.seed), self.sessions * self.turns, self.faults, SERVERS, WORKERS)
        began = time.monotonic()
        try:
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(strike(planned, lambda: crowd.answered, servers, workers))
                await crowd.talk()
        finally:
            self.talk_s = time.monotonic() - began
            self.answered = crowd.answered
            self.crashes = sum(each.crashes for each in crowd.conversations)
