"""A session is deleted while a worker has a turn of it on its way to a Gateway, both processes: nothing of it stays there."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from tests.drills.scene import CANARY, Scene
from tests.support.gateway_nursery import GatewayNursery, gateway_nursery
from tests.support.http import loopback_client
from tests.support.memory_gateway import GatewayProcess, GatewayUser, gateway_process, new_user
from tests.support.waiting import wait_until


@pytest.fixture(scope="module")
def nursery() -> Iterator[GatewayNursery]:
    with gateway_nursery() as opened:
        yield opened


@pytest.fixture
async def gateway(tmp_path: Path, nursery: GatewayNursery) -> AsyncIterator[GatewayProcess]:
    async with gateway_process(tmp_path / "gateway", nursery=nursery) as process:
        yield process


@pytest.fixture
async def ada(gateway: GatewayProcess, scene: Scene) -> AsyncIterator[GatewayUser]:
    async with loopback_client(gateway.url, timeout=60) as http:
        user = await new_user(http, "ada")
        scene.write(gateway_url=gateway.url, gateway={"userKey": user.user_key})
        yield user


async def test_a_turn_that_arrived_although_its_session_was_deleted_is_gone_again(
    scene: Scene, gateway: GatewayProcess, ada: GatewayUser
) -> None:
    earlier = await scene.complete("s1", "s2")
    with scene.worker("first") as first:
        await scene.ring(*earlier)
        await scene.all_end()
        first.terminate()
        assert await first.ended() == 0
    [late] = await scene.complete("s1")
    with scene.worker("slow", "--freeze-at", "after add, before record") as slow:
        await scene.ring(late)
        await slow.stopped()
        assert f"{CANARY} asks {late}" in await ada.texts(CANARY, top_k=20)
        async with scene.ledger.database.write() as tx:
            assert await scene.ledger.sessions.delete_session(tx, "s1")
        slow.thaw()
        await slow.logged("persist.withdrawn", run_id=late, messages=2)
        slow.terminate()
        assert await slow.ended() == 0
    found = await ada.texts(CANARY, top_k=20)
    assert not [each for each in found if late in each]
    assert {f"{CANARY} asks {run_id}" for run_id in earlier} <= set(found)

    async def no_byte_of_it() -> bool:
        held = [each.read_bytes() for each in (gateway.root / ".beaver").glob("gateway.db*")]
        return not any(f"{CANARY} asks {late}".encode() in content for content in held)

    await wait_until(no_byte_of_it, within_s=30, what="no byte of it in the Gateway's files")
