"""Whole chats, several at once, beside a memory that has grown: what it costs the answers, and when a turn is remembered."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import psutil
from sqlalchemy import func, select

from beaver.db.engine import Database
from beaver.db.tables import events, outbox
from beaver.memory.namespace import Namespace
from beaver.memory.runtime import MemoryRuntime
from beaver.outbox.states import State
from beaver.schemas.audit import AuditEvent
from tests.bench.chat_servers import Serving, chat_server
from tests.bench.figures import Table, percentiles_ms, progress, written
from tests.bench.http_load import Connection, request_of
from tests.bench.memory_corpus import Corpus
from tests.bench.memory_probe import encoder_of
from tests.bench.options import DatabaseKind, Options
from tests.support.memory_gateway import gateway_process
from tests.support.postgres import running_postgres
from tests.support.processes import WORKER, InstanceProcess
from tests.support.valkey import running_valkey
from tests.support.waiting import wait_until

ABOUT = "whole chats, 1 and 8 at once, curated against a Gateway that holds 10,000 messages; when a turn is remembered"
TURNS: Final = 240
ROUNDS: Final = 6
AT_ONCE: Final = (1, 8)
MESSAGES: Final = 10_000
PROVIDER_S: Final = 0.3
# It pauses before the word and before the end.
SCRIPT: Final = ({"text": "Beavers.", "delay_ms": int(PROVIDER_S * 500)},)
USER: Final = "ada"
DECIDED: Final = "We decided that the report about {} is due on Friday."
"""Every second turn: a session that has taught something has a summary, which each turn changes."""


@dataclass
class _Chats:
    """One way of chatting, and what its turns took: answers over the provider's own time, and turns until they are remembered."""

    server: Serving
    database_url: str
    processes: Mapping[str, psutil.Process]
    answered_s: list[float] = field(default_factory=list)
    remembered_s: list[float] = field(default_factory=list)
    recalled: int = 0
    busy_s: dict[str, float] = field(default_factory=dict)

    def begin(self) -> None:
        """Forget what was measured before."""
        self.answered_s, self.remembered_s, self.recalled, self.busy_s = [], [], 0, self._busy_s()

    def busy_ms_a_turn(self) -> Mapping[str, float]:
        """Of each process, since then."""
        turns = len(self.answered_s)
        return {name: round((now - self.busy_s[name]) * 1000 / turns, 1) for name, now in self._busy_s().items()}

    def _busy_s(self) -> dict[str, float]:
        return {name: sum(process.cpu_times()[:2]) for name, process in self.processes.items()}


async def measure(options: Options) -> list[Table]:
    """A table a database: rounds of either kind in turn, each of new sessions, and after each the worker's rest."""
    return [table for kind in options.databases for table in await _measured(kind, options.turns or TURNS)]


async def _measured(kind: DatabaseKind, turns: int) -> list[Table]:
    async with _parts(kind) as ways:
        for at_once in AT_ONCE:
            await _round(ways, turns // ROUNDS, at_once, 0)
        return [await _compared(kind, ways, turns, at_once) for at_once in AT_ONCE]


async def _compared(kind: DatabaseKind, ways: Mapping[str, _Chats], turns: int, at_once: int) -> Table:
    for each in ways.values():
        each.begin()
    for number in range(1, ROUNDS + 1):
        progress(f"chats, {kind}, {at_once} at once: round {number} of {ROUNDS}")
        await _round(ways, turns // ROUNDS, at_once, number)
    base50, base99 = percentiles_ms(ways["curated"].answered_s)
    compared = Table(
        f"{kind}: {turns} turns of each, {at_once} at once; milliseconds over the provider's own {PROVIDER_S:g} s",
        [_line(name, each, base50, base99) for name, each in ways.items()],
    )
    progress(written(compared))  # the next one is minutes away
    return compared


def _line(name: str, chats: _Chats, base50: float, base99: float) -> Mapping[str, Any]:
    p50, p99 = percentiles_ms(chats.answered_s)
    busy = chats.busy_ms_a_turn()
    remembered = [round(each) for each in percentiles_ms(chats.remembered_s)] if chats.remembered_s else [None, None]
    return {
        "what": name,
        "answer p50 ms": round(p50, 1),
        "p99 ms": round(p99, 1),
        "more p50": round(p50 - base50, 1),
        "more p99": round(p99 - base99, 1),
        "recalled": f"{chats.recalled}/{len(chats.answered_s)}",
        **dict(zip(("remembered p50 ms", "remembered p99 ms"), remembered, strict=True)),
        **{f"{part} CPU": busy.get(part) for part in ("chat server", "worker", "Gateway")},
    }


async def _round(ways: Mapping[str, _Chats], turns: int, at_once: int, number: int) -> None:
    for name, chats in ways.items():
        sessions = [f"{name}-{at_once}-{number}-{each}" for each in range(at_once)]
        asked = Corpus(seed=number).questions(MESSAGES, turns)
        share = turns // at_once
        talks = (_talk(chats, one, asked[at * share :][:share]) for at, one in enumerate(sessions))
        await asyncio.gather(*talks)
        if name == "hybrid":
            await _remembered(chats, sessions, share * at_once)


async def _talk(chats: _Chats, session: str, questions: Sequence[str]) -> None:
    """One chat: a question, then something to remember, and so on."""
    connection = await Connection.open(chats.server.port)
    try:
        for number, question in enumerate(questions):
            said = DECIDED.format(question[-40:]) if number % 2 else question
            body = {"model": "beaver", "messages": [{"role": "user", "content": said}]}
            answer = await connection.ask(request_of(body, session))
            chats.answered_s.append(answer.whole_s - PROVIDER_S)
    finally:
        connection.close()


async def _remembered(chats: _Chats, sessions: Sequence[str], turns: int) -> None:
    """Wait until all is, and note how long each turn took from its answer to the end of its flush."""
    database = Database.open(chats.database_url)
    of_these = outbox.c.session_id.in_(sessions)
    try:

        async def all_flushed() -> bool:
            async with database.read() as tx:
                done = select(func.count()).where(of_these, outbox.c.state == State.FLUSHED)
                return bool(await tx.scalar(done) == turns)

        await wait_until(all_flushed, within_s=60, what="the last turn's flush")
        async with database.read() as tx:
            took = await tx.execute(select(outbox.c.updated_ms - outbox.c.created_ms).where(of_these))
            chats.remembered_s += [ms / 1000 for (ms,) in took]
            recalls = select(func.count()).where(
                events.c.session_id.in_(sessions), events.c.kind == AuditEvent.RECALL_SUCCEEDED
            )
            chats.recalled += await tx.scalar(recalls) or 0
    finally:
        await database.close()


@asynccontextmanager
async def _parts(kind: DatabaseKind) -> AsyncIterator[Mapping[str, _Chats]]:
    """A chat server with curated memory alone, and one with a queue, a worker and a Gateway: all processes of their own."""
    async with AsyncExitStack() as parts:
        folder = Path(parts.enter_context(tempfile.TemporaryDirectory()))
        urls = await parts.enter_async_context(_urls(kind, folder))
        key = await _filled(urls["memory"])
        gateway = await parts.enter_async_context(
            gateway_process(folder / "gateway", database_url=urls["memory"], embedding="local")
        )
        valkey = parts.enter_context(running_valkey())
        hybrid = {
            "memory": {
                "mode": "hybrid",
                "gateway": {"baseUrl": gateway.url, "userId": USER, "userKey": key},
            },
            "queue": {"redisUrl": valkey.url},
        }
        curated_server = await parts.enter_async_context(chat_server(folder / "curated", urls["curated"], SCRIPT))
        hybrid_server = await parts.enter_async_context(chat_server(folder / "hybrid", urls["hybrid"], SCRIPT, hybrid))
        worker = parts.enter_context(InstanceProcess(folder / "hybrid", "worker", WORKER))
        await worker.logged("worker.ready")
        pids = {"chat server": hybrid_server.pid, "worker": worker.pid, "Gateway": gateway.pid}
        yield {
            "curated": _Chats(curated_server, urls["curated"], _processes({"chat server": curated_server.pid})),
            "hybrid": _Chats(hybrid_server, urls["hybrid"], _processes(pids)),
        }


def _processes(pids: Mapping[str, int]) -> Mapping[str, psutil.Process]:
    return {name: psutil.Process(pid) for name, pid in pids.items()}


@asynccontextmanager
async def _urls(kind: DatabaseKind, folder: Path) -> AsyncIterator[Mapping[str, str]]:
    """A database for each of the three."""
    names = ("memory", "curated", "hybrid")
    if kind == "sqlite":
        yield {name: f"sqlite:///{folder / f'{name}.db'}" for name in names}
        return
    with running_postgres(mortal=True) as server:
        yield {name: server.url(await server.create_database()) for name in names}


async def _filled(url: str) -> str:
    """Store the messages, and wait until all have their vectors; returns the user's key."""
    progress(f"chats: storing {MESSAGES} messages, about a minute")
    runtime = await MemoryRuntime.open(url, encoder=encoder_of("local"))
    try:
        await runtime.create_user(USER)
        for session in Corpus().sessions(0, MESSAGES):
            await runtime.add(Namespace("default", "default", USER), session.name, session.messages)
        await runtime.wait_until_encoded()
        return (await runtime.add_key(USER)).key
    finally:
        await runtime.close()
