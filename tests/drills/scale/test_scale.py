"""Three chat servers and two workers answer many sessions while they are killed, started again and drained.

`uv run pytest tests/drills/scale -m soak -s` is larger: many more faults, and many more turns.
"""

from __future__ import annotations

import secrets
from typing import TypedDict

import pytest

from beaver.outbox.states import State
from beaver.schemas.gateway import ADD_PATH, FLUSH_PATH
from tests.drills.scale.drill import ScaleDrill
from tests.drills.scale.faults import Kind
from tests.drills.scene import Scene
from tests.support.gateway_stub import delay


class Size(TypedDict):
    """How much is said, by how many clients at a time."""

    sessions: int
    turns: int
    clients: int


DRAINS: tuple[Kind, ...] = ("drain a server", "drain a worker")
FULL: Size = {"sessions": 200, "turns": 10, "clients": 24}
LARGE: Size = {"sessions": 500, "turns": 20, "clients": 32}
KILLS: tuple[Kind, ...] = ("kill a server", "kill a server", "kill a server", "kill a worker", "kill a worker")


@pytest.mark.alone
@pytest.mark.timeout(900)
async def test_no_turn_is_lost_doubled_or_interleaved_while_servers_and_workers_die(postgres_scene: Scene) -> None:
    await passes(ScaleDrill(postgres_scene, new_seed(), **FULL, faults=KILLS + DRAINS))


@pytest.mark.timeout(600)
async def test_without_a_fault_every_message_is_answered_the_first_time(postgres_scene: Scene) -> None:
    drill = ScaleDrill(postgres_scene, new_seed(), sessions=12, turns=4, clients=8, faults=())
    await passes(drill)
    assert drill.crashes == 0


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.parametrize(
    ("size", "faults"),
    [(FULL, (KILLS * 2 + DRAINS) * 2), (LARGE, KILLS + DRAINS)],
    ids=["many-faults", "many-turns"],
)
async def test_nor_in_larger_storms(postgres_scene: Scene, size: Size, faults: tuple[Kind, ...]) -> None:
    await passes(ScaleDrill(postgres_scene, new_seed(), **size, faults=faults))


def new_seed() -> int:
    """Another one each time; put the printed one here to have the same plan again."""
    return secrets.randbelow(1_000_000)


async def passes(drill: ScaleDrill) -> None:
    """Run it; a failure names the seed."""
    drill.scene.write(gateway={"timeoutSeconds": 2}, worker={"maxJobs": 20})
    for path in (ADD_PATH, FLUSH_PATH):
        drill.scene.stub.always(path, delay(0.01))
    try:
        await drill.run()
        assert drill.ends.total() == drill.sessions * drill.turns
        assert drill.ends[State.FLUSHED, None] > drill.ends.total() / 2
    finally:
        print(drill.report())
