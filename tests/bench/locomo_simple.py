"""The simpler ways that a ranking is measured against: FTS5's BM25, the encoder's vectors alone, and plain sums of the two."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from beaver.memory.inference.port import Encoder
from beaver.memory.retrieval.words import index_text
from beaver.memory.stopwords import STOP_WORDS
from tests.bench.locomo_data import Conversation, Probe

NEIGHBOUR_SHARE: Final = 0.4
WAYS: Final = ("FTS5 BM25", "encoder alone", "plain fusion", "fusion and neighbours")

Scores = NDArray[np.float64]


class SimpleMemory:
    """One conversation, each message by itself."""

    def __init__(self, conversation: Conversation, encoder: Encoder, vectors: NDArray[np.float32]) -> None:
        self.conversation = conversation
        self._encoder = encoder
        self._vectors = vectors
        self._words = _indexed([f"{said.speaker} {said.text}" for said in conversation.said])

    @classmethod
    async def of(cls, conversation: Conversation, encoder: Encoder) -> SimpleMemory:
        """Encodes the conversation."""
        texts = [f"{said.speaker}: {said.text}" for said in conversation.said]
        return cls(conversation, encoder, np.array([one.vector for one in await encoder.encode_passages(texts)]))

    async def order(self, way: str, probe: Probe) -> Sequence[int]:
        """The messages that a way finds, best first."""
        words = _to_best(self._bm25(probe.text))
        meaning = _to_best(self._vectors @ (await self._encoder.encode_question(probe.text)).vector)
        fused = 0.5 * words + 0.5 * meaning
        scores = {
            "FTS5 BM25": words,
            "encoder alone": meaning,
            "plain fusion": fused,
            "fusion and neighbours": fused + NEIGHBOUR_SHARE * _best_neighbour(fused),
        }[way]
        return [int(at) for at in np.argsort(-scores, kind="stable") if scores[at] > 0]

    def _bm25(self, text: str) -> Scores:
        scores = np.zeros(len(self._vectors))
        terms = [f'"{word}"' for word in index_text(text).split() if word not in STOP_WORDS]
        if terms:
            asked = "SELECT rowid, -rank FROM said WHERE said MATCH ? ORDER BY rank"
            for row, score in self._words.execute(asked, (" OR ".join(terms),)):
                scores[row] = score
        return scores


def _indexed(texts: Sequence[str]) -> sqlite3.Connection:
    index = sqlite3.connect(":memory:")
    index.execute("CREATE VIRTUAL TABLE said USING fts5(text, tokenize='porter unicode61')")
    index.executemany("INSERT INTO said (rowid, text) VALUES (?, ?)", enumerate(map(index_text, texts)))
    return index


def _to_best(scores: NDArray[np.floating]) -> Scores:
    best = max(float(scores.max(initial=0.0)), 1e-9)
    return np.asarray(np.maximum(scores, 0.0) / best, np.float64)


def _best_neighbour(scores: Scores) -> Scores:
    before, after = np.roll(scores, 1), np.roll(scores, -1)
    before[0] = after[-1] = 0.0
    return np.maximum(before, after)
