"""Rules in English that a person's house, team or work holds to."""

from __future__ import annotations

from typing import Final

from beaver.memory.capture.english.words import one
from beaver.memory.capture.patterns import rule

HOUSE_RULES: Final = (
    rule(
        "rule",
        one(
            r"(?:every|all|each|any) (?:[\w-]+ ){1,3}?(?:you|i|we) (?:\w+ ){1,4}?(?:must|should|has to|have to|"
            r"needs? to|is|are) \S+|(?:my|our) (?:[\w-]+ ){1,3}(?:is|are) (?:always|never|only) (?!(?:there|"
            r"here|so|been|a)\b)\S+|in (?:[\w-]+ ){1,4}we (?:use|write|always|never|avoid|stick) \S+"
        ),
        opens=True,
    ),
    rule(
        "rule",
        one(
            r"(?:commits?|commit messages|tests?|branches|variables|files?|file names|comments|docs|docstrings|"
            r"prs|pull requests|titles|variable names|emails|headings|links|migrations|endpoints|imports|"
            r"classes|meetings|deploys|releases|reviews|passwords) (?:should(?!n't i)|must|have to|need to|"
            r"are always|never|always|go in|go to) \S+"
        ),
        opens=True,
    ),
    rule(
        "rule",
        one(
            r"we (?:don't|do not|never|always|only(?! (?:have|want|need|got)\b)) (?!(?:know|think|have|want|"
            r"need|see|understand|get|care|mean|say|even|really|like|agree|had|was|got|seem|do|talk|feel|"
            r"believe|mind|remember)\b)[a-z]+ (?!it\b)\S+"
        ),
        opens=True,
    ),
    rule(
        "rule",
        one(
            r"[^,]{3,80}, (?:\S+ ){0,8}(?:that's|that is|it's) (?:my|our|the) (?:\w+ )?(?:rule|policy|"
            r"convention|standard)\b|.{8,100}, no exceptions\b"
        ),
        opens=True,
    ),
    rule(
        "rule",
        one(
            r"(?:my|our|the) (?:standing |house |only |golden |team )?(?:rule|policy|convention) (?:is|"
            r"here is) \S+ \S+"
        ),
        opens=True,
    ),
    rule(
        "rule",
        one(
            r"(?:all|every|each|any) (?:my|our|of my|of our|new|the) (?!(?:you|we|i|one|"
            r"they)\b)(?:[\w-]+ ){1,3}?(?:should(?!n't)|must|has to|have to|needs? to|goes|go|are to) \S+"
        ),
        opens=True,
    ),
)
