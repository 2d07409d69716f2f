"""Warming: the local encoder is asked before anybody asks, a service is not, and what fails there ends nothing."""

from __future__ import annotations

import asyncio

import pytest

from beaver.config.embedding import EncoderProvider
from beaver.errors import Unavailable
from beaver.gateway.warming import warmed
from beaver.memory.inference.port import Encoded
from tests.support.encoders import WordEncoder


class Asked(WordEncoder):
    def __init__(self, fault: Exception | None = None) -> None:
        super().__init__()
        self.questions = 0
        self.ended = asyncio.Event()
        self._fault = fault

    async def encode_question(self, text: str) -> Encoded:
        self.questions += 1
        try:
            await asyncio.sleep(0)
            if self._fault is not None:
                raise self._fault
            return await super().encode_question(text)
        finally:
            self.ended.set()


async def test_the_local_encoder_is_asked_beside_the_block() -> None:
    encoder = Asked()
    async with warmed(encoder, "local"):
        await encoder.ended.wait()
    assert encoder.questions == 1


@pytest.mark.parametrize("provider", ["openai", "voyage", "cohere", "openai-compatible", "none"])
async def test_a_service_is_not_asked(provider: EncoderProvider) -> None:
    encoder = Asked()
    async with warmed(encoder, provider):
        await asyncio.sleep(0)
    assert encoder.questions == 0


async def test_an_encoder_that_fails_and_none_end_nothing() -> None:
    encoder = Asked(Unavailable("the encoder is broken"))
    async with warmed(encoder, "local"), warmed(None, "local"):
        await encoder.ended.wait()
    assert encoder.questions == 1


async def test_a_block_that_ends_at_once_waits_for_no_answer() -> None:
    encoder = Asked()
    async with warmed(encoder, "local"):
        pass
    assert encoder.questions <= 1
