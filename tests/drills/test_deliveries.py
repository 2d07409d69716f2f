"""The queue may deliver twice, late or never, and a worker may stand still for longer than its claim lasts."""

from __future__ import annotations

from beaver.outbox.states import State
from beaver.schemas.gateway import ADD_PATH
from tests.drills.scene import Scene
from tests.support.gateway_stub import hang


async def test_the_same_turns_rung_for_three_times_at_once_are_added_once(scene: Scene) -> None:
    sessions = [f"s{number % 8}" for number in range(24)]
    with scene.worker("left"), scene.worker("right"):
        run_ids = await scene.complete(*sessions)
        for run_id in run_ids:
            for generation in (5, 6, 7):
                await scene.ring(run_id, generation=generation)
        ends = await scene.holds()
    assert ends == {(State.FLUSHED, None): 24}
    assert scene.calls() == (24, 24)


async def test_a_job_delivered_again_long_after_its_turn_ended_does_nothing(scene: Scene) -> None:
    scene.stub.script(ADD_PATH, hang())
    scene.write(gateway={"timeoutSeconds": 2})
    unknown, flushed = await scene.complete("s1", "s2")
    with scene.worker():
        await scene.ring(unknown, flushed)
        await scene.holds()
        before = (await scene.ledger.story(unknown), await scene.ledger.story(flushed))
        await scene.ring(unknown, flushed)
        await scene.ring(unknown, flushed, generation=9)
        await scene.holds()
    assert (await scene.ledger.story(unknown), await scene.ledger.story(flushed)) == before
    assert scene.calls() == (2, 1)


# On PostgreSQL alone, and with one ring: a process frozen in a transaction keeps its locks, and SQLite has one for all.


async def test_a_worker_frozen_in_its_claim_loses_it_and_sends_nothing(postgres_scene: Scene) -> None:
    scene = postgres_scene
    scene.write(gateway={"timeoutSeconds": 3})
    first, second = await scene.complete("s1", "s1")
    await scene.ring(first)
    with scene.worker("frozen", "--freeze-at", "claim not committed") as frozen:
        await frozen.stopped()
        with scene.worker("beside"):
            await scene.reaches(second, State.FLUSHED)
            frozen.thaw()
            frozen.terminate()
            assert await frozen.ended() == 0
            await scene.holds()
    assert scene.calls() == (2, 2)


async def test_a_worker_frozen_before_the_first_byte_is_judged_and_the_truth_is_told(
    postgres_scene: Scene,
) -> None:
    scene = postgres_scene
    scene.write(gateway={"timeoutSeconds": 3})
    first, second = await scene.complete("s1", "s1")
    await scene.ring(first)
    with scene.worker("frozen", "--freeze-at", "after claim, before the first byte") as frozen:
        await frozen.stopped()
        with scene.worker("beside"):
            await scene.reaches(second, State.FLUSHED)
            assert await scene.ledger.state(first) is State.ADD_UNKNOWN
            frozen.thaw()
            frozen.terminate()
            assert await frozen.ended() == 0
            await scene.holds(ordered=False)
    # Whether it still sends, or first finds its job's time past, is the machine's choice; the check asks for the truth of either.
    assert await scene.ledger.state(first) in {State.FLUSHED, State.ADD_UNKNOWN}


async def test_a_worker_frozen_through_its_add_is_judged_by_the_other_and_nobody_adds_again(
    postgres_scene: Scene,
) -> None:
    scene = postgres_scene
    scene.write(gateway={"timeoutSeconds": 3})
    scene.stub.script(ADD_PATH, hang())
    first, second = await scene.complete("s1", "s1")
    await scene.ring(first)
    with scene.worker("frozen") as frozen:
        await scene.adds(1)
        frozen.freeze()
        with scene.worker("beside"):
            await scene.reaches(second, State.FLUSHED)
            scene.stub.release()
            frozen.thaw()
            await scene.holds()
    # Whether the frozen one still reads the answer, or first finds its deadline past, is the machine's choice.
    assert await scene.ledger.state(first) in {State.FLUSHED, State.ADD_UNKNOWN}
    assert scene.calls()[0] == 2
