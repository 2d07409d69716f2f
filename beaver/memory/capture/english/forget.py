"""What English asks to be forgotten: a statement, an attribute, or everything at once; said to the assistant and nobody else."""

from __future__ import annotations

from typing import Final

from beaver.memory.capture.english.words import NAME, one
from beaver.memory.capture.language import ToForget

_OPENING: Final = (
    r"^(?:(?:hi|hey|hello|ok|okay|well|so|oh|and|also|no|yes|actually|anyway|btw|by the way|please|pls|plz|just|kindly|now|then|"
    r"thanks|thank you|sorry|beaver)\s*[,.!:–-]*\s+){0,4}"
)
_POLITE: Final = (
    r"(?:(?P<asked>(?:can|could|would|will) you\s+)|(?:i (?:want|need)|i'd like|i would like) you to\s+|"
    r"you (?:can|should|may|must)\s+)?(?:(?:please|kindly|just|now)\s+){0,2}"
)
_FORGET: Final = rf"{_OPENING}{_POLITE}(?:forget|stop remembering|(?<=please )do(?:n't| not) remember)\s+(?:about\s+)?"
_REMOVE: Final = rf"{_OPENING}{_POLITE}(?:delete|erase|remove|drop|wipe|clear)\s+"
_FROM_MEMORY: Final = r"from\s+(?:your\s+|the\s+)?memor(?:y|ies)"
_STATES: Final = (
    r"(?:is|are|was|were|has|have|had|lives?|works?|likes?|loves?|hates?|moved|owns?|wants?|needs?|plays?|speaks?|drives?|uses?|"
    r"studies|studied|eats?|prefers?|drinks?|smokes?|goes|can(?:no|')?t?|does(?:n't| not)|did(?:n't| not)|is(?:n't| not))"
)
# What was only said, asked or meant is nothing that is known of anybody.
_NOT_SAID: Final = (
    r"(?!(?:i|we)(?:'ve| have| had)?\s+(?:\w+\s+)?(?:said|asked|told|wrote|mentioned|brought|exist|sent|typed)\b)"
)
_OWN: Final = rf"{_NOT_SAID}(?:i|i'm|i've|i'd|we|we're|we've)\s+.+|(?:my|our)\s+.+?\s{_STATES}\s.+"
_OTHERS: Final = rf"(?:{NAME}(?:'s [\w-]+|\s{NAME})?|(?:the|this) [\w-]+(?: of (?:my |the )?[\w-]+)?)\s{_STATES}\s.+"
_ATTRIBUTE: Final = (
    r"my(?:\s[\w'-]+){1,4}|where (?:i|we) (?:live|work)|where i (?:am|come) from|what i do(?: for a living)?|what i study|"
    r"who i work for|how old i am|when i was born"
)
FORGET: Final = ToForget(
    statement=(
        one(rf"{_FORGET}(?:(?:the fact\s+)?that\s+)?(?P<what>{_OWN})$"),
        one(rf"{_FORGET}(?:the fact\s+)?that\s+(?P<what>{_OTHERS})$"),
        one(rf"{_REMOVE}(?:the fact\s+)?that\s+(?P<what>{_OWN}|{_OTHERS})\s+{_FROM_MEMORY}$"),
        one(rf"{_REMOVE}(?:the fact\s+|it\s+)?{_FROM_MEMORY}\s+that\s+(?P<what>{_OWN}|{_OTHERS})$"),
    ),
    attribute=(
        one(rf"{_FORGET}(?P<what>{_ATTRIBUTE})$"),
        one(rf"{_REMOVE}(?P<what>{_ATTRIBUTE})\s+{_FROM_MEMORY}$"),
    ),
    last=one(
        rf"{_FORGET}(?:what i(?:'ve| have)? just (?:said|told you|wrote|typed|sent|shared)|"
        r"(?:my|that|the) (?:last|previous) message)$"
    ),
    everything=(
        one(rf"{_FORGET}(?:everything|anything|all)\b"),
        one(rf"{_REMOVE}(?:everything|anything|all)\b.*\b(?:memor(?:y|ies)|about)\b"),
    ),
    ending=one(
        r"(?:,?\s+(?:please|pls|thanks|thank you|ok|okay|any ?more|now|from now on|for good|forever|right away|will you|"
        r"would you|could you|can you|for me))+\s*[.!]*$"
    ),
    unsure=one(
        r"\b(?:if|unless|until|whether|once|when|while|for a (?:moment|second|minute|while)|for now|tonight|today)\b"
    ),
    parted=one(r",?\s+and\s+(?:also\s+)?(?:that\s+)?(?=(?:i|i'm|i've|my|we|we're|our)\s)"),
    reason=one(r"\s*(?:[,;:(–—]|\s-\s|\bbecause\b|\bsince\b|\bbut\b|\bas (?:i|it|that)\b).*$"),
)
