"""A sentence that leans on the one before: of whom or what it speaks was said there."""

from __future__ import annotations

from typing import Final

from beaver.memory.capture.english.words import one

LEANING: Final = one(
    r"^(?:(?:and|but|so|then|well|oh|yeah|yes|plus|also|now|maybe|because|honestly|actually)\b[ ,]*)*"
    r"(?:it|that|this|these|those|they|them|he|she|his|her|their|its|you|your)(?:'\w+)?\b"
)
