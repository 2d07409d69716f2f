"""What a prompt says about the conversation itself, pure: that it only acknowledges, looks back, or changes the topic."""

from __future__ import annotations

import re
from typing import Final

ACKNOWLEDGEMENT_WORDS_MAX: Final = 3
ACKNOWLEDGEMENT_CHARACTERS_MAX: Final = 60

_ACKNOWLEDGES: Final = (
    r"(?:(?:ok(?:ay|ey)?|k|kk|yes|yeah|yep|yup|no|nope|nah|sure|right|alright|fine|good|great|cool|nice|perfect|excellent|awesome|"
    r"done|thanks|thank you|thx|ty|cheers|understood|noted|agreed|exactly|correct|true|lgtm|please|go ahead|got it|i see|"
    r"makes sense|sounds good|well done|good job|no problem|no worries|will do|never mind|hi|hello|hey|bye|goodbye)\b"
    r"|好的?|行|可以|是的?|对的?|嗯+|哦+|谢谢你?|多谢|感谢|收到|明白了?|知道了|了解|懂了|没问题|不用了?|不客气|你好|再见|不错|太好了)[吧了啊呀呢]?"
)
_ONLY_ACKNOWLEDGES: Final = re.compile(rf"(?:{_ACKNOWLEDGES}){{1,3}}(?: (?:{_ACKNOWLEDGES}){{1,3}})*")
_WORDS: Final = re.compile(r"[^\W_]+")

_LOOKS_BACK: Final = re.compile(
    r"\b(?:continue|carry on|resume|where (?:we|i) (?:left off|were|was)|left off|pick (?:it |this )?up again"
    r"|(?:the )?(?:last|previous|other) (?:time|session|chat|conversation|task|week|day)|yesterday|previously"
    r"|(?:as|like|same as) (?:before|always|usual|last time|we (?:said|agreed|decided|discussed))|my usual|the usual"
    r"|we (?:have |had |'ve )?(?:already )?(?:decided|agreed|discussed|talked|settled|chose|tried|fixed|said)"
    r"|(?:i|you) (?:have |had |'ve )?(?:already )?(?:told|said|mentioned|asked)"
    r"|(?:do you )?remember|recall|what did (?:i|we|you)|did (?:i|we) )\b"
    r"|上次|上回|之前|以前|先前|继续|接着|还记得|记得|昨天|照旧|老样子|老规矩|我们(?:已经)?(?:决定|说过|讨论|商量|约定)|我(?:跟你)?说过|你说过",
    re.IGNORECASE,
)
_CHANGES_TOPIC: Final = re.compile(
    r"\b(?:by the way|btw|(?:a |on a )?(?:new|different|another|separate|unrelated) (?:topic|subject|question|matter|note|task)"
    r"|chang(?:e|ing) (?:of |the )?(?:topic|subject)|something (?:else|different)|mov(?:e|ing) on|switch(?:ing)? (?:to|topics?)"
    r"|let's talk about|unrelated)\b"
    r"|换个?(?:话题|问题)|另外|顺便|题外话|说个别的|另一个(?:问题|话题|事)|还有(?:一个|个)(?:问题|事)",
    re.IGNORECASE,
)


def is_acknowledgement(text: str) -> bool:
    """Whether the text is at most three phrases, of three English words together, that only greet or say yes, no or thanks."""
    said = _WORDS.findall(text[: ACKNOWLEDGEMENT_CHARACTERS_MAX + 1].casefold())
    return (
        bool(said)
        and len(said) <= ACKNOWLEDGEMENT_WORDS_MAX
        and _ONLY_ACKNOWLEDGES.fullmatch(" ".join(said)) is not None
    )


def looks_back(text: str) -> bool:
    """Whether the text refers to what was said or done before."""
    return _LOOKS_BACK.search(text) is not None


def changes_topic(text: str) -> bool:
    """Whether the text says that it is about something else now."""
    return _CHANGES_TOPIC.search(text) is not None


def has_words(text: str) -> bool:
    """Whether anybody could have said the text: it holds a letter or a digit."""
    return any(character.isalnum() for character in text)
