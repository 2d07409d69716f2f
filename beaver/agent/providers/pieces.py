"""How the providers without a model cut their finished text into pieces."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from beaver.agent.messages import Completion, ProviderPiece, TextDelta

_WORD: Final = re.compile(r"\s*\S{1,24}\s*")


def in_pieces(completion: Completion) -> Iterator[ProviderPiece]:
    """The completion as a stream: its text about a word at a time, then the completion itself."""
    yield from (TextDelta(piece) for piece in _WORD.findall(completion.text) or filter(None, [completion.text]))
    yield completion
