"""What the services of vectors answer, each in its own shape, on a stub's real sockets."""

from __future__ import annotations

import json
from typing import Any, Final

from pydantic import SecretStr

from beaver.config.embedding import EmbeddingSettings
from beaver.memory.inference.services import ServiceEncoder, service_encoder
from tests.support.encoders import DIMENSIONS, WordEncoder
from tests.support.gateway_stub import Behaviour, Exchange, GatewayStub

SERVICES: Final = ("openai", "voyage", "cohere", "openai-compatible")
KEY: Final = "ek-secret-key"
_WORDS: Final = WordEncoder()


def path_of(provider: str) -> str:
    return "/v1/embed" if provider == "cohere" else "/v1/embeddings"


def encoder_at(stub: GatewayStub, provider: str, **changes: Any) -> ServiceEncoder:
    """The provider's encoder with the stub for its service."""
    fields = {
        "provider": provider,
        "model": "a-model",
        "dimensions": DIMENSIONS,
        "base_url": f"{stub.url}/v1",
        "api_key": SecretStr(KEY),
        "timeout_seconds": 30,
        "question_timeout_seconds": 30,
    }
    return service_encoder(EmbeddingSettings(**{**fields, **changes}))


def texts_asked(body: dict[str, Any]) -> list[str]:
    return list(body["texts"] if "texts" in body else body["input"])


async def vectors_of(texts: list[str]) -> list[list[float]]:
    return [encoded.vector.tolist() for encoded in await _WORDS.encode_passages(texts)]


def shaped(provider: str, vectors: list[Any]) -> dict[str, Any]:
    """An answer in the provider's shape, the entries of a list in no order."""
    if provider == "cohere":
        return {"id": "x", "embeddings": {"float": vectors}, "meta": {"billed_units": {"input_tokens": 1}}}
    entries = [{"object": "embedding", "index": index, "embedding": vector} for index, vector in enumerate(vectors)]
    return {"object": "list", "data": entries[::-1], "model": "a-model", "usage": {"total_tokens": 1}}


def answering(provider: str) -> Behaviour:
    """As the service does: a vector for each text."""

    async def answer(exchange: Exchange) -> None:
        vectors = await vectors_of(texts_asked(exchange.request.body))
        await exchange.send(200, json.dumps(shaped(provider, vectors)).encode())

    return answer
