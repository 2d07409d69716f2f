"""Work on a text: an order for one to be made, and a text that is handed over."""

from __future__ import annotations

from typing import Final

from beaver.memory.capture.english.words import one
from beaver.memory.capture.language import Veto

_MAKE: Final = (
    r"^(?:act as|roleplay|translate|replace|compare|summari[sz]e|generate|fill in|rename|"
    r"change the (?:title|name|text|heading|label|color|colour)|set the|"
    r"add (?:a|an|the|two|three) (?:field|test|line|paragraph|column|function|button|comment|section|section)s?|"
    r"give me (?:an?|some|\d+|two|three|five|ten) (?!(?:[\w'-]+ ){1,4}over\b)|write (?:me )?(?:an?|some|the)\b|"
    r"make (?:it|the|this|that)\b|try again|make up|come up with|create|list|show me|find|fix the|draft|sort|convert|"
    r"explain|rewrite|shorten)\b"
)
_FOR_ONCE: Final = r"(?!.*\b(?:every time|from now on|always|whenever|in future|when(?:ever)? i|for me)\b)"
TEXT_TO_MAKE: Final = Veto(one(_MAKE + _FOR_ONCE))

_WORK_ON: Final = (
    r"^(?:please |can you |could you )*(?:translate|rewrite|rephrase|correct|proofread|edit|summari[sz]e|paraphrase|"
    r"improve|polish|analy[sz]e|review|explain|classify|reply to|respond to|repeat|check|write|draft|complete|fill in|"
    r"give me|generate|roleplay)\b[^:]*:"
)
_HERE_IS: Final = (
    r"^here(?:'s| is| are) (?:the|an?|my|some) (?:\w+ )?(?:text|e-?mail|article|letter|draft|essay|story|transcript|"
    r"logs?|output|message|code|paragraph|document|poem|lyrics)\b|"
    r"^the (?:e-?mail|letter|text|article|message|ad|script|poem) (?:goes|says|reads|begins|starts)\b"
)
PAYLOAD: Final = one(_WORK_ON, _HERE_IS)
