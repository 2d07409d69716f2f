"""What a person says in English has come to an end: it puts right what was known, where a mere denial would stand beside it."""

from __future__ import annotations

from typing import Final

from beaver.memory.capture.english.words import one
from beaver.memory.capture.patterns import any_of, rule

_WAS: Final = r"(?:live|work|have|own|drive|smoke|drink|eat|use|play|study|speak|rent|teach|commute|take|keep)"
_HABIT: Final = any_of(
    r"""
    smoking vaping drinking gambling running swimming dancing cycling driving knitting
    (?:eating|drinking|playing|using|taking|studying)_(?!(?:the|this|that|it|them|with|your|my|at|on|in|for|a)\b)[\w-]+
    coffee alcohol sugar meat caffeine dairy gluten cigarettes social_media
    """
)
_AT_LAST: Final = r"(?:'?ve| have)?(?: (?:just|recently|finally|now|also|actually))*"
ENDED: Final = (
    rule("profile", one(rf"(?:i|we) no longer {_WAS}\b(?! (?:a |any )?(?:clue|idea|doubt|time)\b).*")),
    rule("profile", one(rf"(?:i|we) (?:don't|do not) {_WAS}\b(?! (?:it|this|that)\b)[^,;]*\bany ?more\b")),
    rule("profile", one(r"(?:i'm|i am|we're|we are) no longer (?:an? )?[\w-]+(?:\W*$| (?:to|at|with|in|for) \S+.*)")),
    rule(
        "profile",
        one(
            rf"(?:i|we){_AT_LAST} (?:sold|gave away|got rid of) (?:my|our|the) (?!(?:idea|point|story|rest|error|bug|code|old "
            r"one)\b)[\w-]+.*"
        ),
    ),
    rule("profile", one(rf"(?:i|we){_AT_LAST} (?:gave up|given up|quit|stopped) {_HABIT}\b.*")),
)
