"""What the engine asks of a model: vectors for texts, JSON for a prompt. Adapters are beside this file."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from beaver.errors import Unavailable

Vectors = NDArray[np.float32]


@dataclass(frozen=True)
class Encoded:
    """A text as vectors of length 1: `vector` (dimensions,) for all of it; `pieces` (n, dimensions), one a word piece, and
    their numbers in the model's vocabulary `piece_ids` (n,) int32, where the model has them, else None.

    Of a passage only the pieces that carry meaning are kept; of a question all but the model's own marks and what it does not
    know, and `content` (n,) bool says which of these carry meaning.
    """

    vector: Vectors
    pieces: Vectors | None = None
    piece_ids: NDArray[np.int32] | None = None
    content: NDArray[np.bool_] | None = None


class AskedToWait(Unavailable):
    """A service that cannot serve now and is not to be asked before so many seconds."""

    def __init__(self, text: str, retry_after_s: float) -> None:
        super().__init__(text)
        self.retry_after_s = retry_after_s


class Encoder(Protocol):
    """Turns text into vectors. May take long and runs off the event loop; safe to call from several tasks.

    Raises Unavailable when it cannot encode now (AskedToWait: nor in the next seconds), PeerFault when a service answers
    nonsense; never says what the text was.
    """

    @property
    def model(self) -> str:
        """The name under which vectors are stored; another name means that they cannot be compared."""

    @property
    def dimensions(self) -> int:
        """The length of a vector."""

    async def encode_passages(self, texts: Sequence[str]) -> list[Encoded]:
        """One for each text, in order."""

    async def encode_question(self, text: str) -> Encoded:
        """A question, as this model wants questions."""

    async def close(self) -> None:
        """Give back what it holds. Can be repeated; nothing is encoded afterwards."""


Serving = Callable[[], Encoder | None]
"""Whose vectors a question is to be compared with now; None: nobody's. It changes while vectors migrate: ask every time."""


def no_encoder() -> Encoder | None:
    """Words alone serve."""
    return None


class LanguageModel(Protocol):
    """Answers a prompt with text. Raises Unavailable (DeadlineExceeded when it takes longer than `timeout_s`) or PeerFault."""

    async def complete(self, system: str, prompt: str, *, timeout_s: float) -> str:
        """The model's whole answer."""
