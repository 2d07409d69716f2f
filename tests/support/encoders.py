"""Encoders for tests: words into directions without a model, and one that a test can let wait, fail or refuse."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Sequence

import numpy as np

from beaver.errors import PeerFault, Unavailable
from beaver.memory.inference.port import Encoded, Vectors

DIMENSIONS = 64


class WordEncoder:
    """Every word has a direction of its own, a text is the sum of its words', and every word is a piece."""

    def __init__(self, model: str = "words", dimensions: int = DIMENSIONS) -> None:
        self.model = model
        self.dimensions = dimensions

    async def encode_passages(self, texts: Sequence[str]) -> list[Encoded]:
        return [self._encoded(text) for text in texts]

    async def encode_question(self, text: str) -> Encoded:
        encoded = self._encoded(text)
        assert encoded.pieces is not None
        return Encoded(encoded.vector, encoded.pieces, encoded.piece_ids, np.ones(len(encoded.pieces), np.bool_))

    async def close(self) -> None:
        return None

    def _encoded(self, text: str) -> Encoded:
        words = text.lower().split() or [""]
        pieces = np.stack([_direction(word, self.dimensions) for word in words])
        numbers = np.array([_number(word) for word in words], np.int32)
        whole = pieces.sum(axis=0)
        return Encoded(whole / np.linalg.norm(whole), pieces, numbers)


class TestedEncoder(WordEncoder):
    """Keeps what it was asked; `gate` closed: it waits; `broken`: Unavailable; a text with `poison` in it: PeerFault."""

    __test__ = False

    def __init__(self, model: str = "words", dimensions: int = DIMENSIONS) -> None:
        super().__init__(model, dimensions)
        self.asked: list[list[str]] = []
        self.gate = asyncio.Event()
        self.gate.set()
        self.broken = False
        self.poison: str | None = None
        self.closed = False

    async def encode_passages(self, texts: Sequence[str]) -> list[Encoded]:
        self.asked.append(list(texts))
        await self.gate.wait()
        if self.broken:
            raise Unavailable("the encoder is broken")
        if self.poison is not None and any(self.poison in text for text in texts):
            raise PeerFault("the encoder refuses a text")
        return await super().encode_passages(texts)

    async def close(self) -> None:
        self.closed = True


def _number(word: str) -> int:
    return int.from_bytes(hashlib.sha256(word.encode(errors="replace")).digest()[:2], "little")


def _direction(word: str, dimensions: int) -> Vectors:
    drawn = np.random.default_rng(_number(word)).standard_normal(dimensions).astype(np.float32)
    normalised: Vectors = drawn / np.linalg.norm(drawn)
    return normalised
