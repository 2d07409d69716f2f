"""What the local store's encoder tells of a prompt's meaning."""

from __future__ import annotations

import pytest

from beaver.agent.policy.topic import cosine
from beaver.cli.local_memory.meaning import embed_with
from tests.support.encoders import TestedEncoder


async def test_texts_that_the_encoder_finds_alike_are_alike() -> None:
    embed = embed_with(TestedEncoder())
    assert embed is not None
    first, again, other = [await embed(text) for text in ("red lamp", "red lamp", "tall tower")]
    assert cosine(first, again) == pytest.approx(1)
    assert cosine(first, other) < 0.9


async def test_without_an_encoder_nothing_tells_it() -> None:
    assert embed_with(None) is None
