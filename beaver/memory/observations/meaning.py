"""How near observations are in meaning: cosines of their stored vectors with a question's. Without an encoder there are none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from beaver.errors import PeerFault, Unavailable
from beaver.logs import get_logger
from beaver.memory.embedding.packing import unpack_vectors
from beaver.memory.inference.port import Encoder, Vectors

SCANNED_MAX: Final = 5_000
"""Of more wanted observations than this only the last updated are compared by meaning."""


@dataclass(frozen=True)
class Meaning:
    """A text's vector, of a model."""

    model: str
    vector: Vectors


async def meaning_of(encoder: Encoder | None, text: str) -> Meaning | None:
    """None without an encoder, or when it cannot encode now: then words alone decide. Never inside a transaction."""
    if encoder is None or not text.strip():
        return None
    try:
        encoded = await encoder.encode_question(text)
    except (Unavailable, PeerFault) as fault:
        get_logger().warning("observations.meaning_failed", reason=fault.code)
        return None
    return Meaning(encoder.model, encoded.vector)


def cosines(meaning: Meaning, stored: Sequence[tuple[str, bytes]]) -> Mapping[str, float]:
    """By id, clamped to [0, 1]."""
    if not stored:
        return {}
    vectors = unpack_vectors([packed for _, packed in stored])
    lengths = np.maximum(np.linalg.norm(vectors, axis=1), 1e-9)
    near = np.clip(vectors @ meaning.vector / lengths, 0.0, 1.0)
    return {observation_id: float(one) for (observation_id, _), one in zip(stored, near, strict=True)}
