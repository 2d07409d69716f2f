"""Capture as a flush uses it: by the model where there is one, by the rules where there is none or it fails."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from beaver.errors import PeerFault, Unavailable
from beaver.logs import get_logger
from beaver.memory.capture.model import capture_by_model, prompt_batches
from beaver.memory.capture.rules import candidates, certain_enough
from beaver.memory.inference.port import LanguageModel
from beaver.memory.observations.records import NewObservation
from beaver.memory.transcripts.said import SaidMessage

MODEL_TIMEOUT_S: Final = 30.0


@dataclass(frozen=True)
class Captured:
    """What was found, and whether a model that should have looked could not, so that rules did."""

    observations: list[NewObservation]
    fell_back: bool = False


class Capture:
    """Finds what is worth remembering. Touches no database."""

    def __init__(self, model: LanguageModel | None = None, *, model_timeout_s: float = MODEL_TIMEOUT_S) -> None:
        """`model_timeout_s` bounds one call of the model."""
        self._model = model
        self._model_timeout_s = model_timeout_s

    async def capture(self, messages: Sequence[SaidMessage], user_id: str) -> Captured:
        """What the messages of one session hold that may be remembered, in order. No fault of the model comes out of here."""
        if self._model is None:
            return Captured(await _by_rules(messages, user_id))
        found: list[NewObservation] = []
        fell_back = False
        for batch in prompt_batches(messages):
            try:
                found += await capture_by_model(self._model, batch, timeout_s=self._model_timeout_s)
            except (Unavailable, PeerFault) as fault:
                get_logger().warning("capture.model_failed", reason=fault.code, messages=len(batch))
                fell_back = True
                found += await _by_rules(batch, user_id)
        return Captured(found, fell_back)


async def _by_rules(messages: Sequence[SaidMessage], user_id: str) -> list[NewObservation]:
    """Off the event loop: many long messages take their time."""
    return await asyncio.to_thread(lambda: certain_enough(candidates(messages, user_id)))
