"""What every encoder promises: the one for tests, the local one, and those of services."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import numpy as np
import pytest

from beaver.memory.inference.local import open_local_encoder
from beaver.memory.inference.port import Encoder
from beaver.memory.inference.remembering import RememberingEncoder
from tests.support.encoder_service import SERVICES, answering, encoder_at, path_of
from tests.support.encoders import TestedEncoder, WordEncoder
from tests.support.gateway_stub import running_gateway_stub


@pytest.fixture(params=["words", "tested", "remembering", "local", *SERVICES])
async def encoder(request: pytest.FixtureRequest) -> AsyncIterator[Encoder]:
    async with running_gateway_stub() as stub:
        match request.param:
            case "words":
                made: Encoder = WordEncoder()
            case "tested":
                made = TestedEncoder()
            case "remembering":
                made = RememberingEncoder(WordEncoder())
            case "local":
                made = open_local_encoder()
            case provider:
                stub.always(path_of(provider), answering(provider))
                made = encoder_at(stub, provider)
        yield made
        await made.close()


async def test_each_text_gets_a_vector_of_length_1_in_its_place(encoder: Encoder) -> None:
    texts = ["a red kite", "the tide tables of the harbour " * 5, "gate"]
    encoded = await encoder.encode_passages(texts)
    for text, one in zip(texts, encoded, strict=True):
        (alone,) = await encoder.encode_passages([text])
        assert one.vector.shape == (encoder.dimensions,)
        assert np.linalg.norm(one.vector) == pytest.approx(1, abs=1e-4)
        np.testing.assert_allclose(one.vector, alone.vector, atol=1e-3)


async def test_no_text_gives_no_vector(encoder: Encoder) -> None:
    assert await encoder.encode_passages([]) == []


async def test_a_question_points_where_its_answer_does(encoder: Encoder) -> None:
    question = await encoder.encode_question("when does the harbour ferry leave?")
    near, far = await encoder.encode_passages(["the harbour ferry does leave at nine", "my aunt knits socks"])
    assert near.vector @ question.vector > far.vector @ question.vector


@pytest.mark.parametrize(
    "text", [" ", "?!", "the of and", "猫が好き", "x" * 5000, "🐶" * 300, "\ufffd\u0000", "half a pair \ud800"]
)
async def test_any_text_can_be_encoded(encoder: Encoder, text: str) -> None:
    (passage,) = await encoder.encode_passages([text])
    question = await encoder.encode_question(text)
    assert np.isfinite(passage.vector).all()
    assert np.isfinite(question.vector).all()


async def test_pieces_are_of_length_1_and_numbered_and_a_question_says_which_carry_meaning(encoder: Encoder) -> None:
    (passage,) = await encoder.encode_passages(["the harbour ferry"])
    question = await encoder.encode_question("the harbour ferry")
    for one in (passage, question):
        if one.pieces is None:
            assert one.piece_ids is None
            continue
        assert one.piece_ids is not None
        assert one.pieces.shape == (len(one.piece_ids), encoder.dimensions)
        np.testing.assert_allclose(np.linalg.norm(one.pieces, axis=1), 1, atol=1e-4)
    assert passage.content is None
    if question.pieces is not None:
        assert question.content is not None
        assert question.content.shape == (len(question.pieces),)


async def test_several_tasks_may_ask_at_once(encoder: Encoder) -> None:
    alone = await encoder.encode_question("kite")
    passages = asyncio.create_task(encoder.encode_passages(["kite"] * 9))
    for answer in await asyncio.gather(*(encoder.encode_question("kite") for _ in range(5))):
        np.testing.assert_allclose(answer.vector, alone.vector, atol=1e-3)
    assert len(await passages) == 9


async def test_it_can_be_closed_again(encoder: Encoder) -> None:
    await encoder.encode_question("kite")
    await encoder.close()
    await encoder.close()
