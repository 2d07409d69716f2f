"""What is not so: a supposition, a wish, a story."""

from __future__ import annotations

from typing import Final

from beaver.memory.capture.english.words import one
from beaver.memory.capture.language import Veto

_OPENING: Final = (
    r"^(?:suppose|supposing|imagine|assume|assuming|let's (?:say|pretend|assume|suppose|imagine)|say i|say we|pretend|"
    r"what if|unless|wish|hopefully|hypothetically|were i|had i|had we|thinking (?:about|of)|considering|if only|"
    r"picture)\b"
)
_ANYWHERE: Final = (
    r"\b(?:for example|e\.g\.|for instance|hypothetically|"
    r"in (?:the|this|that) (?:\w+ )?(?:exercise|game|story|example|scene|text|poem|problem|scenario)\b|"
    r"in my (?:story|novel|dreams?|game|poem)|my character|i wish|if only|would(?:'ve| have)|could(?:'ve| have)|"
    r"should(?:'ve| have)|as if|in (?:a perfect|an ideal|another) (?:world|life)|dreamt|dreamed|one day i|someday|"
    r"some day)\b"
)
_WOULD: Final = (
    r"\b(?:i|we)(?:'d| would) (?:love|like|hate|want|prefer|be|need|never|have to)\b"
    r"(?! (?:you|all|every|answers?|a summary)\b)"
)
_IF_IT_WERE: Final = r"\bif (?:i|we) (?:was|were|had|ever|could|lived|worked)\b"
SUPPOSITION: Final = Veto(one(_OPENING, _ANYWHERE, _WOULD, _IF_IT_WERE), frozenset({"rule"}))
