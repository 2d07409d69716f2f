"""An encoder that remembers the questions it was asked last."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from typing import Final

from beaver.memory.inference.port import Encoded, Encoder

QUESTIONS_MAX: Final = 256
CHARACTERS_READ_MAX: Final = 32_000
"""Of a question: who asks with a whole document asks with its beginning. More is neither sent to a service nor kept."""


class RememberingEncoder:
    """Answers the last 256 questions from memory; all else is the inner encoder's."""

    def __init__(self, inner: Encoder) -> None:
        self._inner = inner
        self._questions: OrderedDict[str, Encoded] = OrderedDict()

    @property
    def model(self) -> str:
        """The inner encoder's."""
        return self._inner.model

    @property
    def dimensions(self) -> int:
        """The inner encoder's."""
        return self._inner.dimensions

    async def encode_passages(self, texts: Sequence[str]) -> list[Encoded]:
        """As the inner encoder does."""
        return await self._inner.encode_passages(texts)

    async def encode_question(self, text: str) -> Encoded:
        """As the inner encoder did, or does now; a failure is not remembered."""
        text = text[:CHARACTERS_READ_MAX]
        encoded = self._questions.get(text) or await self._inner.encode_question(text)
        self._questions[text] = encoded
        self._questions.move_to_end(text)
        while len(self._questions) > QUESTIONS_MAX:
            self._questions.popitem(last=False)
        return encoded

    async def close(self) -> None:
        """Forget the questions and close the inner encoder."""
        self._questions.clear()
        await self._inner.close()
