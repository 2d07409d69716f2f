"""Recall before a run and the ring after it: outcomes as values, audit without content."""

from __future__ import annotations

import asyncio
import json
import logging
import subprocess
import sys
from collections.abc import AsyncIterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from beaver.agent.gateway_memory import (
    QUERY_CHARACTERS_MAX,
    MemoryGatewayService,
    Recalled,
    RecallFailed,
    RecallSkipped,
    recall_audit,
    skip_reason,
)
from beaver.client.gateway import MemoryGatewayClient, RecalledItem
from beaver.client.jobs import PersistQueue
from beaver.config.memory import GatewaySettings
from beaver.schemas.gateway import ADD_PATH, FLUSH_PATH, SEARCH_PATH
from beaver.schemas.jobs import QUEUE_NAME
from tests.support.gateway_stub import (
    Behaviour,
    GatewayStub,
    drip,
    hang,
    ok,
    raw,
    reset,
    running_gateway_stub,
    status,
)
from tests.support.valkey import ValkeyServer

KEY = "uk_canary_4f1d77aa93"
TEXT = "the heron nests behind the old mill"
NOWHERE = "unix:///nonexistent/beaver-test.sock"


def service_of(url: str, *, queue_url: str = NOWHERE, timeout_s: float = 20) -> MemoryGatewayService:
    settings = GatewaySettings.model_validate(
        {
            "baseUrl": url,
            "userId": "maria",
            "userKey": KEY,
            "appId": "shop",
            "projectId": "support",
            "scope": ["resources", "current_chat"],
            "timeoutSeconds": timeout_s,
        }
    )
    return MemoryGatewayService(MemoryGatewayClient(settings), PersistQueue.open(queue_url), settings)


@pytest.fixture
async def stub() -> AsyncIterator[GatewayStub]:
    async with running_gateway_stub() as running:
        yield running


@pytest.fixture
async def service(stub: GatewayStub) -> AsyncIterator[MemoryGatewayService]:
    made = service_of(stub.url)
    yield made
    await made.aclose()


async def test_recall_searches_with_the_session_the_prompt_and_the_configured_scopes(
    stub: GatewayStub, service: MemoryGatewayService
) -> None:
    await service.recall_before_run("s-1", TEXT)

    (body,) = stub.bodies(SEARCH_PATH)
    assert (body["conversation_id"], body["query"], body["scope"]) == ("s-1", TEXT, ["resources", "current_chat"])


async def test_recall_brings_items_without_the_raw_object_and_the_scopes(
    stub: GatewayStub, service: MemoryGatewayService
) -> None:
    stub.always(SEARCH_PATH, ok({"results": [{"text": TEXT, "id": "m-1", "raw": {"shard": "secret-shard"}}]}))

    outcome = await service.recall_before_run("s-1", "heron?")

    assert outcome == Recalled((RecalledItem("m-1", None, TEXT, None, None, None),), ("resources", "current_chat"))
    assert isinstance(outcome, Recalled)
    assert "secret-shard" not in str([asdict(item) for item in outcome.items])


@pytest.mark.parametrize("prompt", ["", " ", "\n\t "])
async def test_a_blank_prompt_is_not_searched_for(
    stub: GatewayStub, service: MemoryGatewayService, prompt: str
) -> None:
    assert await service.recall_before_run("s-1", prompt) == RecallSkipped("blank_prompt")
    assert stub.requests == []


async def test_a_prompt_within_the_bound_is_sent_as_it_is(stub: GatewayStub, service: MemoryGatewayService) -> None:
    prompt = "  " + "é" * (QUERY_CHARACTERS_MAX - 4) + "\n "

    await service.recall_before_run("s-1", prompt)

    assert stub.bodies(SEARCH_PATH)[0]["query"] == prompt


async def test_a_prompt_over_the_bound_is_searched_for_by_its_beginning(
    stub: GatewayStub, service: MemoryGatewayService
) -> None:
    await service.recall_before_run("s-1", " " * 9_000 + "heron " + "x" * 20_000)

    query = stub.bodies(SEARCH_PATH)[0]["query"]
    assert query.startswith("heron xxx")
    assert len(query) == QUERY_CHARACTERS_MAX


@pytest.mark.parametrize(
    ("behaviour", "category", "http_status"),
    [
        (hang(), "timeout", None),
        (drip(0.05), "timeout", None),
        (reset(), "connection_lost", None),
        (status(401), "unauthorized", 401),
        (status(403), "unauthorized", 403),
        (status(404), "http_status", 404),
        (status(408), "http_status", 408),
        (status(425), "http_status", 425),
        (status(429), "http_status", 429),
        (status(500), "http_status", 500),
        (status(503), "http_status", 503),
        (status(302, headers={"location": "/elsewhere"}), "http_status", 302),
        (raw(b"<html>"), "invalid_json", 200),
        (raw(b"\xff\xfe"), "invalid_json", 200),
        (ok({"memories": []}), "invalid_shape", 200),
        (raw(b" " * 50_000_000), "too_large", 200),
    ],
)
async def test_every_failure_of_recall_is_a_value(
    stub: GatewayStub, behaviour: Behaviour, category: str, http_status: int | None
) -> None:
    stub.always(SEARCH_PATH, behaviour)
    service = service_of(stub.url, timeout_s=1)

    outcome = await service.recall_before_run("s-1", TEXT)

    assert outcome == RecallFailed("search", category, http_status)  # type: ignore[arg-type]
    await service.aclose()


@pytest.mark.parametrize("url", ["http://127.0.0.1:9", "http://gateway.invalid"])
async def test_a_gateway_that_cannot_be_reached_is_a_value(url: str) -> None:
    service = service_of(url)

    assert await service.recall_before_run("s-1", TEXT) == RecallFailed("search", "connect_failed", None)
    await service.aclose()


async def test_cancellation_of_recall_passes_through(stub: GatewayStub, service: MemoryGatewayService) -> None:
    stub.always(SEARCH_PATH, hang())
    recalling = asyncio.create_task(service.recall_before_run("s-1", TEXT))
    await asyncio.sleep(0)

    recalling.cancel()

    with pytest.raises(asyncio.CancelledError):
        await recalling


async def test_a_failure_is_logged_without_key_or_text(
    stub: GatewayStub,
    service: MemoryGatewayService,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    caplog.set_level(logging.DEBUG)
    stub.always(SEARCH_PATH, status(401, {"error": f"bad key {KEY} for {TEXT}"}))

    await service.recall_before_run("s-1", TEXT)

    written = caplog.text + "".join(capfd.readouterr())
    assert "gateway.recall_failed" in written
    assert KEY not in written
    assert TEXT not in written


def test_a_recall_that_worked_is_audited_with_scopes_count_and_where_each_memory_is_from() -> None:
    items = (
        RecalledItem("m-1", "chat:s-0", TEXT, 0.5, "current_chat", None),
        RecalledItem(None, None, TEXT, None, "resources", f"file:///{TEXT}"),
    )

    event = recall_audit(Recalled(items, ("resources", "current_chat")))

    assert (event.kind, event.role, event.content) == ("memory_gateway_recall_succeeded", None, "")
    assert event.payload == {
        "scope": ["resources", "current_chat"],
        "result_count": 2,
        "memories": [
            {"id": "m-1", "scope": "current_chat", "session": "chat:s-0", "score": 0.5},
            {"scope": "resources"},
        ],
    }
    assert event.context_visible is False


def test_an_empty_recall_is_audited_as_a_success() -> None:
    assert recall_audit(Recalled((), ("resources",))).payload == {"scope": ["resources"], "result_count": 0}


def test_a_failed_recall_is_audited_with_operation_category_and_status() -> None:
    event = recall_audit(RecallFailed("search", "http_status", 503))

    assert event.kind == "memory_gateway_recall_failed"
    assert event.payload == {"operation": "search", "category": "http_status", "http_status": 503}
    assert event.context_visible is False


def test_a_failure_without_an_answer_is_audited_without_a_status() -> None:
    assert recall_audit(RecallFailed("search", "timeout", None)).payload == {
        "operation": "search",
        "category": "timeout",
    }


def test_a_skipped_recall_is_audited_with_its_reason() -> None:
    event = recall_audit(RecallSkipped("blank_prompt"))

    assert (event.kind, event.payload, event.context_visible) == (
        "memory_gateway_recall_skipped",
        {"reason": "blank_prompt"},
        False,
    )


async def test_no_audit_event_holds_key_or_text(stub: GatewayStub) -> None:
    stub.script(SEARCH_PATH, ok({"results": [{"text": TEXT}]}), status(401, {"error": KEY}), raw(KEY.encode()), reset())
    service = service_of(stub.url)

    events = [recall_audit(await service.recall_before_run("s-1", TEXT)) for _ in range(4)]

    assert KEY not in repr(events)
    assert TEXT not in repr(events)
    await service.aclose()


@pytest.mark.parametrize(
    ("prompt", "answer", "reason"),
    [
        ("hello", "hi", None),
        ("hello", "", "blank_answer"),
        ("hello", " \n", "blank_answer"),
        ("", "hi", "blank_prompt"),
        (" ", " ", "blank_prompt"),
    ],
)
def test_a_turn_with_a_blank_half_is_skipped_with_its_reason(prompt: str, answer: str, reason: str | None) -> None:
    assert skip_reason(prompt, answer) == reason


async def test_a_turn_for_the_ledger_holds_ids_times_and_the_gateways_namespace_but_no_text(
    service: MemoryGatewayService,
) -> None:
    turn = service.new_turn(
        run_id="run_1", session_id="s-1", user_event_id=4, answer_event_id=9, user_at_ms=1_000, answer_at_ms=2_000
    )

    assert asdict(turn) == {
        "run_id": "run_1",
        "session_id": "s-1",
        "user_event_id": 4,
        "answer_event_id": 9,
        "user_at_ms": 1_000,
        "answer_at_ms": 2_000,
        "gateway_user_id": "maria",
        "app_id": "shop",
        "project_id": "support",
        "traceparent": None,
    }


@pytest.mark.parametrize(
    ("user_at_ms", "answer_at_ms", "expected"), [(5_000, 4_000, (5_000, 5_000)), (0, -7, (1, 1)), (5, 5, (5, 5))]
)
async def test_a_clock_that_steps_back_still_gives_positive_rising_times(
    service: MemoryGatewayService, user_at_ms: int, answer_at_ms: int, expected: tuple[int, int]
) -> None:
    turn = service.new_turn(
        run_id="run_1",
        session_id="s-1",
        user_event_id=1,
        answer_event_id=2,
        user_at_ms=user_at_ms,
        answer_at_ms=answer_at_ms,
    )

    assert (turn.user_at_ms, turn.answer_at_ms) == expected


async def test_persist_rings_the_queue_once_with_the_run_id_and_calls_no_gateway(
    stub: GatewayStub, valkey: ValkeyServer
) -> None:
    stub.always(SEARCH_PATH, ok({"results": [{"text": TEXT}]}))
    service = service_of(stub.url, queue_url=valkey.url)
    await service.recall_before_run("s-1", TEXT)

    assert await service.persist_after_run("run_1") is True

    queue = valkey.client()
    assert queue.zrange(QUEUE_NAME, 0, -1) == [b"persist:run_1:0"]
    job = json.loads(queue.get("arq:job:persist:run_1:0"))  # type: ignore[arg-type]
    assert (job["a"], job["k"]) == ([{"version": 1, "run_id": "run_1", "generation": 0, "traceparent": None}], {})
    assert stub.seen(ADD_PATH) + stub.seen(FLUSH_PATH) == []
    await service.aclose()


async def test_recalled_text_and_the_key_never_reach_the_queue(stub: GatewayStub, valkey: ValkeyServer) -> None:
    stub.always(SEARCH_PATH, ok({"results": [{"text": TEXT}]}))
    service = service_of(stub.url, queue_url=valkey.url)
    await service.recall_before_run("s-1", "where is the heron?")
    await service.persist_after_run("run_1")

    everything = everything_in(valkey)
    assert b"run_1" in everything
    assert TEXT.encode() not in everything
    assert KEY.encode() not in everything
    await service.aclose()


def everything_in(valkey: ValkeyServer) -> bytes:
    """Every key and value, uncompressed."""
    queue = valkey.client()
    found: list[Any] = []
    for key in queue.scan_iter():
        found += [key, *queue.zrange(key, 0, -1)] if queue.type(key) == b"zset" else [key, queue.get(key)]  # type: ignore[misc]
    return b"\n".join(found)


async def test_persist_without_a_queue_server_says_so_and_raises_nothing(service: MemoryGatewayService) -> None:
    assert await service.persist_after_run("run_1") is False


async def test_the_service_leaves_curated_files_alone(
    service: MemoryGatewayService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / ".beaver" / "memory"
    folder.mkdir(parents=True)
    (folder / "MEMORY.md").write_text("likes tea")
    (folder / "USER.md").write_text("Maria")
    monkeypatch.chdir(tmp_path)

    await service.recall_before_run("s-1", TEXT)
    await service.persist_after_run("run_1")

    assert {path.name: path.read_text() for path in folder.iterdir()} == {"MEMORY.md": "likes tea", "USER.md": "Maria"}


def test_the_service_does_not_load_the_curated_package() -> None:
    code = "import sys, beaver.agent.gateway_memory; print([name for name in sys.modules if 'curated' in name])"

    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)

    assert loaded.stdout.strip() == "[]"


async def test_closing_twice_is_fine(service: MemoryGatewayService) -> None:
    await service.aclose()
    await service.aclose()
