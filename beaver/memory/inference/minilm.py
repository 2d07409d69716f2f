"""all-MiniLM-L6-v2 with int8 weights, run in this process: 384 dimensions, with vectors of the single word pieces."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from beaver.errors import Unavailable
from beaver.memory.allocator import give_memory_back
from beaver.memory.inference.byte_products import SLOW_AND_EXACT, fast_ones_are_exact
from beaver.memory.inference.minilm_graph import INPUT, PIECES_MAX, one_text_graph
from beaver.memory.inference.onnx_sessions import open_session
from beaver.memory.inference.port import Encoded, Vectors
from beaver.memory.inference.wordpiece import MARKS, UNKNOWN, bert_vocabulary, piece_ids
from beaver.memory.stopwords import STOP_WORDS

MODEL: Final = "all-MiniLM-L6-v2-int8"
DIMENSIONS: Final = 384
TEXTS_AT_ONCE: Final = 4
"""Passages that are encoded in one go of a thread; whoever waits for the encoder to close waits for these."""


class MiniLm:
    """Reads the model from a file on first use. Passages are encoded four at a time; a question waits for no passage."""

    model = MODEL
    dimensions = DIMENSIONS

    def __init__(self, file: Path) -> None:
        self._file = file
        self._session: Any = None
        self._closed = False
        self._loading = threading.Lock()
        self._passages = asyncio.Lock()
        self._questions = asyncio.Lock()

    async def encode_passages(self, texts: Sequence[str]) -> list[Encoded]:
        """Whole-text vectors, and those of the pieces that carry meaning (all, where none does)."""
        encoded: list[Encoded] = []
        for start in range(0, len(texts), TEXTS_AT_ONCE):
            async with self._passages:
                encoded += await asyncio.to_thread(self._some, texts[start : start + TEXTS_AT_ONCE])
        return encoded

    async def encode_question(self, text: str) -> Encoded:
        """The whole text's vector, and those of all its pieces; `content` says which carry meaning."""
        async with self._questions:
            return await asyncio.to_thread(self._question, text)

    async def close(self) -> None:
        """Let go of the model."""
        self._closed = True
        self._session = None

    def _some(self, texts: Sequence[str]) -> list[Encoded]:
        return [_passage(self._states(ids), ids) for ids in map(_numbered, texts)]

    def _question(self, text: str) -> Encoded:
        ids = _numbered(text)
        return _of_question(self._states(ids), ids)

    def _states(self, ids: NDArray[np.int64]) -> Vectors:
        """The last layer's, (pieces, 384)."""
        (states,) = self._loaded().run(None, {INPUT: ids[None]})
        found: Vectors = states[0]
        return found

    def _loaded(self) -> Any:
        with self._loading:
            if self._closed:
                raise Unavailable("the local encoder is closed")
            if self._session is None:
                self._session = _load(self._file)
            return self._session


def _load(file: Path) -> Any:
    try:
        model = one_text_graph(file.read_bytes())
        session = open_session(model, () if fast_ones_are_exact() else (SLOW_AND_EXACT,))
    except Exception as error:  # the library's errors have no narrower root
        raise Unavailable(f"the local encoder's model cannot be loaded ({type(error).__name__})") from error
    del model
    # It keeps the bytes, 23 MB, to try other providers with, of which there are none.
    session._model_bytes = None
    give_memory_back()  # loading leaves 80 MB
    return session


def _numbered(text: str) -> NDArray[np.int64]:
    """The text's pieces; of a longer one than the model reads the first."""
    return np.array(piece_ids(text, bert_vocabulary(), pieces_max=PIECES_MAX), np.int64)


def _passage(states: Vectors, ids: NDArray[np.int64]) -> Encoded:
    inner = slice(1, -1) if len(ids) > 2 else slice(None)
    pieces, numbers = _normalised(states[inner]), ids[inner].astype(np.int32)
    content = _content()[numbers]
    kept = content if content.any() else np.ones_like(content)
    return Encoded(_normalised(states.mean(axis=0)), pieces[kept], numbers[kept])


def _of_question(states: Vectors, ids: NDArray[np.int64]) -> Encoded:
    """A piece that is unknown is left out: it would be met by whatever else is unknown."""
    inner = ids[1:-1].astype(np.int32)
    known = inner != bert_vocabulary()[UNKNOWN]
    numbers = inner[known]
    return Encoded(_normalised(states.mean(axis=0)), _normalised(states[1:-1][known]), numbers, _content()[numbers])


def _normalised(vectors: Vectors) -> Vectors:
    """Each of length 1."""
    normalised: Vectors = vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)
    return normalised


@lru_cache(maxsize=1)
def _content() -> NDArray[np.bool_]:
    """Of each piece of the vocabulary, whether it carries meaning: no mark, no sign, no stop word."""
    return np.array([_carries_meaning(piece) for piece in bert_vocabulary()])


def _carries_meaning(piece: str) -> bool:
    return piece not in STOP_WORDS and piece not in MARKS and any(map(str.isalnum, piece))
