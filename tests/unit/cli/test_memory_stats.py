"""`beaver memory stats`: what hidden events tell, in figures."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

from beaver.cli.database import session_database
from beaver.schemas.audit import AuditEvent
from beaver.sessions.recalls import last_recall
from beaver.sessions.records import NewEvent
from beaver.sessions.store import SessionStore
from tests.support.command_line import ran

DECIDED = {
    "decision": "run",
    "reason": "session_start",
    "tokens": 80,
    "stores": {"local": {"outcome": "hit", "ms": 3.5}},
}
SKIPPED = {"decision": "skip", "reason": "ack", "tokens": 0, "stores": {}}


def _stats(root: Path, *arguments: str) -> str:
    result = ran("memory", "stats", "--root", str(root), *arguments)
    assert result.code == 0, result.err
    return result.out


async def _tell(root: Path, *payloads: dict[str, Any]) -> None:
    async with session_database(root) as database:
        store = SessionStore(database.dialect)
        async with database.write() as tx:
            await store.ensure_session(tx, "s-1")
            for number, payload in enumerate(payloads):
                decided = NewEvent(AuditEvent.RECALL_DECIDED.value, payload=payload, context_visible=False)
                await store.append(tx, "s-1", f"r-{number}", decided)


def test_what_was_decided_is_summed_for_programs_and_for_people(tmp_path: Path) -> None:
    asyncio.run(_tell(tmp_path, DECIDED, SKIPPED))
    figures = json.loads(_stats(tmp_path, "--json"))["recall"]
    assert (figures["turns"], figures["recalled"], figures["hit_rate"], figures["tokens"]) == (2, 1, 1.0, 80)
    assert figures["stores"]["local"]["p50_ms"] == 3.5
    shown = _stats(tmp_path)
    assert "run session_start" in shown
    assert "1 of 1 (100 %)" in shown


def test_an_instance_without_any_recall_has_figures_too(tmp_path: Path) -> None:
    figures = json.loads(_stats(tmp_path, "--json"))
    assert figures["recall"]["turns"] == 0
    assert figures["recall"]["hit_rate"] is None
    assert figures["writes"]["dedupe_ratio"] is None


def test_the_last_recall_of_a_session_is_that_of_its_newest_run(tmp_path: Path) -> None:
    async def looked() -> list[str]:
        await _tell(tmp_path, DECIDED, SKIPPED)
        async with session_database(tmp_path) as database, database.read() as tx:
            assert list(await last_recall(tx, "s-2")) == []
            return [event.payload["reason"] for event in await last_recall(tx, "s-1")]

    assert asyncio.run(looked()) == ["ack"]
