"""The host's recall policy: how fast the local store answers, what a slow Gateway costs, and what each gate is worth."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from beaver.agent.middleware import TurnContext
from beaver.agent.policy.figures import percentile
from beaver.agent.policy.hybrid import CANDIDATES_MAX
from beaver.agent.policy.recall import RecallMiddleware
from beaver.agent.policy.stores import ItemStore
from tests.bench.figures import Table, progress
from tests.bench.locomo_data import read_conversations
from tests.bench.memory_corpus import MESSAGES_A_SESSION, Corpus
from tests.bench.options import Options
from tests.bench.recall_chats import Chats, questions_to, working_week
from tests.bench.recall_stage import (
    OWNER,
    SETTINGS,
    Setting,
    SlowGateway,
    contexts,
    filled_store,
    policy,
)

ABOUT = "the recall policy: local recall at 10k items, a slow Gateway, each gate's worth (with --data on LoCoMo too)"
ITEMS: Final = 10_000
SEARCHES: Final = 300
QUESTIONS_OF_ONE: Final = 100
"""Of each of LoCoMo's conversations."""
LATENCIES_S: Final = (0.0, 0.1, 0.25, 0.5, 2.0)
PATIENT_S: Final = 5.0
"""The gates' worth is measured without the local deadline: a busy machine would be measured instead."""


@dataclass
class Tally:
    """What a run of turns came to."""

    turns: int = 0
    in_need: int = 0
    served: int = 0
    searches: int = 0
    tokens: int = 0
    waits_ms: list[float] = field(default_factory=list)

    def line(self, what: str) -> dict[str, Any]:
        """As a line of a table."""
        return {
            "policy": what,
            "turns": self.turns,
            "searches": self.searches,
            "tokens a turn": round(self.tokens / self.turns, 1),
            "needed and there %": round(100 * self.served / max(1, self.in_need), 1),
            "p50 ms": percentile(self.waits_ms, 50),
            "p95 ms": percentile(self.waits_ms, 95),
        }


async def measure(options: Options) -> list[Table]:
    """All parts; LoCoMo's only with its data."""
    tables = [
        Table(f"Local recall at {ITEMS:,} items", [line for kind in options.databases for line in await _local(kind)])
    ]
    tables.append(Table("A turn with a Gateway of set latency (deadline 300 ms)", await _remote(options.turns or 15)))
    tables.append(await _ablation([working_week()], "a scripted working week", meaning=False))
    tables.append(await _ablation([working_week()], "the same, found by meaning too", meaning=True))
    if options.data is not None:
        chats = [questions_to(each, options.turns or QUESTIONS_OF_ONE) for each in read_conversations(options.data)]
        tables.append(await _ablation(chats, "questions to LoCoMo's conversations", meaning=False))
    return tables


async def _local(kind: Any) -> list[Mapping[str, Any]]:
    corpus = Corpus()
    messages = [one for session in corpus.sessions(0, ITEMS - ITEMS % MESSAGES_A_SESSION) for one in session.messages]
    items = {str(number): message.content[:400] for number, message in enumerate(messages)}
    progress(f"filling {len(items)} items, {kind}")
    lines: list[Mapping[str, Any]] = []
    async with filled_store(items, database=kind) as (store, _):
        questions = corpus.questions(len(items), SEARCHES)
        await store.search(OWNER, questions[0], limit=CANDIDATES_MAX)
        busy_s = time.process_time()
        search = [await _timed(store, question) for question in questions]
        busy_ms = round(1000 * (time.process_time() - busy_s) / len(questions), 1)
        lines.append({**_latency(f"the store's search, {kind}", search), "CPU ms": busy_ms})
        async with policy(store, Setting(gated=False), local_deadline_s=PATIENT_S) as made:
            busy_s, asked = time.process_time(), list(contexts([(f"s-{one}", one) for one in questions[:100]]))
            whole = [await _turn(made, context) for context in asked]
            busy_ms = round(1000 * (time.process_time() - busy_s) / len(asked), 1)
        lines.append({**_latency(f"the whole of a turn's recall, {kind}", whole), "CPU ms": busy_ms})
    return lines


async def _timed(store: ItemStore, question: str) -> float:
    started_at = time.perf_counter()
    await store.search(OWNER, question, limit=CANDIDATES_MAX)
    return (time.perf_counter() - started_at) * 1000


async def _turn(made: RecallMiddleware, context: TurnContext) -> float:
    started_at = time.perf_counter()
    await made.before_prompt(context)
    return (time.perf_counter() - started_at) * 1000


async def _remote(turns: int) -> list[Mapping[str, Any]]:
    lines = []
    for latency_s in LATENCIES_S:
        async with policy(None, Setting(), gateway=SlowGateway(latency_s)) as made:
            asked = [(f"s-{number}", f"What about the {number}th dam?") for number in range(turns)]
            waits = [await _turn(made, context) for context in contexts(asked)]
        lines.append(_latency(f"{1000 * latency_s:.0f} ms", waits))
    return lines


def _latency(what: str, waits_ms: Sequence[float]) -> Mapping[str, Any]:
    return {
        "what": what,
        "p50 ms": percentile(waits_ms, 50),
        "p95 ms": percentile(waits_ms, 95),
        "most": round(max(waits_ms), 1),
    }


async def _ablation(chats: Sequence[Chats], title: str, *, meaning: bool) -> Table:
    tallies = {name: Tally() for name in SETTINGS}
    for each in chats:
        progress(f"{title}: {each.name}")
        async with filled_store(each.items, meaning=meaning) as (store, ids):
            for name, setting in SETTINGS.items():
                await _converse(store, ids, each, setting, tallies[name])
    return Table(f"Each gate's worth on {title}", [tally.line(name) for name, tally in tallies.items()])


async def _converse(store: ItemStore, ids: Mapping[str, str], chats: Chats, setting: Setting, tally: Tally) -> None:
    async with policy(store, setting, local_deadline_s=PATIENT_S) as made:
        turns = contexts([(turn.session, turn.prompt) for turn in chats.turns])
        for turn, context in zip(chats.turns, turns, strict=True):
            started_at = time.perf_counter()
            after = await made.before_prompt(context)
            tally.waits_ms.append((time.perf_counter() - started_at) * 1000)
            told = after.notes[0].payload
            there = {ids.get(one["id"]) for one in told["local"]}
            tally.turns += 1
            tally.searches += "local" in told["stores"]
            tally.tokens += told["tokens"]
            tally.in_need += bool(turn.needs)
            tally.served += bool(turn.needs & there)
