"""Parts of English orders: how one begins, what begins none, and what makes one stand."""

from __future__ import annotations

from typing import Final

from beaver.memory.capture.patterns import any_of

NOT_TO_YOU: Final = (
    r"(?!(?:\w+ing|\w+ \w+ (?:is|are|was|were)|\w+ (?:is|are|was|were|will|would|can|could|has|have|had|"
    r"look|looks)|you|i|i'm|i'll|i've|we'll|we're|they|he|she|it|it's|there|the|that|these|those|people|"
    r"ai|everyone|nobody|you'll|you are|"
    r"you're|worry|bother|mind|know|think|care|get|understand|see|feel|have|want|need|be|forget|let|"
    r"tell|wait|look|go|come|thanks?|"
    r"sorry|sure|ok|believe|don't (?:worry|bother|know|think|get|see|feel|have|want|need|understand|"
    r"remember|be|forget|let|tell|you))\b)"
)
POINTS_AT: Final = (
    r"(?!.*\b(?:here|there|this (?:time|one|file|line|paragraph|text|code|function)|that (?:one|file|"
    r"line|snippet|paragraph)|above|"
    r"below|following|paragraph|snippet|line \d+|(?:first|second|third|last|next|previous) \w+|instead)\b)"
)
"""An order that points at the work in hand is for once."""
POLITE: Final = r"(?:(?:please|pls|plz|kindly|just|do|so|then|only) ){0,2}"
ALWAYS: Final = any_of(
    r"""
    from_(?:now|here|today|this_point|tomorrow)(?:_on(?:wards?)?|_forward)?(?:_out)?
    (?:going|moving)_forward(?=\W*$|,|_\w+_(?:the|my|your|all|every)\b|_please) in_(?:the_)?future henceforth
    by_default as_a_(?:general_)?rule for_the_(?:rest|remainder)_of_(?:this|the|our)_\w+
    in_(?:this|our|my)_(?:project|repo|codebase|chat|conversation|team|house|company) every_time each_time
    at_all_times next_time any_more anymore
    """
)
