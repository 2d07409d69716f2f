"""A worker carries turns to the Gateway: on both databases, over a real Valkey, against a counting Gateway."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from beaver.client.jobs import PersistQueue
from beaver.config.loader import load_settings
from beaver.config.memory import gateway_of
from beaver.config.paths import InstancePaths
from beaver.db.engine import Database
from beaver.errors import Unavailable
from beaver.outbox.claim_store import ClaimStore, Move
from beaver.outbox.states import ENDS, State
from beaver.schemas.gateway import ADD_PATH, FLUSH_PATH
from beaver.schemas.jobs import QUEUE_NAME, PersistJob
from tests.support.gateway_stub import Behaviour, GatewayStub, cut, hang, raw, reset, running_gateway_stub, status
from tests.support.ledger import USER_KEY, Ledger
from tests.support.valkey import ValkeyServer
from tests.support.waiting import wait_until
from tests.support.worker_process import ARQ, WorkerProcess, write_instance
from worker.parts import Parts, open_parts
from worker.supervisor import serve

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


@pytest.fixture
async def scene(tmp_path: Path, database: Database, database_url: str, valkey: ValkeyServer) -> AsyncIterator[Scene]:
    queue = PersistQueue.open(valkey.url, timeout_ms=2_000)
    async with running_gateway_stub() as stub:
        made = Scene(tmp_path, Ledger(database), queue, stub, valkey, database_url)
        made.write()
        yield made
        stub.release()
    await queue.aclose()


@pytest.fixture
async def quick_scene(tmp_path: Path, sqlite_database: Database, valkey: ValkeyServer) -> AsyncIterator[Scene]:
    """The same on SQLite alone, where the database makes no difference."""
    queue = PersistQueue.open(valkey.url, timeout_ms=2_000)
    async with running_gateway_stub() as stub:
        url = f"sqlite:///{tmp_path / 'sessions.db'}"
        made = Scene(tmp_path, Ledger(sqlite_database), queue, stub, valkey, url)
        made.write()
        yield made
        stub.release()
    await queue.aclose()


async def test_a_turn_is_added_once_and_flushed_once_with_exactly_these_bodies(scene: Scene) -> None:
    run_id = await scene.turn(traceparent="00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
    with WorkerProcess(scene.root):
        await scene.ring(run_id)
        await scene.reaches(run_id, State.FLUSHED)
    identity = {"user_id": "ada", "user_key": USER_KEY, "app_id": "default", "project_id": "default"}
    assert scene.stub.bodies(ADD_PATH) == [
        {
            **identity,
            "session_id": "chat:s1",
            "messages": [
                {"sender_id": "ada", "role": "user", "timestamp": 1_780_000_000_000, "content": PROMPT},
                {"sender_id": "beaver", "role": "assistant", "timestamp": 1_780_000_001_000, "content": ANSWER},
            ],
        }
    ]
    assert scene.stub.bodies(FLUSH_PATH) == [{**identity, "session_id": "chat:s1"}]
    headers = scene.stub.seen(ADD_PATH)[0].headers
    assert headers["idempotency-key"] == run_id
    assert headers["traceparent"] == "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
    assert await scene.ledger.audit() == [
        ("memory_gateway_add_succeeded", {"gateway_session": "chat:s1", "message_count": 2, "attempt": 1}),
        ("memory_gateway_flush_succeeded", {"gateway_session": "chat:s1"}),
    ]
    assert await scene.ledger.path(run_id) == [
        State.PENDING,
        State.CLAIMED,
        State.ADDING,
        State.ADDED,
        State.FLUSHING,
        State.FLUSHED,
    ]


async def test_nothing_is_left_in_the_queue_and_nothing_of_the_turn_ever_stood_there(quick_scene: Scene) -> None:
    scene = quick_scene
    run_id = await scene.turn()
    await scene.ring(run_id)
    inside = scene.valkey.client()
    stored = b"".join(inside.dump(key) or b"" for key in inside.scan_iter())  # type: ignore[misc]
    assert not any(secret.encode() in stored for secret in (USER_KEY, "Canary", "tea"))
    with WorkerProcess(scene.root) as worker:
        await scene.reaches(run_id, State.FLUSHED)

        async def empty() -> bool:
            return all(b":health:" in key for key in inside.scan_iter())

        await wait_until(empty, what="an empty queue")
        worker.terminate()
        assert await worker.exited() == 0
        log = worker.log.read_text()
    assert inside.dbsize() == 0
    assert not any(secret in log for secret in (USER_KEY, "Canary"))


REFUSED_ADDS: list[tuple[Behaviour, str, int | None]] = [
    (status(401), "unauthorized", 401),
    (status(404), "http_status", 404),
    (status(429), "http_status", 429),
]
UNKNOWN_ADDS: list[tuple[Behaviour, str, int | None]] = [
    (status(500), "http_status", 500),
    (status(503), "http_status", 503),
    (status(408), "http_status", 408),
    (reset(), "connection_lost", None),
    (cut(), "connection_lost", None),
    (raw(b"so much garbage"), "invalid_json", 200),
    (raw(b"[]"), "invalid_shape", 200),
]


@pytest.mark.parametrize(("behaviour", "category", "code"), REFUSED_ADDS)
async def test_a_refused_add_ends_the_turn_without_a_flush(
    quick_scene: Scene, behaviour: Behaviour, category: str, code: int
) -> None:
    await ends_after_failed_add(quick_scene, behaviour, State.ADD_REFUSED, category, code, "refused")


@pytest.mark.parametrize(("behaviour", "category", "code"), UNKNOWN_ADDS)
async def test_an_add_whose_outcome_nobody_knows_is_said_to_be_unknown_and_not_flushed(
    quick_scene: Scene, behaviour: Behaviour, category: str, code: int | None
) -> None:
    await ends_after_failed_add(quick_scene, behaviour, State.ADD_UNKNOWN, category, code, "unknown")


async def ends_after_failed_add(
    scene: Scene, behaviour: Behaviour, end: State, category: str, code: int | None, outcome: str
) -> None:
    scene.stub.script(ADD_PATH, behaviour)
    run_id = await scene.turn()
    job = PersistJob(run_id=run_id, generation=0)
    async with scene.parts() as parts:
        await parts.persister.persist(job)
        await parts.persister.persist(job)
    assert await scene.ledger.state(run_id) is end
    http = {} if code is None else {"http_status": code}
    assert await scene.ledger.audit() == [
        ("memory_gateway_add_failed", {"operation": "add", "category": category, "outcome": outcome, **http})
    ]
    summary = (await scene.ledger.story(run_id)).summary
    assert (summary.error_category, summary.error_status) == (category, code)
    assert (len(scene.stub.seen(ADD_PATH)), len(scene.stub.seen(FLUSH_PATH))) == (1, 0)


async def test_an_add_that_hangs_is_given_up_at_the_deadline_as_unknown(quick_scene: Scene) -> None:
    quick_scene.write(gateway={"timeoutSeconds": 0.3})
    await ends_after_failed_add(quick_scene, hang(), State.ADD_UNKNOWN, "timeout", None, "unknown")


async def test_a_gateway_that_is_not_there_surely_stored_nothing(quick_scene: Scene) -> None:
    quick_scene.write(gateway_url="http://127.0.0.1:9")
    run_id = await quick_scene.turn()
    async with quick_scene.parts() as parts:
        await parts.persister.persist(PersistJob(run_id=run_id, generation=0))
    assert await quick_scene.ledger.state(run_id) is State.ADD_REFUSED
    assert [payload["category"] for _, payload in await quick_scene.ledger.audit()] == ["connect_failed"]


@pytest.mark.parametrize(
    ("behaviour", "end", "outcome"),
    [(status(404), State.FLUSH_FAILED, "failed"), (status(500), State.FLUSH_UNKNOWN, "unknown")],
)
async def test_a_flush_that_fails_keeps_the_adds_success_and_is_not_repeated(
    scene: Scene, behaviour: Behaviour, end: State, outcome: str
) -> None:
    scene.stub.script(FLUSH_PATH, behaviour)
    run_id = await scene.turn()
    async with scene.parts() as parts:
        for generation in range(3):
            await parts.persister.persist(PersistJob(run_id=run_id, generation=generation))
    assert await scene.ledger.state(run_id) is end
    (added, _), (failed, payload) = await scene.ledger.audit()
    assert (added, failed) == ("memory_gateway_add_succeeded", "memory_gateway_flush_failed")
    assert (payload["outcome"], payload["add_succeeded"]) == (outcome, True)
    assert (len(scene.stub.seen(ADD_PATH)), len(scene.stub.seen(FLUSH_PATH))) == (1, 1)


async def test_a_turn_of_another_gateway_user_is_refused_and_never_sent(quick_scene: Scene) -> None:
    run_id = await quick_scene.turn(gateway_user_id="somebody-else")
    async with quick_scene.parts() as parts:
        await parts.persister.persist(PersistJob(run_id=run_id, generation=0))
    assert await quick_scene.ledger.audit() == [
        ("memory_gateway_add_failed", {"operation": "add", "category": "identity_mismatch", "outcome": "refused"})
    ]
    assert quick_scene.stub.requests == []


async def test_the_same_job_delivered_to_many_at_the_same_instant_adds_once(scene: Scene) -> None:
    run_id = await scene.turn()
    job = PersistJob(run_id=run_id, generation=0)
    async with scene.parts() as left, scene.parts() as right:
        await asyncio.gather(*(parts.persister.persist(job) for parts in (left, right) * 5))
        await left.persister.persist(job)
    assert await scene.ledger.state(run_id) is State.FLUSHED
    assert (len(scene.stub.seen(ADD_PATH)), len(scene.stub.seen(FLUSH_PATH))) == (1, 1)


async def test_turns_of_one_session_arrive_in_order_and_sessions_do_not_wait_for_each_other(scene: Scene) -> None:
    scene.stub.script(ADD_PATH, hang())
    stuck = await scene.turn("stuck", prompt="stuck 0")
    runs = [await scene.turn(f"s{number % 3}", prompt=f"turn {number}") for number in range(12)]
    with WorkerProcess(scene.root):
        await scene.ring(stuck)
        await scene.adds(1)
        behind = await scene.turn("stuck", prompt="stuck 1")
        for run_id in [behind, *reversed(runs)]:
            await scene.ring(run_id)
        for run_id in runs:
            await scene.reaches(run_id, State.FLUSHED)
        assert await scene.ledger.state(behind) is State.PENDING
        scene.stub.release()
        await scene.reaches(behind, State.FLUSHED)
    for session in ("chat:s0", "chat:s1", "chat:s2", "chat:stuck"):
        bodies = [body for body in scene.stub.bodies(ADD_PATH) if body["session_id"] == session]
        prompts = [int(body["messages"][0]["content"].split()[1]) for body in bodies]
        assert prompts == sorted(prompts)
    assert len(scene.stub.seen(ADD_PATH)) == len(runs) + 2


async def test_an_unknown_add_releases_the_next_turn_of_its_session(quick_scene: Scene) -> None:
    scene = quick_scene
    scene.stub.script(ADD_PATH, status(500))
    first, second = await scene.turn(), await scene.turn()
    with WorkerProcess(scene.root):
        await scene.ring(second)
        await scene.ring(first)
        await scene.reaches(second, State.FLUSHED)
    assert await scene.ledger.state(first) is State.ADD_UNKNOWN


async def test_a_queue_that_forgot_everything_changes_nothing(scene: Scene) -> None:
    runs = [await scene.turn(f"s{number}") for number in range(10)]
    for run_id in runs:
        await scene.ring(run_id)
    scene.valkey.empty()
    with WorkerProcess(scene.root):
        await scene.all_end()
    assert set((await scene.ledger.states()).values()) == {State.FLUSHED}
    assert len(scene.stub.seen(ADD_PATH)) == 10


async def test_a_worker_killed_while_the_gateway_holds_the_add_leaves_an_unknown_that_is_never_sent_again(
    scene: Scene,
) -> None:
    scene.stub.script(ADD_PATH, hang())
    run_id = await scene.turn()
    with WorkerProcess(scene.root, "first") as first:
        await scene.ring(run_id)
        await scene.adds(1)
        first.kill()
    assert await scene.ledger.state(run_id) is State.ADDING
    await scene.ledger.run_out(run_id)
    with WorkerProcess(scene.root, "second"):
        await scene.reaches(run_id, State.ADD_UNKNOWN)
        await scene.ring(run_id, generation=7)
        later = await scene.turn()
        await scene.ring(later)
        await scene.reaches(later, State.FLUSHED)
    assert len(scene.stub.seen(ADD_PATH)) == 2
    assert (await scene.ledger.audit())[0] == (
        "memory_gateway_add_failed",
        {"operation": "add", "category": "worker_lost", "outcome": "unknown"},
    )


async def test_a_worker_frozen_through_its_add_still_tells_the_truth_when_it_wakes(quick_scene: Scene) -> None:
    scene = quick_scene
    scene.write(gateway={"timeoutSeconds": 60})
    scene.stub.script(ADD_PATH, hang())
    run_id = await scene.turn()
    with WorkerProcess(scene.root, "slow") as slow:
        await scene.ring(run_id)
        await scene.adds(1)
        slow.freeze()
        await scene.ledger.run_out(run_id)
        with WorkerProcess(scene.root, "other"):
            await scene.reaches(run_id, State.ADD_UNKNOWN)
        scene.stub.release()
        slow.thaw()
        await scene.reaches(run_id, State.FLUSHED)
    assert (len(scene.stub.seen(ADD_PATH)), len(scene.stub.seen(FLUSH_PATH))) == (1, 1)


async def test_sigterm_finishes_what_is_in_flight_and_leaves_the_rest_unsent_for_another_worker(scene: Scene) -> None:
    scene.write(worker={"maxJobs": 3})
    scene.stub.always(ADD_PATH, hang())
    runs = [await scene.turn(f"s{number}") for number in range(9)]
    for run_id in runs:
        await scene.ring(run_id)
    with WorkerProcess(scene.root, "leaving") as leaving:
        await scene.adds(3)
        leaving.terminate()
        await leaving.logged("worker.draining")
        scene.stub.release()
        assert await leaving.exited() == 0
    states = list((await scene.ledger.states()).values())
    assert (states.count(State.FLUSHED), states.count(State.PENDING)) == (3, 6)
    with WorkerProcess(scene.root, "next"):
        await scene.all_end()
    assert set((await scene.ledger.states()).values()) == {State.FLUSHED}
    assert len(scene.stub.seen(ADD_PATH)) == 9


async def test_a_worker_stops_at_whatever_moment_it_is_told_to(quick_scene: Scene) -> None:
    settings = load_settings(InstancePaths.at(quick_scene.root), {})
    gateway = gateway_of(settings.memory)
    assert gateway is not None

    async def live(for_s: float) -> None:
        stop = asyncio.Event()
        asyncio.get_running_loop().call_later(for_s, stop.set)
        async with quick_scene.parts(draining=stop.is_set) as parts:
            await serve(settings, gateway, parts, stop)

    await asyncio.wait_for(asyncio.gather(*(live(number * 0.007) for number in range(60))), 30)


async def test_what_the_drain_has_no_time_for_is_said_to_be_unknown(quick_scene: Scene) -> None:
    scene = quick_scene
    scene.write(worker={"drainSeconds": 0.5})
    scene.stub.always(ADD_PATH, hang())
    run_id = await scene.turn()
    await scene.ring(run_id)
    with WorkerProcess(scene.root) as worker:
        await scene.adds(1)
        worker.terminate()
        assert await worker.exited() == 0
    assert await scene.ledger.state(run_id) is State.ADD_UNKNOWN
    assert [payload["category"] for _, payload in await scene.ledger.audit()] == ["interrupted"]


async def test_a_draining_worker_passes_its_ring_on_without_claiming(quick_scene: Scene) -> None:
    run_id = await quick_scene.turn()
    async with quick_scene.parts(draining=lambda: True) as parts:
        await parts.persister.persist(PersistJob(run_id=run_id, generation=0))
    assert await quick_scene.ledger.path(run_id) == [State.PENDING]
    assert quick_scene.valkey.client().zrange(QUEUE_NAME, 0, -1) == [f"persist:{run_id}:1".encode()]


async def test_the_queue_server_may_die_under_a_busy_worker_and_come_back(quick_scene: Scene) -> None:
    scene = quick_scene
    scene.stub.script(ADD_PATH, hang())
    held = await scene.turn("held")
    await scene.ring(held)
    with WorkerProcess(scene.root) as worker:
        await scene.adds(1)
        scene.valkey.kill()
        try:
            scene.stub.release()
            await scene.reaches(held, State.FLUSHED)
            meanwhile = await scene.turn("meanwhile")
            await worker.logged("worker.waiting", part="queue")
        finally:
            scene.valkey.start()
        await scene.reaches(meanwhile, State.FLUSHED)
        assert worker.process.poll() is None
    assert len(scene.stub.seen(ADD_PATH)) == 2


async def test_a_worker_waits_for_a_queue_that_is_not_there_yet(quick_scene: Scene) -> None:
    scene = quick_scene
    run_id = await scene.turn()
    scene.valkey.kill()
    try:
        with WorkerProcess(scene.root) as worker:
            waiting = await worker.logged("worker.waiting", part="queue")
            assert waiting["reason"] == "connection refused: nothing listens there"
            scene.valkey.start()
            await scene.reaches(run_id, State.FLUSHED)
    finally:
        if not scene.valkey._process:
            scene.valkey.start()


async def test_a_worker_that_waits_can_be_told_to_stop(quick_scene: Scene) -> None:
    quick_scene.write(redis_url="unix:///nowhere/valkey.sock", database_url="postgresql://nobody@127.0.0.1:9/none")
    with WorkerProcess(quick_scene.root) as worker:
        await worker.logged("worker.waiting", part="session database")
        worker.terminate()
        assert await worker.exited() == 0


async def test_a_plan_without_a_gateway_idles_and_says_so(quick_scene: Scene) -> None:
    quick_scene.write(gateway_url=None)
    with WorkerProcess(quick_scene.root) as worker:
        await worker.logged("worker.idle")
        worker.terminate()
        assert await worker.exited() == 0


async def test_a_configuration_that_breaks_a_rule_ends_the_worker_with_its_own_code(quick_scene: Scene) -> None:
    quick_scene.write(gateway={"topK": 1000})
    with WorkerProcess(quick_scene.root) as worker:
        assert await worker.exited() == 78
        assert "memory.gateway.topK" in worker.log.read_text()


async def test_the_command_of_arq_itself_serves_and_drains_too(quick_scene: Scene) -> None:
    scene = quick_scene
    run_id = await scene.turn()
    await scene.ring(run_id)
    with WorkerProcess(scene.root, command=ARQ) as worker:
        await scene.reaches(run_id, State.FLUSHED)
        scene.stub.always(ADD_PATH, hang())
        last = await scene.turn()
        await scene.ring(last)
        await scene.adds(2)
        worker.terminate()
        scene.stub.release()
        await worker.exited()
    assert await scene.ledger.state(last) is State.FLUSHED
    assert "Canary" not in worker.log.read_text()


async def test_a_ledger_that_fails_while_recording_is_asked_again_and_the_call_is_not_repeated(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_id = await scene.turn()
    async with scene.parts() as parts:
        whole = ClaimStore.move_all
        failures = {State.ADDED: 2, State.FLUSHED: 1}

        async def sometimes(self: ClaimStore, tx: Any, moves: Sequence[Move], *, waiting: bool) -> list[bool | None]:
            moved = await whole(self, tx, moves, waiting=waiting)
            target = moves[0].steps[0][0]
            if failures.get(target, 0) > 0:
                failures[target] -= 1
                raise Unavailable("the database cannot serve (planted)")
            return moved

        monkeypatch.setattr(ClaimStore, "move_all", sometimes)
        await parts.persister.persist(PersistJob(run_id=run_id, generation=0))
    assert await scene.ledger.state(run_id) is State.FLUSHED
    assert len(await scene.ledger.audit()) == 2
    assert (len(scene.stub.seen(ADD_PATH)), len(scene.stub.seen(FLUSH_PATH))) == (1, 1)


async def test_a_database_locked_by_somebody_else_delays_a_turn_and_loses_nothing(quick_scene: Scene) -> None:
    scene = quick_scene
    scene.stub.script(ADD_PATH, hang())
    run_id = await scene.turn()
    with WorkerProcess(scene.root):
        await scene.ring(run_id)
        await scene.adds(1)
        async with scene.ledger.database.write() as tx:
            await tx.execute(text("UPDATE sessions SET title = 'held'"))
            scene.stub.release()
            await asyncio.sleep(0.5)
        await scene.reaches(run_id, State.FLUSHED)
    assert len(scene.stub.seen(ADD_PATH)) == 1
