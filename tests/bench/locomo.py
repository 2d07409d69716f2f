"""How much of LoCoMo's evidence a search brings back, through the engine's public door, beside simpler ways to find it."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import ExitStack, asynccontextmanager
from itertools import groupby
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Final
from unittest.mock import patch

from beaver.memory.inference.local import open_local_encoder
from beaver.memory.inference.port import Encoder
from beaver.memory.namespace import Namespace
from beaver.memory.records import Found, NewMessage, Question
from beaver.memory.retrieval.order import blend
from beaver.memory.runtime import MemoryRuntime
from tests.bench.figures import Table, progress
from tests.bench.locomo_data import Conversation, Probe, read_conversations
from tests.bench.locomo_scores import DEPTHS, LIMITS, Figures, Result, figures, line, lines
from tests.bench.locomo_simple import WAYS, SimpleMemory
from tests.bench.options import Options
from tests.bench.plot import Line, write_plot

ABOUT = "evidence recall on LoCoMo, read from --data, beside simpler ways; --ablate: without each ingredient"
TURN_MESSAGES: Final = 50
INGREDIENTS: Final[Mapping[str, tuple[str, ...]]] = {
    "word pieces": ("pieces", "pieces_raw", "pieces_window", "pieces_around", "pieces_content"),
    "whole vectors": ("cosine", "cosine_before", "cosine_after", "cosine_segment", "answers_cosine"),
    "BM25": ("words", "words_coverage", "words_window", "words_segment", "answers_words"),
    "neighbours and window": ("words_window", "pieces_window", "pieces_around", "cosine_before", "cosine_after"),
    "session": ("words_segment", "cosine_segment"),
    "speaker": ("speaker", "another_speaker"),
    "dates of the question": ("said_then", "said_soon_after", "said_about_then", "speaks_of_then"),
    "asked when": ("when_time", "when_no_time", "time"),
    "question and answer": ("answers_words", "answers_cosine", "asks", "after_question"),
    "form (length, names, numbers, opening)": ("length", "nouns", "number", "opening"),
}
"""What a blend is made of, for the ablation: without refitting the others."""

Measured = dict[str, list[Figures]]


async def measure(options: Options) -> list[Table]:
    """One table a way of finding; a line for all questions and one a category."""
    assert options.data is not None
    conversations = read_conversations(options.data)
    found: dict[str, Measured] = {}
    tables: list[Table] = []
    async with _memory(conversations, open_local_encoder()) as memory:
        tables.append(await memory.measured("words and vectors", found))
        ablation = await _ablated(memory, found) if options.ablate else None
    async with _memory(conversations, None) as memory:
        tables.append(await memory.measured("words alone", found))
    progress("locomo: encoding for the simpler ways")
    encoder = open_local_encoder()  # a runtime closes its own
    simple = [await SimpleMemory.of(conversation, encoder) for conversation in conversations]
    tables += [await _simply(way, simple, found) for way in WAYS]
    if options.plot:
        _draw(options.plot, found)
    return [*tables, *([ablation] if ablation else [])]


class _Memory:
    """All conversations in one store, each of them a user's; with the evidence's key of each stored message."""

    def __init__(self, runtime: MemoryRuntime, conversations: Sequence[Conversation], keys: Mapping[str, str]) -> None:
        self._runtime = runtime
        self._conversations = conversations
        self._keys = keys

    async def measured(self, name: str, found: dict[str, Measured]) -> Table:
        """Ask everything; `found` gets the figures."""
        took_ms: list[float] = []
        found[name] = defaultdict(list)
        for conversation in self._conversations:
            progress(f"locomo, {name}: {conversation.name}")
            for probe in conversation.probes:
                answers = {limit: await self._ask(conversation, probe, limit, took_ms) for limit in LIMITS}
                found[name][probe.category].append(figures(answers, probe))
        first_ms = median(took_ms[:: len(LIMITS)])
        title = f"{name}: % of the evidence, {first_ms:.1f} ms a search for {LIMITS[0]} (median)"
        return Table(title, lines(found[name]))

    async def _ask(self, conversation: Conversation, probe: Probe, limit: int, took_ms: list[float]) -> list[Result]:
        question = Question(probe.text, "chat:elsewhere", ("all_user_memory",), limit)
        namespace = Namespace("default", "default", conversation.name)
        began = time.perf_counter()
        found = await self._runtime.search(namespace, question)
        took_ms.append(1000 * (time.perf_counter() - began))
        return [self._result(one) for one in found]

    def _result(self, one: Found) -> Result:
        stands_for = (one.id, *one.why.get("also", ()))
        return Result(frozenset(self._keys[each] for each in stands_for if each in self._keys), len(one.text))


@asynccontextmanager
async def _memory(conversations: Sequence[Conversation], encoder: Encoder | None) -> AsyncIterator[_Memory]:
    with TemporaryDirectory() as folder:
        runtime = await MemoryRuntime.open(f"sqlite:///{Path(folder) / 'memory.db'}", encoder=encoder)
        try:
            keys: dict[str, str] = {}
            for conversation in conversations:
                progress(f"locomo: storing {conversation.name}")
                keys |= await _store(runtime, conversation)
            if encoder is not None:
                await runtime.wait_until_encoded()
            yield _Memory(runtime, conversations, keys)
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


async def _ablated(memory: _Memory, found: dict[str, Measured]) -> Table:
    """What is left without an ingredient, the weights of the others as they are."""
    every = {"everything": _all_of(found["words and vectors"])}
    for ingredient, features in INGREDIENTS.items():
        with ExitStack() as without:
            for weights in (blend.PIECES, blend.VECTORS):
                without.enter_context(patch.dict(weights, dict.fromkeys(features, 0.0)))
            ablated: dict[str, Measured] = {}
            await memory.measured(f"without {ingredient}", ablated)
        every[f"without {ingredient}"] = _all_of(ablated[f"without {ingredient}"])
    return Table("Without each ingredient, the others' weights as they are", [line(*each) for each in every.items()])


async def _simply(way: str, memories: Sequence[SimpleMemory], found: dict[str, Measured]) -> Table:
    progress(f"locomo, {way}")
    found[way] = defaultdict(list)
    for memory in memories:
        shown = [Result(frozenset({said.key}), len(said.text)) for said in memory.conversation.said]
        for probe in memory.conversation.probes:
            order = [shown[at] for at in (await memory.order(way, probe))[: LIMITS[-1]]]
            found[way][probe.category].append(figures({limit: order[:limit] for limit in LIMITS}, probe))
    return Table(f"{way}: % of the evidence", lines(found[way]))


def _draw(path: Path, found: Mapping[str, Measured]) -> None:
    drawn = [Line(name, _points(_all_of(measured))) for name, measured in found.items()]
    write_plot(path, "LoCoMo: evidence among the first results", "results", "% of the evidence", drawn)


def _points(every: Sequence[Figures]) -> list[tuple[float, float]]:
    return [(depth, line("", every)[f"R@{depth}"]) for depth in DEPTHS]


def _all_of(measured: Measured) -> list[Figures]:
    return [each for some in measured.values() for each in some]
