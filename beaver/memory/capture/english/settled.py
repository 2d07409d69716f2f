"""What was decided, is to be done, or turned out to be the fix, in English."""

from __future__ import annotations

from typing import Final

from beaver.memory.capture.english.words import DAY, TIME, rule

DECISIONS: Final = (
    rule(
        "decision",
        "decision",
        0.85,
        r"(?:we|i|the team|our team)(?:'ve| have| had)?(?:\s(?:finally|just|all|now|also|already|both|"
        r"eventually|together|now))*\s"
        r"(?:decided\s(?:to|on|that|against|not to)|agreed\s(?:with\s[^,]{1,30}?\s)?(?:to|on|that)|settled\son|"
        r"opted\s(?:for|to)|"
        r"resolved\sto|"
        r"chose(?:n)?|picked(?!\sup)|voted\s(?:to|for))\s(?!(?:nothing|it|this|that|him|her|them)\b)\S+",
    ),
    rule(
        "decision",
        "decision",
        0.8,
        r"let's\s(?:go with|stick with|stick to|settle on|switch to|adopt|use)\s(?!(?:it|this|that|"
        r"the flow|them|an? example)\b)\S+",
    ),
    rule(
        "decision",
        "decision",
        0.8,
        r"(?:we'll|we will|we're|we are|i'll|i will|i'm|i am)\s(?:go with|going with|going to go with|"
        r"stick with|sticking with|"
        r"switching to)\s(?!(?:it|this|that|you|them|him|her)\b)\S+",
    ),
    rule(
        "decision",
        "decision",
        0.85,
        r"(?:the |our |my )?(?:final )?decision(?: is|:)\s(?!(?:yours|pending|hard|not)\b)\S+",
    ),
    rule(
        "decision",
        "decision",
        0.8,
        r"(?!(?:if|once|until|unless|when)\b)\S+\s\S.*[,;:–-]\s*(?:and\s)?(?:that's|that is|it's|this is)\s(?:now\s|"
        r"all\s)?"
        r"(?:settled|decided|final|agreed)\b",
        opens=True,
    ),
    rule(
        "decision",
        "decision",
        0.8,
        r"(?!(?:if|once|until|unless|when)\b)\S+\s\S.*[,;:–-]\s*(?:and\s)?(?:we|i)(?:'ve| have)?(?:\sall|\sboth|"
        r"\sjust)?\s"
        r"(?:voted|agreed|decided)\son (?:it|this|that)\b",
        opens=True,
    ),
    rule(
        "decision",
        "decision",
        0.85,
        r"(?:i|we)(?:'ve| have)?(?:\sfinally|\sjust|\snow)*\smade up (?:my|our) minds?\b.*",
    ),
    rule(
        "decision",
        "decision",
        0.7,
        r"(?:i'm|i am|we're|we are)\snot going to\s(?!(?:lie|say|be|argue|pretend|judge|ask|bother|let|do|"
        r"happen|make|have|get|go)\b)"
        r"\w+\s\S+\s\S+",
    ),
)
TASKS: Final = (
    rule("task", "task", 0.85, r"to-?do(?:\s(?:for|this|next)\s\w+)?\s*:\s*(?P<content>\S+\s\S.+)"),
    rule(
        "task",
        "task",
        0.75,
        r"(?:(?:i|we)(?:'ve| have) got to|(?:i|we)\s(?:also |still )?(?:need to|have to|must|should|promised to|"
        r"committed to|agreed to|"
        r"am supposed to|are supposed to|"
        rf"plan to))\s(?!(?:say|admit|go\b|know|be\b|talk|see))\w+\s.*?{TIME}",
    ),
    rule(
        "task",
        "task",
        0.7,
        rf"(?:i'll|i will|we'll|we will)\s(?!(?:be|see|talk|let|think|try|call you|go|check|"
        rf"get back)\b)\w+\s.*?\b(?:by|before)\s(?:the\s)?{DAY}",
    ),
    rule(
        "task",
        "task",
        0.8,
        rf"(?:the |my |our )?(?:\w+\s){{0,3}}(?:deadline|due date)(?:\s(?:for|of)\s[^,]+?)?\s(?:is|:)\s.*?{DAY}",
    ),
    rule(
        "task",
        "task",
        0.8,
        rf"(?:the|my|our)\s(?:\w+\s){{1,4}}(?:is|are)\sdue\s(?:on\s|by\s|at\s|this\s|next\s|the\s)*{DAY}",
    ),
    rule(
        "task",
        "task",
        0.75,
        rf"(?:still )?(?:need to|have to|must|gotta|got to)\s(?!(?:say|admit|go\b|know|be\b|talk|see))\w+\s.*?{TIME}",
        opens=True,
    ),
)
FIXES: Final = (
    rule(
        "fix",
        "discovery",
        0.85,
        r"(?:the|our|a|my) (?:fix|solution|workaround|trick) (?:was|is|turned out to be)\s"
        r"(?!(?:ready|not|wrong|deployed|in|on|merged|coming|unclear)\b)(?:to\s)?\S+\s\S+",
    ),
    rule(
        "fix",
        "discovery",
        0.85,
        r"(?:the|our) (?:problem|issue|bug|cause|root cause|culprit|error|failure) (?:was|turned out to be|"
        r"was caused by)\s(?!(?:not|still|that i|fixed|solved|gone|resolved|reported|there|here|back)\b)\S+\s\S+",
    ),
    rule(
        "fix",
        "discovery",
        0.85,
        r"(?!(?:that|this|it|you|which|what|he|she|they|i|we|nothing)\b)(?:\S+\s){1,9}?(?:fixed|solved|"
        r"resolved|cured)\s(?:it|this|that|the|our|my)\b.*",
        opens=True,
    ),
    rule(
        "fix",
        "discovery",
        0.85,
        r"(?:i|we)(?:'ve| have)?\s(?:finally\s)?(?:fixed|solved|resolved)\s(?:it|this|that|the|our|my)\b.*?\bby\s\S+",
    ),
    rule(
        "fix",
        "discovery",
        0.8,
        r"(?:it|everything|(?:the|our|my) (?:\w+\s){1,3}?)\s?(?:works|runs|builds|passes|is working) "
        r"(?:now |again |fine )*(?:after|since|because|once|now that)\s\S+\s\S+",
    ),
)
