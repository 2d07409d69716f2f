"""Every way a Gateway can fail leads to the right state, said once, and the session's next turn goes on."""

from __future__ import annotations

import pytest

from beaver.outbox.states import State
from beaver.schemas.gateway import ADD_PATH, FLUSH_PATH
from beaver.schemas.jobs import PersistJob
from tests.drills.scene import Scene
from tests.support.fault_proxy import Fault, running_fault_proxy
from tests.support.gateway_stub import Behaviour, Exchange, cut, drip, hang, ok, raw, reset, status

REFUSED, UNKNOWN = "refused", "unknown"
FAULTS: dict[str, tuple[Behaviour, str, tuple[str, int | None]]] = {
    "hang": (hang(), UNKNOWN, ("timeout", None)),
    "slow-drip": (drip(0.2), UNKNOWN, ("timeout", None)),
    "reset-after-body": (reset(), UNKNOWN, ("connection_lost", None)),
    "answer-cut": (cut(), UNKNOWN, ("connection_lost", None)),
    "s500": (status(500), UNKNOWN, ("http_status", 500)),
    "s503": (status(503), UNKNOWN, ("http_status", 503)),
    "s408": (status(408), UNKNOWN, ("http_status", 408)),
    "redirect": (status(307, headers={"location": "/elsewhere"}), UNKNOWN, ("http_status", 307)),
    "garbage": (raw(b"\x00so much garbage"), UNKNOWN, ("invalid_json", 200)),
    "empty": (raw(b""), UNKNOWN, ("invalid_json", 200)),
    "s401": (status(401), REFUSED, ("unauthorized", 401)),
    "s403": (status(403), REFUSED, ("unauthorized", 403)),
    "s404": (status(404), REFUSED, ("http_status", 404)),
    "s422": (status(422), REFUSED, ("http_status", 422)),
    "s429": (status(429), REFUSED, ("http_status", 429)),
}
ADD_ENDS = {REFUSED: State.ADD_REFUSED, UNKNOWN: State.ADD_UNKNOWN}
FLUSH_ENDS = {REFUSED: State.FLUSH_FAILED, UNKNOWN: State.FLUSH_UNKNOWN}


@pytest.mark.parametrize(("path", "ends"), [(ADD_PATH, ADD_ENDS), (FLUSH_PATH, FLUSH_ENDS)])
async def test_each_failure_of_the_gateway_ends_its_turn_rightly_and_releases_the_next(
    quick_scene: Scene, path: str, ends: dict[str, State]
) -> None:
    scene = quick_scene
    scene.write(gateway={"timeoutSeconds": 2})
    scene.stub.always(path, fails_once_a_session())
    first = dict(zip(FAULTS, await scene.complete(*FAULTS), strict=True))
    second = await scene.complete(*FAULTS)
    await scene.ring(*first.values(), *second)
    with scene.worker():
        await scene.holds()
    for name, (_, outcome, why) in FAULTS.items():
        summary = (await scene.ledger.story(first[name])).summary
        assert (name, summary.state) == (name, ends[outcome])
        assert (name, summary.error_category, summary.error_status) == (name, *why)
    assert {await scene.ledger.state(run_id) for run_id in second} == {State.FLUSHED}


def fails_once_a_session() -> Behaviour:
    """Each session meets the fault that it is named after, once."""
    ahead = {f"chat:{name}": behaviour for name, (behaviour, _, _) in FAULTS.items()}

    async def answer(exchange: Exchange) -> None:
        await ahead.pop(exchange.request.body["session_id"], ok())(exchange)

    return answer


@pytest.mark.parametrize(
    ("fault", "cut_after", "seen"),
    [("blackhole", 0, 0), ("reset", 0, 0), ("slow", 0, 1), ("cut", 200, 0), ("cut_answer", 30, 1)],
)
async def test_a_network_that_fails_after_connecting_leaves_an_unknown(
    quick_scene: Scene, fault: Fault, cut_after: int, seen: int
) -> None:
    scene = quick_scene
    run_id, later = await scene.complete("s1", "s1")
    async with running_fault_proxy(int(scene.stub.url.rsplit(":", 1)[1])) as proxy:
        scene.write(gateway_url=proxy.url, gateway={"timeoutSeconds": 1})
        proxy.fault, proxy.cut_after = fault, cut_after
        async with scene.parts() as parts:
            await parts.persister.persist(PersistJob(run_id=run_id, generation=0))
            assert await scene.ledger.state(run_id) is State.ADD_UNKNOWN
            assert scene.calls() == (seen, 0)
            proxy.fault = "pass"
            await parts.persister.persist(PersistJob(run_id=later, generation=0))
    await ended(scene)
    assert await scene.ledger.state(later) is State.FLUSHED


@pytest.mark.parametrize("url", ["http://127.0.0.1:9", "http://gateway.invalid"], ids=["nobody listens", "no name"])
async def test_a_gateway_that_cannot_be_reached_at_all_refuses_surely(quick_scene: Scene, url: str) -> None:
    scene = quick_scene
    scene.write(gateway_url=url)
    (run_id,) = await scene.complete("s1")
    async with scene.parts() as parts:
        await parts.persister.persist(PersistJob(run_id=run_id, generation=0))
    summary = (await scene.ledger.story(run_id)).summary
    assert (summary.state, summary.error_category) == (State.ADD_REFUSED, "connect_failed")
    await ended(scene)


async def ended(scene: Scene) -> None:
    """The check, with a worker that puts away the rings which were sent for nobody."""
    scene.write()
    with scene.worker():
        await scene.holds()
