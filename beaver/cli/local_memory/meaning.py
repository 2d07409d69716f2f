"""What a text means, as the local store's encoder tells it; the same question of a search after it is remembered there."""

from __future__ import annotations

from beaver.agent.policy.local import Embed
from beaver.agent.policy.topic import Vector
from beaver.memory.inference.port import Encoder


def embed_with(encoder: Encoder | None) -> Embed | None:
    """For recall's topics; None without an encoder."""
    if encoder is None:
        return None

    async def embed(text: str) -> Vector:
        vector: list[float] = (await encoder.encode_question(text)).vector.tolist()
        return vector

    return embed
