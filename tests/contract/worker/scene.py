"""The stage of the worker's contract: a ledger, a queue and a Gateway around one instance."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from beaver.client.jobs import PersistQueue
from beaver.config.loader import load_settings
from beaver.config.memory import gateway_of
from beaver.config.paths import InstancePaths
from beaver.outbox.states import ENDS, State
from beaver.schemas.gateway import ADD_PATH
from beaver.schemas.jobs import PersistJob
from tests.support.gateway_stub import GatewayStub
from tests.support.ledger import Ledger
from tests.support.valkey import ValkeyServer
from tests.support.waiting import wait_until
from tests.support.worker_instance import write_instance
from worker.parts import Parts, open_parts

PROMPT, ANSWER = "Canary prompt: where is the tea?\n", "Canary answer: on the shelf."


@dataclass
class Scene:
    """An instance with everything a worker needs, and the parts to look at it from outside."""

    root: Path
    ledger: Ledger
    queue: PersistQueue
    stub: GatewayStub
    valkey: ValkeyServer
    database_url: str

    def write(self, **changes: Any) -> None:
        """Write the configuration anew."""
        write_instance(
            self.root,
            **{
                "database_url": self.database_url,
                "redis_url": self.valkey.url,
                "gateway_url": self.stub.url,
                **changes,
            },
        )

    @asynccontextmanager
    async def parts(self, draining: Callable[[], bool] = lambda: False) -> AsyncIterator[Parts]:
        """A worker's parts inside this process, without arq."""
        settings = load_settings(InstancePaths.at(self.root), {})
        gateway = gateway_of(settings.memory)
        assert gateway is not None
        async with open_parts(settings, gateway, draining) as parts:
            yield parts

    async def turn(self, session_id: str = "s1", **changes: Any) -> str:
        """A completed turn, not rung for."""
        return await self.ledger.complete_turn(session_id, **{"prompt": PROMPT, "answer": ANSWER, **changes})

    async def ring(self, run_id: str, generation: int = 0) -> None:
        """What the chat server does after its commit."""
        assert await self.queue.enqueue(PersistJob(run_id=run_id, generation=generation))

    async def reaches(self, run_id: str, state: State) -> None:
        """Wait until a turn stands there."""

        async def reached() -> bool:
            return await self.ledger.state(run_id) is state

        await wait_until(reached, within_s=30, what=f"{run_id} in {state}")

    async def all_end(self) -> None:
        """Wait until no turn is on its way."""

        async def ended() -> bool:
            return all(state in ENDS for state in (await self.ledger.states()).values())

        await wait_until(ended, within_s=60, what="the end of every turn")

    async def adds(self, count: int) -> None:
        """Wait until the Gateway has received so many adds."""

        async def seen() -> bool:
            return len(self.stub.seen(ADD_PATH)) >= count

        await wait_until(seen, within_s=30, what=f"{count} adds at the Gateway")
