"""`kill -9` of the worker at each point of a turn's way: nothing lost, nothing added twice, nothing hidden."""

from __future__ import annotations

import pytest

from beaver.outbox.states import State
from beaver.schemas.gateway import ADD_PATH, FLUSH_PATH
from tests.drills.mortal_worker import POINTS
from tests.drills.scene import Scene
from tests.support.fault_proxy import running_fault_proxy
from tests.support.gateway_stub import Exchange, ok

# What becomes of the turn that the worker died over, and the adds and flushes that the Gateway has seen of it.
ENDS: dict[str, tuple[State, int, int]] = {
    "before claim": (State.FLUSHED, 1, 1),
    "claim not committed": (State.FLUSHED, 1, 1),
    "after claim, before the first byte": (State.ADD_UNKNOWN, 0, 0),
    "after add, before record": (State.ADD_UNKNOWN, 1, 0),
    "record not committed": (State.ADD_UNKNOWN, 1, 0),
    "before flush": (State.FLUSH_UNKNOWN, 1, 0),
    "after flush, before record": (State.FLUSH_UNKNOWN, 1, 1),
    "end not committed": (State.FLUSH_UNKNOWN, 1, 1),
    "before the next ring": (State.FLUSHED, 1, 1),
}


def test_every_point_has_its_drill() -> None:
    assert set(POINTS) == set(ENDS)


@pytest.mark.parametrize("point", POINTS)
async def test_a_worker_killed_at_a_point_leaves_the_truth_and_the_next_turn_goes_its_way(
    scene: Scene, point: str
) -> None:
    first, second = await scene.complete("s1", "s1")
    await scene.ring(first, second)
    with scene.worker("doomed", "--die-at", point) as doomed:
        await doomed.died()
    await after_the_death(scene, first, second, *ENDS[point])


async def after_the_death(scene: Scene, first: str, second: str, end: State, adds: int, flushes: int) -> None:
    """A healthy worker comes, once the dead one's claims have run out."""
    scene.write()
    await scene.run_out()
    with scene.worker("healthy"):
        await scene.holds()
    assert await scene.ledger.state(first) is end
    assert await scene.ledger.state(second) is State.FLUSHED
    assert scene.calls() == (adds + 1, flushes + 1)


async def test_a_worker_killed_with_its_request_half_sent_leaves_an_unknown(scene: Scene) -> None:
    first, second = await scene.complete("s1", "s1")
    await scene.ring(first, second)
    async with running_fault_proxy(int(scene.stub.url.rsplit(":", 1)[1])) as proxy:
        scene.write(gateway_url=proxy.url)
        with scene.worker("doomed") as doomed:
            proxy.fault, proxy.cut_after, proxy.on_cut = "cut", 300, doomed.kill
            await doomed.died()
    await after_the_death(scene, first, second, State.ADD_UNKNOWN, 0, 0)


async def test_a_worker_killed_with_the_answer_half_read_leaves_an_unknown(scene: Scene) -> None:
    first, second = await scene.complete("s1", "s1")
    await scene.ring(first, second)
    async with running_fault_proxy(int(scene.stub.url.rsplit(":", 1)[1])) as proxy:
        scene.write(gateway_url=proxy.url)
        with scene.worker("doomed") as doomed:
            proxy.fault, proxy.cut_after, proxy.on_cut = "cut_answer", 40, doomed.kill
            await doomed.died()
    await after_the_death(scene, first, second, State.ADD_UNKNOWN, 1, 0)


@pytest.mark.parametrize(
    ("path", "end", "flushes"), [(ADD_PATH, State.ADD_UNKNOWN, 0), (FLUSH_PATH, State.FLUSH_UNKNOWN, 1)]
)
async def test_a_worker_killed_between_the_request_and_its_answer_leaves_an_unknown(
    scene: Scene, path: str, end: State, flushes: int
) -> None:
    first, second = await scene.complete("s1", "s1")
    await scene.ring(first, second)
    with scene.worker("doomed") as doomed:

        async def kill(exchange: Exchange) -> None:
            doomed.kill()
            await ok()(exchange)

        scene.stub.script(path, kill)
        await doomed.died()
    await after_the_death(scene, first, second, end, 1, flushes)
