"""One trace from the turn to the Gateway: the ledger's row, the job in the queue and the calls carry the same traceparent."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from opentelemetry import trace

from beaver.client.jobs import decode_job
from beaver.config.loader import load_settings
from beaver.config.memory import gateway_of
from beaver.config.paths import InstancePaths
from beaver.db.engine import Database
from beaver.outbox.states import State
from beaver.schemas.gateway import ADD_PATH, FLUSH_PATH, SEARCH_PATH
from beaver.schemas.jobs import PersistJob
from tests.support.engine import engine, says
from tests.support.gateway import KEY, USER, gateway_service
from tests.support.gateway_stub import GatewayStub, ok, running_gateway_stub
from tests.support.ledger import Ledger
from tests.support.processes import InstanceProcess
from tests.support.tracing import RecordingTracing
from tests.support.valkey import ValkeyServer
from tests.support.waiting import wait_until
from tests.support.worker_instance import write_instance
from worker.parts import Parts, open_parts

WORDS = "the vermilion heron"


@pytest.fixture
async def stub() -> AsyncIterator[GatewayStub]:
    async with running_gateway_stub() as running:
        running.always(SEARCH_PATH, ok({"results": [{"text": WORDS}]}))
        yield running


@pytest.fixture
def root(tmp_path: Path, database_url: str, valkey: ValkeyServer, stub: GatewayStub) -> Path:
    """An instance for a worker of the test user."""
    user = {"userId": USER, "userKey": KEY}
    return write_instance(tmp_path, database_url=database_url, redis_url=valkey.url, gateway_url=stub.url, gateway=user)


async def chat(database: Database, stub: GatewayStub, valkey: ValkeyServer) -> str:
    """One turn of chat, rung for; its run id."""
    async with gateway_service(stub.url, valkey.url) as gateway:
        result = await engine(database, [says(WORDS)], gateway=gateway).ask(f"where is {WORDS}?")
    return result.run_id


async def row_of(database: Database, run_id: str) -> str:
    async with database.read() as tx:
        found = await Ledger(database).store.due(tx, limit=10)
    return next(iter(each.traceparent or "" for each in found if each.run_id == run_id), "")


def job_of(valkey: ValkeyServer, run_id: str) -> Any:
    stored = valkey.client().get(f"arq:job:{PersistJob(run_id=run_id, generation=0).job_id}")
    assert isinstance(stored, bytes)
    assert WORDS.encode() not in stored
    return decode_job(stored)["a"][0]["traceparent"]


def carried(stub: GatewayStub, path: str) -> str:
    (request,) = stub.seen(path)
    return request.headers["traceparent"]


@asynccontextmanager
async def parts_of(root: Path) -> AsyncIterator[Parts]:
    settings = load_settings(InstancePaths.at(root), {})
    gateway = gateway_of(settings.memory)
    assert gateway is not None
    async with open_parts(settings, gateway, lambda: False) as parts:
        yield parts


async def test_row_job_and_calls_carry_the_turns_traceparent(
    root: Path, database: Database, stub: GatewayStub, valkey: ValkeyServer
) -> None:
    ledger = Ledger(database)
    run_id = await chat(database, stub, valkey)
    traceparent = job_of(valkey, run_id)
    await ledger.make_due(run_id)
    assert re.fullmatch(r"00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-01", traceparent)
    assert await row_of(database, run_id) == traceparent
    assert carried(stub, SEARCH_PATH) == traceparent
    with InstanceProcess(root):

        async def flushed() -> bool:
            return await ledger.state(run_id) is State.FLUSHED

        await wait_until(flushed, within_s=30, what="the flush")
    assert [carried(stub, path) for path in (ADD_PATH, FLUSH_PATH)] == [traceparent] * 2


async def test_with_opentelemetry_run_recall_and_persist_are_spans_of_one_trace(
    root: Path, database: Database, stub: GatewayStub, valkey: ValkeyServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    tracing = RecordingTracing()
    monkeypatch.setattr(trace, "_TRACER_PROVIDER", tracing)
    run_id = await chat(database, stub, valkey)
    async with parts_of(root) as parts:
        await parts.persister.persist(PersistJob(run_id=run_id, generation=0))

    run, recall, persist = (tracing.named(f"beaver.{name}") for name in ("run", "recall", "persist"))
    assert len(tracing.spans) == 3
    assert recall.parent == run.get_span_context()
    assert (persist.parent.trace_id, persist.parent.span_id) == (
        run.get_span_context().trace_id,
        run.get_span_context().span_id,
    )
    assert job_of(valkey, run_id) == run.traceparent
    assert carried(stub, SEARCH_PATH) == recall.traceparent
    assert {carried(stub, path) for path in (ADD_PATH, FLUSH_PATH)} == {persist.traceparent}
    assert [span.attributes for span in tracing.spans] == [{"beaver.run_id": run_id}] * 3
    assert [span.told for span in tracing.spans] == [[], [], []]


async def test_two_turns_are_two_traces(sqlite_database: Database, stub: GatewayStub, valkey: ValkeyServer) -> None:
    runs = [await chat(sqlite_database, stub, valkey) for _ in range(2)]

    assert len({job_of(valkey, run_id)[3:35] for run_id in runs}) == 2
