"""Encoders of services over HTTP: OpenAI and what speaks its language, Voyage, Cohere. Whole-text vectors only."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeVar

import httpx
import numpy as np
from pydantic import SecretStr
from tenacity import AsyncRetrying, retry_if_exception, stop_after_attempt, wait_random

from beaver.config.embedding import EmbeddingSettings
from beaver.errors import ConfigError, DeadlineExceeded, PeerFault, Unavailable
from beaver.memory.inference.endpoint import JsonEndpoint, Refused
from beaver.memory.inference.pausing import Pause
from beaver.memory.inference.port import AskedToWait, Encoded, Vectors
from beaver.memory.inference.service_dialects import COHERE, OPENAI, OPENAI_COMPATIBLE, VOYAGE, Dialect, Purpose

TEXTS_MAX: Final = 64
"""Of one call; every service takes as many."""
TEXT_LENGTH_MAX: Final = 8_000
"""Characters of one text: what is longer is told by its beginning. Services take 8,192 tokens or more, of which a character is
at most about one."""
TEXT_LENGTH_LAST: Final = 400
"""A text that a service refuses is tried at half its length down to this: servers of one's own may take 512 tokens only."""
ANSWER_BYTES_MAX: Final = 32 * 1024 * 1024
ATTEMPTS_MAX: Final = 2

T = TypeVar("T")


class ServiceEncoder:
    """Asks a service for vectors; a connection that breaks, or a fault of the service, is tried once more, and then left alone
    for a while. A text that is too long for it counts by its beginning.

    A call changes nothing there, so that repeating it is safe. The answers' vectors are made of length 1.
    """

    def __init__(
        self,
        dialect: Dialect,
        model: str,
        dimensions: int,
        *,
        base_url: str,
        api_key: SecretStr | None,
        name: str,
        timeout_s: float = 30,
        question_timeout_s: float = 2,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        """`name` is the service's, for errors and for the name under which vectors are stored."""
        self.model = f"{name}/{model}/{dimensions}"
        self.dimensions = dimensions
        self._dialect = dialect
        self._model = model
        self._timeouts: Mapping[Purpose, float] = {"passage": timeout_s, "question": question_timeout_s}
        self._pauses: Mapping[Purpose, Pause] = {
            "passage": Pause(f"the encoder {name}"),
            "question": Pause(f"the encoder {name}"),
        }
        self._endpoint = JsonEndpoint(
            base_url + dialect.path,
            {} if api_key is None else {"Authorization": f"Bearer {api_key.get_secret_value()}"},
            what=f"the encoder {name}",
            answer_bytes_max=ANSWER_BYTES_MAX,
            transport=transport,
        )

    async def encode_passages(self, texts: Sequence[str]) -> list[Encoded]:
        """In calls of at most 64 texts, one after the other."""
        calls = [texts[start : start + TEXTS_MAX] for start in range(0, len(texts), TEXTS_MAX)]
        return [encoded for some in calls for encoded in await self._fitted("passage", some)]

    async def encode_question(self, text: str) -> Encoded:
        """With the service's own mark of a question, where it has one."""
        (encoded,) = await self._fitted("question", [text])
        return encoded

    async def close(self) -> None:
        """Nothing: no connection outlives its call."""

    async def _fitted(self, purpose: Purpose, texts: Sequence[str]) -> list[Encoded]:
        """As much of the texts as is taken. Of several texts nobody knows which is too long: these are to come one by one."""
        length = min(TEXT_LENGTH_MAX, max(map(len, texts)))
        while True:
            try:
                return await self._asked(purpose, [text[:length] for text in texts])
            except Refused:
                if len(texts) > 1 or length <= TEXT_LENGTH_LAST:
                    raise
                length = max(length // 2, TEXT_LENGTH_LAST)

    async def _asked(self, purpose: Purpose, texts: Sequence[str]) -> list[Encoded]:
        """A service that says for how long it is not to be asked says so for questions and passages."""
        with self._pauses[purpose].around_call():
            try:
                return await self._encoded(purpose, texts)
            except AskedToWait as fault:
                for pause in self._pauses.values():
                    pause.failed(fault)
                raise

    async def _encoded(self, purpose: Purpose, texts: Sequence[str]) -> list[Encoded]:
        body = self._dialect.body(self._model, self.dimensions, purpose, texts)
        async for attempt in AsyncRetrying(
            retry=retry_if_exception(_may_pass),
            stop=stop_after_attempt(ATTEMPTS_MAX),
            wait=wait_random(0.05, 0.25),
            reraise=True,
        ):
            with attempt:
                answered = await self._endpoint.ask(body, self._dialect.vectors, self._timeouts[purpose])
        return [Encoded(vector) for vector in await asyncio.to_thread(self._checked, answered, len(texts))]

    def _checked(self, answered: list[Any], texts: int) -> Vectors:
        """(texts, dimensions), each of length 1."""
        if len(answered) != texts:
            raise PeerFault(f"the encoder {self.model} gave {len(answered)} vectors for {texts} texts")
        for one in answered:
            if not isinstance(one, list) or len(one) != self.dimensions:
                given = len(one) if isinstance(one, list) else 0
                raise PeerFault(
                    f"the encoder {self.model} gave {given} dimensions: set gatewayServer.embedding.dimensions"
                )
        vectors = _numbers(answered)
        lengths = None if vectors is None else np.linalg.norm(vectors, axis=1, keepdims=True)
        if vectors is None or lengths is None or not np.isfinite(lengths).all() or not lengths.all():
            raise PeerFault(f"the encoder {self.model} gave an empty vector")
        normalised: Vectors = (vectors / lengths).astype(np.float32)
        return normalised


def _numbers(answered: list[Any]) -> np.ndarray[Any, np.dtype[np.float64]] | None:
    """None where something else is among them."""
    try:
        return np.array(answered, np.float64)
    except (ValueError, TypeError):
        return None


def _may_pass(error: BaseException) -> bool:
    return isinstance(error, Unavailable) and not isinstance(error, DeadlineExceeded | AskedToWait)


_SERVICES: Final[Mapping[str, tuple[Dialect, str | None]]] = {
    "openai": (OPENAI, "https://api.openai.com/v1"),
    "voyage": (VOYAGE, "https://api.voyageai.com/v1"),
    "cohere": (COHERE, "https://api.cohere.com/v2"),
    "openai-compatible": (OPENAI_COMPATIBLE, None),
}


def service_encoder(settings: EmbeddingSettings) -> ServiceEncoder:
    """The encoder of the service that the settings name."""
    dialect, base_url = _SERVICES[settings.provider]
    return ServiceEncoder(
        dialect,
        _required(settings.model, "model"),
        _required(settings.dimensions, "dimensions"),
        base_url=_required(settings.base_url or base_url, "baseUrl"),
        api_key=settings.api_key,
        name=settings.provider,
        timeout_s=settings.timeout_seconds,
        question_timeout_s=settings.question_timeout_seconds,
    )


def _required(value: T | None, field: str) -> T:
    """The section is not valid without it, where it comes from a file."""
    if value is None:
        raise ConfigError(f"gatewayServer.embedding.{field}", "is required")
    return value
