"""Beaver's engine beside other memory systems that run without a model, all with the same vectors, which none has to compute.

The others are not among our dependencies: `uv run --with mem0ai --with faiss-cpu --with langgraph-checkpoint-sqlite
--with pysqlite3-binary python -m tests.bench memory-peers --data PATH`. One that is not installed is left out.
"""

from __future__ import annotations

import os
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from statistics import mean
from tempfile import TemporaryDirectory
from typing import Any, Final, Protocol

from beaver.memory.inference.local import open_local_encoder
from beaver.memory.inference.port import Encoded, Encoder
from beaver.memory.namespace import Namespace
from beaver.memory.records import NewMessage, Question
from beaver.memory.runtime import MemoryRuntime
from tests.bench.figures import Table, percentiles_ms, progress
from tests.bench.locomo_data import Conversation, Said, read_conversations
from tests.bench.options import Options

ABOUT = "beside mem0 and LangGraph's SqliteStore on LoCoMo's messages from --data: adds, searches, evidence found"
RESULTS: Final = 20
DEPTHS: Final = (5, 10, 20)


class Peer(Protocol):
    """A memory that is asked for what it was told."""

    async def add(self, user: str, said: Said) -> None:
        """Store one message."""

    async def search(self, user: str, question: str) -> list[str]:
        """The keys of the messages that it finds, best first, at most 20."""

    async def close(self) -> None:
        """Let go of everything."""


class KnownEncoder:
    """Vectors that were computed before: what is measured is the memory. What else a memory makes of it, it encodes itself."""

    def __init__(self, inner: Encoder) -> None:
        self._inner = inner
        self.model = inner.model
        self.dimensions = inner.dimensions
        self.passages: dict[str, Encoded] = {}
        self.questions: dict[str, Encoded] = {}

    async def encode_passages(self, texts: Sequence[str]) -> list[Encoded]:
        """As they were."""
        known = [self.passages.get(text) for text in texts]
        new = iter(await self._inner.encode_passages([text for text in texts if text not in self.passages]))
        return [one or next(new) for one in known]

    async def encode_question(self, text: str) -> Encoded:
        """As it was."""
        return self.questions.get(text) or await self._inner.encode_question(text)

    async def close(self) -> None:
        """It serves all of them in turn."""

    def vectors(self, texts: Sequence[str]) -> list[list[float]]:
        """For those who ask for vectors alone."""
        return [list(map(float, (self.passages.get(text) or self.questions[text]).vector)) for text in texts]


async def measure(options: Options) -> list[Table]:
    """One line a memory."""
    assert options.data is not None
    conversations = read_conversations(options.data)
    encoder = await _known(conversations)
    lines = [await _measured(name, opened, conversations, encoder) for name, opened in _openers().items()]
    return [Table("The same messages and questions, vectors given", lines)]


async def _known(conversations: Sequence[Conversation]) -> KnownEncoder:
    local = open_local_encoder()
    known = KnownEncoder(local)
    for conversation in conversations:
        progress(f"memory-peers: encoding {conversation.name}")
        texts = [text for said in conversation.said for text in (said.text, f"{said.speaker}: {said.text}")]
        known.passages |= dict(zip(texts, await local.encode_passages(texts), strict=True))
        for probe in conversation.probes:
            known.questions[probe.text] = await local.encode_question(probe.text)
    return known


async def _measured(
    name: str,
    opened: Callable[[Path, KnownEncoder], Awaitable[Peer]],
    conversations: Sequence[Conversation],
    encoder: KnownEncoder,
) -> Mapping[str, Any]:
    with TemporaryDirectory() as folder:
        peer = await opened(Path(folder), encoder)
        try:
            progress(f"memory-peers: {name} adds")
            began = time.perf_counter()
            for conversation in conversations:
                for said in conversation.said:
                    await peer.add(conversation.name, said)
            added_s = time.perf_counter() - began
            progress(f"memory-peers: {name} searches")
            took_s, recalls = await _asked(peer, conversations)
        finally:
            await peer.close()
    p50, p99 = percentiles_ms(took_s)
    messages = sum(len(conversation.said) for conversation in conversations)
    found = {f"R@{depth}": round(100 * mean(recalls[depth]), 1) for depth in DEPTHS}
    return {
        "memory": name,
        "adds/s": round(messages / added_s),
        "p50 ms": round(p50, 1),
        "p99 ms": round(p99, 1),
        **found,
    }


async def _asked(peer: Peer, conversations: Sequence[Conversation]) -> tuple[list[float], dict[int, list[float]]]:
    took_s: list[float] = []
    recalls: dict[int, list[float]] = {depth: [] for depth in DEPTHS}
    for conversation in conversations:
        for probe in conversation.probes:
            began = time.perf_counter()
            keys = await peer.search(conversation.name, probe.text)
            took_s.append(time.perf_counter() - began)
            for depth in DEPTHS:
                recalls[depth].append(len(probe.evidence & set(keys[:depth])) / len(probe.evidence))
    return took_s, recalls


class Beaver:
    """Ours: one add a message over the engine's door; every session flushed before the first question."""

    def __init__(self, runtime: MemoryRuntime) -> None:
        self._runtime = runtime
        self._keys: dict[str, str] = {}
        self._sessions: dict[tuple[str, str], None] = {}

    @classmethod
    async def open(cls, folder: Path, encoder: KnownEncoder) -> Beaver:
        return cls(await MemoryRuntime.open(f"sqlite:///{folder / 'memory.db'}", encoder=encoder))

    async def add(self, user: str, said: Said) -> None:
        if all(user != known for known, _ in self._sessions):
            await self._runtime.create_user(user)
        message = NewMessage("user", said.speaker, said.at_ms, said.text)
        self._sessions[user, f"chat:{said.session}"] = None
        added = await self._runtime.add(Namespace("default", "default", user), f"chat:{said.session}", [message])
        self._keys[added.message_ids[0]] = said.key

    async def search(self, user: str, question: str) -> list[str]:
        if self._sessions:
            await self._settled()
        asked = Question(question, "chat:elsewhere", ("all_user_memory",), RESULTS)
        found = await self._runtime.search(Namespace("default", "default", user), asked)
        return [self._keys.get(one.id, "") for one in found]

    async def _settled(self) -> None:
        for user, session in self._sessions:
            await self._runtime.flush(Namespace("default", "default", user), session)
        await self._runtime.wait_until_encoded()
        self._sessions = {}

    async def close(self) -> None:
        await self._runtime.close()


class LangGraph:
    """LangGraph's SqliteStore, searched by vectors (sqlite-vec)."""

    def __init__(self, store: Any) -> None:
        self._store = store

    @classmethod
    async def open(cls, folder: Path, encoder: KnownEncoder) -> LangGraph:
        # Many Pythons' own sqlite3 cannot load an extension.
        sqlite = import_module("pysqlite3" if find_spec("pysqlite3") else "sqlite3")
        connection = sqlite.connect(str(folder / "store.db"), check_same_thread=False, isolation_level=None)
        index = {"dims": encoder.dimensions, "embed": encoder.vectors, "fields": ["text"]}
        store = import_module("langgraph.store.sqlite").SqliteStore(connection, index=index)
        store.setup()
        return cls(store)

    async def add(self, user: str, said: Said) -> None:
        self._store.put((user,), said.key, {"text": said.text}, index=["text"])

    async def search(self, user: str, question: str) -> list[str]:
        return [item.key for item in self._store.search((user,), query=question, limit=RESULTS)]

    async def close(self) -> None:
        self._store.conn.close()


class Mem0:
    """mem0 without a model (`infer=False`), over FAISS."""

    def __init__(self, memory: Any) -> None:
        self._memory = memory

    @classmethod
    async def open(cls, folder: Path, encoder: KnownEncoder) -> Mem0:
        # It wants a key for what is never called, and a folder of its own.
        os.environ |= {"MEM0_TELEMETRY": "False", "MEM0_DIR": str(folder), "OPENAI_API_KEY": "unused"}
        faiss = {"collection_name": "peers", "path": str(folder / "faiss"), "distance_strategy": "cosine"}
        memory = import_module("mem0").Memory.from_config(
            {
                "vector_store": {"provider": "faiss", "config": {**faiss, "embedding_model_dims": encoder.dimensions}},
                "history_db_path": str(folder / "history.db"),
                "embedder": {"provider": "openai", "config": {"embedding_dims": encoder.dimensions}},
            }
        )
        memory.embedding_model = _Mem0Embedder(memory.embedding_model.config, encoder)
        return cls(memory)

    async def add(self, user: str, said: Said) -> None:
        message = {"role": "user", "content": said.text}
        self._memory.add([message], user_id=user, infer=False, metadata={"key": said.key})

    async def search(self, user: str, question: str) -> list[str]:
        found = self._memory.search(question, filters={"user_id": user}, top_k=RESULTS)
        return [one["metadata"]["key"] for one in found["results"]]

    async def close(self) -> None:
        """Its files go with their folder."""


class _Mem0Embedder:
    def __init__(self, config: Any, encoder: KnownEncoder) -> None:
        self.config = config
        self._encoder = encoder

    def embed(self, text: str, memory_action: str | None = None) -> list[float]:
        return self._encoder.vectors([text])[0]

    def embed_batch(self, texts: Sequence[str], memory_action: str | None = None) -> list[list[float]]:
        return self._encoder.vectors(texts)


def _openers() -> dict[str, Callable[[Path, KnownEncoder], Awaitable[Peer]]]:
    every: dict[str, tuple[str, Callable[[Path, KnownEncoder], Awaitable[Peer]]]] = {
        "Beaver": ("beaver", Beaver.open),
        "LangGraph SqliteStore": ("langgraph", LangGraph.open),
        "mem0 (FAISS)": ("mem0", Mem0.open),
    }
    return {name: opened for name, (module, opened) in every.items() if find_spec(module)}
