"""Encoders of services: how each is asked, what is made of bad answers, and what never shows."""

from __future__ import annotations

import base64
import json
import traceback
from collections.abc import AsyncIterator
from typing import Any

import numpy as np
import pytest
from pydantic import SecretStr

from beaver.errors import BeaverError, DeadlineExceeded, PeerFault, Unavailable
from beaver.memory.inference.port import AskedToWait
from tests.support.encoder_service import KEY, SERVICES, answering, encoder_at, path_of, shaped, texts_asked, vectors_of
from tests.support.encoders import DIMENSIONS
from tests.support.gateway_stub import Exchange, GatewayStub, hang, ok, raw, reset, running_gateway_stub, status
from tests.support.ports import free_ports

SAID = "the gate code is 4711"
ODD = b'{"data": ["x"], "embeddings": ["x"]}'
FOREIGN_KEY = "schlüssel-🔑"


@pytest.fixture
async def stub() -> AsyncIterator[GatewayStub]:
    async with running_gateway_stub() as running:
        for provider in SERVICES:
            running.always(path_of(provider), answering(provider))
        yield running


@pytest.fixture(params=SERVICES)
def provider(request: pytest.FixtureRequest, stub: GatewayStub) -> str:
    name = str(request.param)
    stub.always(path_of(name), answering(name))
    return name


@pytest.mark.parametrize(
    ("provider", "passage", "question"),
    [
        (
            "voyage",
            {"model": "a-model", "input": [SAID], "input_type": "document", "output_dimension": DIMENSIONS},
            {"model": "a-model", "input": ["when?"], "input_type": "query", "output_dimension": DIMENSIONS},
        ),
        (
            "cohere",
            {
                "model": "a-model",
                "texts": [SAID],
                "input_type": "search_document",
                "embedding_types": ["float"],
                "output_dimension": DIMENSIONS,
            },
            {
                "model": "a-model",
                "texts": ["when?"],
                "input_type": "search_query",
                "embedding_types": ["float"],
                "output_dimension": DIMENSIONS,
            },
        ),
        (
            "openai",
            {"model": "a-model", "input": [SAID], "encoding_format": "float"},
            {"model": "a-model", "input": ["when?"], "encoding_format": "float"},
        ),
        ("openai-compatible", {"model": "a-model", "input": [SAID]}, {"model": "a-model", "input": ["when?"]}),
    ],
)
async def test_each_service_is_asked_in_its_own_words(
    stub: GatewayStub, provider: str, passage: dict[str, Any], question: dict[str, Any]
) -> None:
    stub.always(path_of(provider), answering(provider))
    encoder = encoder_at(stub, provider)
    await encoder.encode_passages([SAID])
    await encoder.encode_question("when?")
    assert stub.bodies(path_of(provider)) == [passage, question]
    assert {request.headers["authorization"] for request in stub.requests} == {f"Bearer {KEY}"}


async def test_openais_newer_models_are_told_the_dimensions(stub: GatewayStub) -> None:
    await encoder_at(stub, "openai", model="text-embedding-3-small").encode_question("when?")
    assert stub.bodies("/v1/embeddings")[0]["dimensions"] == DIMENSIONS


async def test_a_compatible_server_may_need_no_key(stub: GatewayStub) -> None:
    await encoder_at(stub, "openai-compatible", api_key=None).encode_question("when?")
    assert "authorization" not in stub.requests[0].headers


async def test_many_texts_go_in_several_calls_and_come_back_in_order(stub: GatewayStub, provider: str) -> None:
    texts = [f"note {number}" for number in range(150)]
    encoder = encoder_at(stub, provider)
    encoded = await encoder.encode_passages(texts)
    assert [len(texts_asked(body)) for body in stub.bodies(path_of(provider))] == [64, 64, 22]
    (last,) = await encoder.encode_passages(["note 149"])
    assert encoded[149].vector.tolist() == pytest.approx(last.vector.tolist())


async def test_vectors_of_another_model_or_length_have_another_name(stub: GatewayStub) -> None:
    names = {
        encoder_at(stub, "openai", model=model, dimensions=dimensions).model
        for model in ("one", "other")
        for dimensions in (64, 128)
    }
    assert len(names) == 4


@pytest.mark.parametrize("fault", [status(500), status(503), status(429), reset()])
async def test_a_passing_fault_is_tried_once_more(stub: GatewayStub, provider: str, fault: Any) -> None:
    stub.script(path_of(provider), fault)
    assert len(await encoder_at(stub, provider).encode_passages([SAID])) == 1
    assert len(stub.requests) == 2


@pytest.mark.parametrize("fault", [status(500), status(429), status(401), status(403), reset()])
async def test_a_service_that_does_not_work_is_unavailable(stub: GatewayStub, provider: str, fault: Any) -> None:
    stub.always(path_of(provider), fault)
    with pytest.raises(Unavailable) as caught:
        await encoder_at(stub, provider).encode_passages([SAID])
    assert len(stub.requests) == 2
    assert_silent(caught.value)


async def test_nobody_listening_is_unavailable(stub: GatewayStub, provider: str) -> None:
    (port,) = free_ports(1)
    with pytest.raises(Unavailable) as caught:
        await encoder_at(stub, provider, base_url=f"http://127.0.0.1:{port}").encode_question(SAID)
    assert_silent(caught.value)


async def test_a_silent_service_is_waited_for_until_the_deadline_and_not_asked_again(
    stub: GatewayStub, provider: str
) -> None:
    stub.always(path_of(provider), hang())
    encoder = encoder_at(stub, provider, question_timeout_seconds=0.05, timeout_seconds=0.05)
    for asked in (encoder.encode_question(SAID), encoder.encode_passages([SAID])):
        with pytest.raises(DeadlineExceeded) as caught:
            await asked
        assert_silent(caught.value)
    assert len(stub.requests) <= 2


@pytest.mark.parametrize(
    "fault", [status(400), status(422), status(404), status(204), raw(b"\xff no JSON"), raw(b"[]"), raw(ODD)]
)
async def test_a_refusal_or_nonsense_is_a_fault_of_the_peer(stub: GatewayStub, provider: str, fault: Any) -> None:
    stub.always(path_of(provider), fault)
    with pytest.raises(PeerFault) as caught:
        await encoder_at(stub, provider).encode_passages([SAID])
    assert len(stub.requests) == 1
    assert_silent(caught.value)


@pytest.mark.parametrize(
    ("vectors", "said"),
    [
        ([[0.0] * DIMENSIONS], "empty vector"),
        ([[float("nan")] * DIMENSIONS], "empty vector"),
        ([["much"] * DIMENSIONS], "empty vector"),
        ([[None] * DIMENSIONS], "empty vector"),
        ([[]], "gave 0 dimensions: set gatewayServer.embedding.dimensions"),
        ([[0.5] * 3], "gave 3 dimensions: set gatewayServer.embedding.dimensions"),
        ([None], "gave 0 dimensions"),
        ([], "gave 0 vectors for 1 texts"),
        ([[0.5] * DIMENSIONS] * 2, "gave 2 vectors for 1 texts"),
    ],
)
async def test_20_empty_or_misshapen_vectors_are_refused(
    stub: GatewayStub, provider: str, vectors: list[Any], said: str
) -> None:
    stub.always(path_of(provider), ok(shaped(provider, vectors)))
    with pytest.raises(PeerFault, match=said) as caught:
        await encoder_at(stub, provider).encode_passages([SAID])
    assert_silent(caught.value)


async def test_a_redirect_is_not_followed(stub: GatewayStub, provider: str) -> None:
    stub.always(path_of(provider), status(307, headers={"location": f"{stub.url}/elsewhere"}))
    with pytest.raises(PeerFault):
        await encoder_at(stub, provider).encode_passages([SAID])
    assert {request.path for request in stub.requests} == {path_of(provider)}


async def test_a_key_beyond_ascii_shows_in_no_error(stub: GatewayStub, provider: str) -> None:
    stub.always(path_of(provider), status(401))
    with pytest.raises(Unavailable) as caught:
        await encoder_at(stub, provider, api_key=SecretStr(FOREIGN_KEY)).encode_question(SAID)
    assert FOREIGN_KEY not in told(caught.value)


def assert_silent(error: BeaverError) -> None:
    """Neither the key nor what was to be encoded, nor a library's error that may hold both, hangs on it."""
    text = told(error)
    assert KEY not in text
    assert SAID not in text
    assert error.__cause__ is None
    assert error.__context__ is None


def told(error: BaseException) -> str:
    """All that a log with a traceback and every frame's variables of our errors' own could tell."""
    return "".join(traceback.format_exception(error)) + json.dumps(vars(error), default=repr)


async def test_a_service_that_says_when_it_may_be_asked_again_is_left_alone_until_then(
    stub: GatewayStub, provider: str
) -> None:
    stub.script(path_of(provider), status(429, headers={"retry-after": "40"}))
    encoder = encoder_at(stub, provider)
    for asked in (encoder.encode_passages([SAID]), encoder.encode_question(SAID), encoder.encode_passages(["else"])):
        with pytest.raises(AskedToWait) as caught:
            await asked
        assert 0 < caught.value.retry_after_s <= 40
        assert_silent(caught.value)
    assert len(stub.requests) == 1


async def test_a_question_that_waited_in_vain_is_the_last_for_a_while_and_passages_go_on(
    stub: GatewayStub, provider: str
) -> None:
    stub.script(path_of(provider), hang())
    encoder = encoder_at(stub, provider, question_timeout_seconds=0.05)
    for _ in range(3):
        with pytest.raises(Unavailable):
            await encoder.encode_question(SAID)
    assert len(stub.requests) == 1
    assert len(await encoder.encode_passages([SAID])) == 1


async def test_a_text_that_is_too_long_for_the_service_counts_by_its_beginning(
    stub: GatewayStub, provider: str
) -> None:
    answer = answering(provider)

    async def of_a_few_words(exchange: Exchange) -> None:
        if any(len(text) > 1000 for text in texts_asked(exchange.request.body)):
            await status(413)(exchange)
        else:
            await answer(exchange)

    stub.always(path_of(provider), of_a_few_words)
    encoder = encoder_at(stub, provider)
    long = "word " * 20_000
    (passage,) = await encoder.encode_passages([long])
    question = await encoder.encode_question(long)
    assert passage.vector.tolist() == question.vector.tolist()
    lengths = [len(texts_asked(body)[0]) for body in stub.bodies(path_of(provider))]
    assert lengths == [8000, 4000, 2000, 1000] * 2
    with pytest.raises(PeerFault):
        await encoder.encode_passages([long, "short"])


async def test_a_service_that_refuses_everything_is_not_asked_for_ever_shorter_texts(
    stub: GatewayStub, provider: str
) -> None:
    stub.always(path_of(provider), status(400))
    with pytest.raises(PeerFault):
        await encoder_at(stub, provider).encode_question("word " * 20_000)
    assert len(stub.requests) == 6


@pytest.mark.parametrize("provider", ["openai", "voyage", "openai-compatible"])
async def test_vectors_in_base64_are_read(stub: GatewayStub, provider: str) -> None:
    vectors = await vectors_of(["one", "two"])
    packed = [base64.b64encode(np.array(vector, "<f4").tobytes()).decode() for vector in vectors]
    stub.always(path_of(provider), ok(shaped(provider, packed)))
    encoded = await encoder_at(stub, provider).encode_passages(["one", "two"])
    assert [one.vector.tolist() for one in encoded] == [pytest.approx(vector) for vector in vectors]


@pytest.mark.parametrize("places", [[0, 0], [1, 1], [0, None], [0, "x"]])
async def test_vectors_in_no_certain_order_are_refused(stub: GatewayStub, places: list[Any]) -> None:
    vectors = await vectors_of(["one", "two"])
    entries = [
        {"embedding": vector} if place is None else {"embedding": vector, "index": place}
        for vector, place in zip(vectors, places, strict=True)
    ]
    stub.always("/v1/embeddings", ok({"data": entries}))
    with pytest.raises(PeerFault):
        await encoder_at(stub, "openai").encode_passages(["one", "two"])


@pytest.mark.parametrize(
    ("provider", "model", "told"),
    [
        ("voyage", "voyage-4-large", True),
        ("voyage", "voyage-3.5-lite", True),
        ("voyage", "voyage-3-large", True),
        ("voyage", "voyage-code-3", True),
        ("voyage", "voyage-3", False),
        ("voyage", "voyage-3-lite", False),
        ("voyage", "voyage-law-2", False),
        ("voyage", "voyage-2", False),
        ("voyage", "voyage-large-2-instruct", False),
        ("cohere", "embed-v4.0", True),
        ("cohere", "embed-multilingual-v3.0", False),
        ("cohere", "embed-english-light-v3.0", False),
    ],
)
async def test_only_models_of_several_lengths_are_told_one(
    stub: GatewayStub, provider: str, model: str, told: bool
) -> None:
    await encoder_at(stub, provider, model=model).encode_question("when?")
    (body,) = stub.bodies(path_of(provider))
    assert ("output_dimension" in body) is told
