"""Capture as a flush uses it: by a language model where there is one, by rules and an encoder where there is none or it fails."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from beaver.errors import PeerFault, Unavailable
from beaver.logs import get_logger
from beaver.memory.capture.learned.weights import weights_of
from beaver.memory.capture.model import capture_by_model, prompt_batches
from beaver.memory.capture.records import Candidate
from beaver.memory.capture.rules import Left, certain_enough, of_left, read
from beaver.memory.inference.port import Encoded, Encoder, LanguageModel
from beaver.memory.observations.records import NewObservation
from beaver.memory.transcripts.said import SaidMessage

MODEL_TIMEOUT_S: Final = 30.0
SENTENCES_ENCODED_MAX: Final = 512
"""Of those that rules leave at one time, the first so many are encoded, in 1.5 s: more is an import, not talk."""


@dataclass(frozen=True)
class Captured:
    """What was found, and whether a model that should have looked could not, so that rules did."""

    observations: list[NewObservation]
    fell_back: bool = False


class Capture:
    """Finds what is worth remembering. Touches no database."""

    def __init__(
        self,
        model: LanguageModel | None = None,
        *,
        encoder: Encoder | None = None,
        model_timeout_s: float = MODEL_TIMEOUT_S,
    ) -> None:
        """`model_timeout_s` bounds one call of the model. The encoder finds more than rules do, where its vectors are those that
        the weights were fitted on."""
        self._model = model
        self._encoder = encoder
        self._model_timeout_s = model_timeout_s

    async def capture(self, messages: Sequence[SaidMessage], user_id: str) -> Captured:
        """What the messages of one session hold that may be remembered, in order. No fault of the model comes out of here."""
        if self._model is None:
            return Captured(await self._by_rules(messages, user_id))
        found: list[NewObservation] = []
        fell_back = False
        for batch in prompt_batches(messages):
            try:
                found += await capture_by_model(self._model, batch, timeout_s=self._model_timeout_s)
            except (Unavailable, PeerFault) as fault:
                get_logger().warning("capture.model_failed", reason=fault.code, messages=len(batch))
                fell_back = True
                found += await self._by_rules(batch, user_id)
        return Captured(found, fell_back)

    async def _by_rules(self, messages: Sequence[SaidMessage], user_id: str) -> list[NewObservation]:
        """Off the event loop: many long messages take their time."""
        reading = await asyncio.to_thread(read, messages, user_id)
        order = {message.message_id: number for number, message in enumerate(messages)}
        found = certain_enough([*reading.candidates, *await self._by_meaning(reading.left, user_id)])
        return sorted(found, key=lambda one: order[one.evidence[0].message_id])

    async def _by_meaning(self, left: Sequence[Left], user_id: str) -> list[Candidate]:
        """Of what rules left. A fault of the encoder costs these and no more: what rules found stays the same."""
        encoder = self._encoder
        if encoder is None:
            return []
        told = [one for one in left if weights_of(one.language.name).model == encoder.model][:SENTENCES_ENCODED_MAX]
        if not told:
            return []
        try:
            encoded = await encoder.encode_passages([one.sentence.text for one in told])
        except (Unavailable, PeerFault) as fault:
            get_logger().warning("capture.encoder_failed", reason=fault.code, sentences=len(told))
            return []
        return await asyncio.to_thread(_judged, told, encoded, user_id)


def _judged(told: Sequence[Left], encoded: Sequence[Encoded], user_id: str) -> list[Candidate]:
    judged = (of_left(one, user_id, each.vector.tolist()) for one, each in zip(told, encoded, strict=True))
    return [candidate for candidate in judged if candidate is not None]
