"""How much of LoCoMo's evidence a search brings back, through the engine's public door, beside simpler ways to find it."""

from __future__ import annotations

import math
import time
from collections import defaultdict
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from itertools import groupby
from pathlib import Path
from statistics import mean, median
from tempfile import TemporaryDirectory
from typing import Any, Final

from beaver.memory.inference.local import open_local_encoder
from beaver.memory.inference.port import Encoder
from beaver.memory.namespace import Namespace
from beaver.memory.records import NewMessage, Question
from beaver.memory.runtime import MemoryRuntime
from tests.bench.figures import Table, progress
from tests.bench.locomo_data import CATEGORIES, Conversation, Probe, read_conversations
from tests.bench.options import Options

ABOUT = "evidence recall on LoCoMo, read from --data; with the encoder and without"
RESULTS: Final = 100
TURN_MESSAGES: Final = 50
BUDGETS: Final = (1000, 2000, 4000)
CHARACTERS_PER_TOKEN: Final = 4
COLUMNS: Final = ("R@5", "R@10", "R@20", "nDCG@10", *(f"in {budget}" for budget in BUDGETS))

Figures = list[float]


async def measure(options: Options) -> list[Table]:
    """One table a way of finding; a line for all questions and one a category."""
    if options.data is None:
        raise SystemExit("locomo needs --data PATH: a file of LoCoMo's conversations, which this project does not hold")
    conversations = read_conversations(options.data)
    return [
        await _measured(conversations, "words and vectors", open_local_encoder()),
        await _measured(conversations, "words alone", None),
    ]


async def _measured(conversations: Sequence[Conversation], name: str, encoder: Encoder | None) -> Table:
    async with _memory(conversations, encoder) as (runtime, keys):
        figures: dict[str, list[Figures]] = defaultdict(list)
        took_ms: list[float] = []
        for conversation in conversations:
            progress(f"locomo, {name}: {conversation.name}")
            for probe in conversation.probes:
                began = time.perf_counter()
                found = await _ask(runtime, conversation, probe)
                took_ms.append(1000 * (time.perf_counter() - began))
                figures[probe.category].append(_figures([(keys[one[0]], one[1]) for one in found], probe))
    every = [each for some in figures.values() for each in some]
    lines = [_line("all", every), *(_line(each, figures[each]) for each in CATEGORIES.values() if figures[each])]
    return Table(f"{name}: % of the evidence, {median(took_ms):.1f} ms a search (median)", lines)


@asynccontextmanager
async def _memory(
    conversations: Sequence[Conversation], encoder: Encoder | None
) -> AsyncIterator[tuple[MemoryRuntime, dict[str, str]]]:
    """All conversations in one store, each of them a user's; with the evidence's key of each stored message."""
    with TemporaryDirectory() as folder:
        runtime = await MemoryRuntime.open(f"sqlite:///{Path(folder) / 'memory.db'}", encoder=encoder)
        try:
            keys: dict[str, str] = {}
            for conversation in conversations:
                progress(f"locomo: storing {conversation.name}")
                keys |= await _store(runtime, conversation)
            if encoder is not None:
                await runtime.wait_until_encoded()
            yield runtime, keys
        finally:
            await runtime.close()


async def _store(runtime: MemoryRuntime, conversation: Conversation) -> dict[str, str]:
    user = await runtime.create_user(conversation.name)
    namespace = Namespace("default", "default", user.user_id)
    keys: dict[str, str] = {}
    for session, of_session in groupby(conversation.said, lambda said: said.session):
        said = list(of_session)
        for start in range(0, len(said), TURN_MESSAGES):
            part = said[start : start + TURN_MESSAGES]
            messages = [NewMessage("user", one.speaker, one.at_ms, one.text) for one in part]
            added = await runtime.add(namespace, f"chat:{session}", messages)
            keys |= dict(zip(added.message_ids, (one.key for one in part), strict=True))
        await runtime.flush(namespace, f"chat:{session}")
    return keys


async def _ask(runtime: MemoryRuntime, conversation: Conversation, probe: Probe) -> list[tuple[str, str]]:
    """Ids and texts, best first."""
    question = Question(probe.text, "chat:elsewhere", ("all_user_memory",), RESULTS)
    found = await runtime.search(Namespace("default", "default", conversation.name), question)
    return [(one.id, one.text) for one in found if "source" not in one.why]


def _figures(found: Sequence[tuple[str, str]], probe: Probe) -> Figures:
    """Recall at ranks, nDCG at 10, recall within budgets of tokens."""
    ranks = [rank for rank, (key, _) in enumerate(found) if key in probe.evidence]
    wanted = len(probe.evidence)
    ideal = sum(1 / math.log2(rank + 2) for rank in range(min(wanted, 10)))
    return [
        *(sum(rank < depth for rank in ranks) / wanted for depth in (5, 10, 20)),
        sum(1 / math.log2(rank + 2) for rank in ranks if rank < 10) / ideal,
        *(_within(found, probe, budget) for budget in BUDGETS),
    ]


def _within(found: Sequence[tuple[str, str]], probe: Probe, budget: int) -> float:
    """What does not fit is skipped; the first always comes in."""
    used, held = 0.0, 0
    for number, (key, text) in enumerate(found):
        tokens = len(text) / CHARACTERS_PER_TOKEN
        if number == 0 or used + tokens <= budget:
            used += tokens
            held += key in probe.evidence
    return held / len(probe.evidence)


def _line(name: str, figures: Sequence[Figures]) -> dict[str, Any]:
    means = (mean(column) for column in zip(*figures, strict=True))
    columns = {column: round(100 * each, 1) for column, each in zip(COLUMNS, means, strict=True)}
    return {"questions": f"{name} ({len(figures)})", **columns}
