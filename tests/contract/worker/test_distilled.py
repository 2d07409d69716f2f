"""The distilled lane, on both databases: items go in batches, again after a fault, and are given up after six attempts."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from sqlalchemy import select, update

from beaver.config.loader import load_settings
from beaver.config.memory import gateway_of
from beaver.config.paths import InstancePaths
from beaver.db.tables import distilled_outbox as rows
from beaver.outbox.distilled.inspection import DistilledInspection
from beaver.outbox.distilled.records import NewDistilled
from beaver.outbox.distilled.schedule import ATTEMPTS_MAX, DistilledState, item_key
from beaver.outbox.distilled.store import DistilledStore
from beaver.schemas.gateway import ADD_PATH, IDEMPOTENCY_HEADER
from beaver.schemas.jobs import DistilledJob
from tests.contract.worker.scene import Scene
from tests.support.gateway_stub import Exchange, ok, status
from tests.support.waiting import wait_until
from worker.app import build_worker
from worker.distilled import ITEMS_SESSION
from worker.parts import Parts

CANARY = "Canary item: the linter runs before each commit"


class Lane:
    """A worker's courier over the scene's ledger, with time that passes when told to."""

    def __init__(self, scene: Scene, parts: Parts) -> None:
        self.scene = scene
        self.parts = parts
        self.database = scene.ledger.database
        self.store = DistilledStore(self.database.dialect)

    async def enter(self, content: str = CANARY, number: int = 0, **changes: Any) -> bool:
        run_id = f"run_{number}"
        new = NewDistilled(
            key=item_key("s1", run_id, content),
            tenant="default",
            project="default",
            user_id="ada",
            session_id="s1",
            run_id=run_id,
            item_id=f"m_{number}",
            content=content,
        )
        async with self.database.write() as tx:
            return await self.store.insert(tx, replace(new, **changes))

    async def all_due(self) -> None:
        async with self.database.write() as tx:
            await tx.execute(update(rows).values(due_ms=1))

    async def deliver(self) -> int:
        await self.all_due()
        return await self.parts.courier.deliver()

    async def states(self) -> list[str]:
        async with self.database.read() as tx:
            return [str(state) for state in (await tx.execute(select(rows.c.state).order_by(rows.c.key))).scalars()]

    def keys_sent(self) -> list[str]:
        return [request.headers[IDEMPOTENCY_HEADER.lower()] for request in self.scene.stub.seen(ADD_PATH)]


@asynccontextmanager
async def lane_of(scene: Scene) -> AsyncIterator[Lane]:
    async with scene.ledger.database.write() as tx:
        await scene.ledger.sessions.ensure_session(tx, "s1")
    async with scene.parts() as parts:
        yield Lane(scene, parts)


async def test_items_of_a_user_go_together_and_their_words_leave_the_ledger(scene: Scene) -> None:
    async with lane_of(scene) as lane:
        for number in range(3):
            assert await lane.enter(f"{CANARY} {number}", number)

        assert await lane.deliver() == 1

        [sent] = scene.stub.bodies(ADD_PATH)
        assert sent["session_id"] == f"chat:{ITEMS_SESSION}"
        assert [message["content"] for message in sent["messages"]] == [f"{CANARY} {number}" for number in range(3)]
        assert {message["role"] for message in sent["messages"]} == {"user"}
        assert await lane.states() == ["sent"] * 3
        async with lane.database.read() as tx:
            assert set((await tx.execute(select(rows.c.content))).scalars()) == {""}


async def test_a_batch_holds_twenty_at_most(scene: Scene) -> None:
    async with lane_of(scene) as lane:
        for number in range(25):
            await lane.enter(number=number)

        assert await lane.deliver() == 2
        assert [len(body["messages"]) for body in scene.stub.bodies(ADD_PATH)] == [20, 5]


async def test_twenty_need_not_wait_and_fewer_do(scene: Scene) -> None:
    async with lane_of(scene) as lane:
        for number in range(19):
            await lane.enter(number=number)
        async with lane.database.write() as tx:
            await tx.execute(update(rows).values(due_ms=10**15))
            assert await lane.store.claim(tx, "me", "b1", claim_ms=1_000) is None
        await lane.enter(number=19)
        async with lane.database.write() as tx:
            await tx.execute(update(rows).values(due_ms=10**15))
            batch = await lane.store.claim(tx, "me", "b1", claim_ms=1_000)

        assert batch is not None
        assert len(batch.items) == 20


async def test_the_same_item_of_a_turn_enters_once(scene: Scene) -> None:
    async with lane_of(scene) as lane:
        assert await lane.enter()
        assert not await lane.enter()
        assert await lane.enter(number=1)
        assert not await lane.enter(number=2, session_id="gone")


async def test_a_batch_is_sent_again_as_it_was_under_its_own_key(scene: Scene) -> None:
    async with lane_of(scene) as lane:
        scene.stub.script(ADD_PATH, status(503))
        await lane.enter(number=0)
        await lane.deliver()
        assert await lane.states() == ["pending"]
        await lane.enter(number=1)

        await lane.deliver()

        assert await lane.states() == ["sent", "sent"]
        first, again, other = lane.keys_sent()
        assert first == again != other


async def test_after_six_attempts_it_is_dead_and_an_operator_may_have_it_sent_anew(scene: Scene) -> None:
    async with lane_of(scene) as lane:
        scene.stub.always(ADD_PATH, status(500))
        await lane.enter()
        for _ in range(ATTEMPTS_MAX + 2):
            await lane.deliver()

        assert len(lane.keys_sent()) == ATTEMPTS_MAX
        assert await lane.states() == ["dead"]
        inspection = DistilledInspection(lane.database.dialect)
        async with lane.database.read() as tx:
            [dead] = await inspection.dead(tx)
            depth = await inspection.depth(tx)
        assert (dead.error_category, dead.error_status, dead.attempt) == ("http_status", 500, ATTEMPTS_MAX)
        assert "Canary" not in repr(dead)
        assert depth.counts[DistilledState.DEAD] == 1
        assert depth.oldest_pending_age_ms is None

        scene.stub.always(ADD_PATH, ok())
        async with lane.database.write() as tx:
            assert await lane.store.requeue(tx, [dead.key]) == 1
            assert await lane.store.requeue(tx, [dead.key]) == 0
        await lane.deliver()
        assert await lane.states() == ["sent"]


async def test_what_the_gateway_refuses_is_not_sent_again(scene: Scene) -> None:
    async with lane_of(scene) as lane:
        scene.stub.script(ADD_PATH, status(422))
        await lane.enter()
        await lane.deliver()
        await lane.deliver()

        assert await lane.states() == ["dead"]
        assert len(lane.keys_sent()) == 1


async def test_the_gateways_retry_after_is_kept(scene: Scene) -> None:
    async def busy(exchange: Exchange) -> None:
        await exchange.send(429, b"{}", {"retry-after": "600"})

    async with lane_of(scene) as lane:
        scene.stub.script(ADD_PATH, busy)
        await lane.enter()
        await lane.deliver()
        async with lane.database.read() as tx:
            assert (await lane.store.next_due_ms(tx) or 0) > 500_000
            assert not await lane.store.needs_worker(tx)


async def test_items_of_another_user_than_the_workers_never_leave(scene: Scene) -> None:
    async with lane_of(scene) as lane:
        await lane.enter(user_id="bob")
        await lane.deliver()

        assert scene.stub.bodies(ADD_PATH) == []
        assert await lane.states() == ["dead"]


async def test_items_of_an_earlier_user_are_sent_as_that_user(quick_scene: Scene) -> None:
    quick_scene.write(gateway={"earlierUsers": [{"userId": "bob", "userKey": "uk_bob"}]})
    async with lane_of(quick_scene) as lane:
        await lane.enter(user_id="bob")
        await lane.deliver()

        [sent] = quick_scene.stub.bodies(ADD_PATH)
        assert (sent["user_id"], sent["user_key"], sent["messages"][0]["sender_id"]) == ("bob", "uk_bob", "bob")
        assert await lane.states() == ["sent"]


async def test_what_is_forgotten_while_it_is_sent_is_forgotten_at_the_gateway_too(scene: Scene) -> None:
    async def forget_one(exchange: Exchange) -> None:
        async with scene.ledger.database.write() as tx:
            assert await DistilledStore(scene.ledger.database.dialect).erase(tx, ["m_1"]) == 1
        await ok()(exchange)

    async with lane_of(scene) as lane:
        scene.stub.script(ADD_PATH, forget_one)
        for number in range(3):
            await lane.enter(f"{CANARY} {number}", number)
        await lane.deliver()

        [sent] = scene.stub.bodies(ADD_PATH)
        place = [message["content"] for message in sent["messages"]].index(f"{CANARY} 1") + 1
        forgotten = [request.path for request in scene.stub.requests if request.method == "DELETE"]
        assert forgotten == [f"/memories/message-{place}?app_id=default&project_id=default"]
        assert await lane.states() == ["sent", "sent"]


async def test_what_a_lost_worker_had_is_sent_again(scene: Scene) -> None:
    async with lane_of(scene) as lane:
        await lane.enter()
        await lane.all_due()
        async with lane.database.write() as tx:
            claimed = await lane.store.claim(tx, "lost", "b1", claim_ms=60_000)
        assert claimed is not None
        await lane.deliver()
        assert await lane.states() == ["sending"]
        async with lane.database.write() as tx:
            await tx.execute(update(rows).values(claim_expires_ms=1))
        async with lane.database.read() as tx:
            assert await lane.store.needs_worker(tx)

        await lane.deliver()

        assert await lane.states() == ["sent"]
        assert lane.keys_sent() == [claimed.idempotency_key]
        async with lane.database.write() as tx:
            assert not await lane.store.sent(tx, claimed, "lost")


async def test_two_workers_never_have_the_same_item(scene: Scene) -> None:
    async with lane_of(scene) as lane:
        for number in range(30):
            await lane.enter(number=number)
        await lane.all_due()
        batches = []
        for holder in ("one", "two", "three"):
            async with lane.database.write() as tx:
                batches.append(await lane.store.claim(tx, holder, f"b_{holder}", claim_ms=60_000))

        held = [item.key for batch in batches if batch is not None for item in batch.items]
        assert len(held) == len(set(held)) == 30


async def test_what_is_forgotten_or_belongs_to_a_deleted_session_is_gone(scene: Scene) -> None:
    async with lane_of(scene) as lane:
        await lane.enter(number=0)
        await lane.enter(number=1)
        async with lane.database.write() as tx:
            assert await lane.store.erase(tx, ["m_0", "m_7"]) == 1
            await scene.ledger.sessions.delete_session(tx, "s1")

        assert await lane.states() == []


async def test_a_users_rows_go_alone_or_those_of_a_session(scene: Scene) -> None:
    async with lane_of(scene) as lane:
        async with lane.database.write() as tx:
            await scene.ledger.sessions.ensure_session(tx, "s2")
        for number, changes in enumerate(({}, {"session_id": "s2"}, {"user_id": "bob"}, {"tenant": "other"})):
            await lane.enter(number=number, **changes)
        async with lane.database.write() as tx:
            assert await lane.store.erase_of(tx, "default", "ada", session_id="s2") == 1
            assert await lane.store.erase_of(tx, "default", "ada") == 1

        assert len(await lane.states()) == 2


async def test_what_expired_is_neither_sent_nor_held_and_the_rest_of_its_batch_goes(scene: Scene) -> None:
    async with lane_of(scene) as lane:
        scene.stub.script(ADD_PATH, status(503))
        await lane.enter(f"{CANARY} 0", 0, expires_ms=10**15)
        await lane.enter(f"{CANARY} 1", 1)
        await lane.enter(f"{CANARY} 2", 2, expires_ms=1)
        await lane.deliver()
        async with lane.database.write() as tx:
            await tx.execute(update(rows).where(rows.c.item_id == "m_0").values(expires_ms=1))

        await lane.deliver()

        sent = [[message["content"] for message in body["messages"]] for body in scene.stub.bodies(ADD_PATH)]
        assert sent == [[f"{CANARY} 0", f"{CANARY} 1"], [f"{CANARY} 1"]]
        assert await lane.states() == ["sent"]


async def test_what_expired_is_never_claimed_and_a_sweep_has_it_erased_dead_or_not(scene: Scene) -> None:
    async with lane_of(scene) as lane:
        for number in range(2):
            await lane.enter(number=number)
        async with lane.database.write() as tx:
            await tx.execute(update(rows).where(rows.c.item_id == "m_1").values(state=DistilledState.DEAD))
        await lane.all_due()
        async with lane.database.write() as tx:
            assert await lane.store.erase_expired(tx) == 0
            await tx.execute(update(rows).values(expires_ms=1))
            assert await lane.store.claim(tx, "me", "b1", claim_ms=1_000) is None
        async with lane.database.read() as tx:
            assert await lane.store.needs_worker(tx)
        async with lane.database.write() as tx:
            assert await lane.store.erase_expired(tx) == 2

        assert await lane.states() == []


async def test_a_worker_leaves_no_byte_of_what_expired(quick_scene: Scene) -> None:
    async with lane_of(quick_scene) as lane:
        await lane.enter("The xylophone is tuned by Friday")
        async with lane.database.write() as tx:
            await tx.execute(update(rows).values(state=DistilledState.DEAD, expires_ms=1))

        await lane.deliver()

        file = Path(quick_scene.database_url.removeprefix("sqlite:///"))
        for part in file.parent.glob(f"{file.name}*"):
            assert b"xylophone" not in part.read_bytes().lower(), part.name
        assert await lane.states() == []


async def test_a_ring_brings_the_worker_and_a_sweep_rings_again(quick_scene: Scene) -> None:
    settings = load_settings(InstancePaths.at(quick_scene.root), {})
    gateway = gateway_of(settings.memory)
    assert gateway is not None
    async with lane_of(quick_scene) as lane:
        worker = build_worker(settings, gateway, lane.parts)
        await lane.enter(number=0)
        await lane.all_due()
        assert await quick_scene.queue.ring_distilled(DistilledJob(number=1))
        [job] = await worker.pool.keys("arq:job:*")
        assert b"Canary" not in (await worker.pool.get(job) or b"")

        await worker.start_jobs([b"any"])

        async def sent() -> bool:
            return await lane.states() == ["sent"]

        await wait_until(sent, within_s=30, what="the item at the Gateway")
        await lane.enter(number=1)
        await lane.all_due()
        await lane.parts.sweeper.sweep()
        await worker.start_jobs([b"any"])

        async def both_sent() -> bool:
            return await lane.states() == ["sent", "sent"]

        await wait_until(both_sent, within_s=30, what="both items at the Gateway")
        await worker.pool.aclose(close_connection_pool=True)
