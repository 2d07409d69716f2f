"""What turned out to be wrong, and what helped, in English."""

from __future__ import annotations

from typing import Final

from beaver.memory.capture.english.words import one
from beaver.memory.capture.patterns import any_of, rule

_FAULT: Final = any_of(
    r"""
    problem issue bug cause root_cause culprit error failure crash(?:es)? leak timeout slowness trouble reason
    segfault lag freez\w+ hang glitch flicker noise warning delay stutter\w* flak\w+
    """
)
_CURED: Final = (
    r"(?:fixed|solved|resolved|cured|sorted|did the trick|made (?:it|the \w+|everything) (?:work|pass|"
    r"go away|build|start|run)|got (?:it|everything|the \w+) (?:working|to work|running)|(?:was|"
    r"were) (?:all it took|the culprit|to blame|the fix|the trick))"
)
FIXES: Final = (
    rule(
        "fix",
        one(
            r"(?:the|our|a|my) (?:actual |real )?(?:fix|solution|workaround|trick) (?:was|is|"
            r"turned out to be) (?!(?:ready|not|wrong|deployed|in|on|merged|coming|unclear|"
            r"no)\b)(?:to )?\S+ \S+"
        ),
    ),
    rule(
        "fix",
        one(
            rf"(?:the|our|my) (?:\w+ )?{_FAULT} (?:was|turned out to be|was caused by|came from) (?!(?:not|"
            rf"in (?:chapter|question|exercise|line|step|section)|still|fixed|solved|gone|resolved|reported|"
            rf"there|here|back|because you|also)\b)\S+ \S+"
        ),
    ),
    rule(
        "fix",
        one(
            rf"(?:(?:found|nailed|spotted) (?:it|the {_FAULT})|(?:root )?cause(?: was)? found|{_FAULT} (?:found|"
            rf"solved|fixed)|(?:fixed|solved|sorted)(?: it)?)\s*[!:,.–-] ?\S+ \S+"
        ),
        opens=True,
    ),
    rule(
        "fix",
        one(
            r"(?:it )?turns out (?!(?:i|you|he|she|they|we) (?:was|were) (?:right|"
            r"wrong)\b)[^,]{4,80}, .*\b(?:solved|fixed|works|helped|resolved|sorted)\b|(?:it )?turn(?:s|"
            r"ed) out (?:the|my|our) (?:\w+ ){1,4}(?:was|were|had|wasn't|weren't) \S+"
        ),
        opens=True,
    ),
    rule(
        "fix",
        one(
            rf"(?!.*\bnot (?:yet )?(?:fixed|solved|resolved)\b)(?!(?:that|this|it|you|which|what|he|she|they|i|"
            rf"we|nothing|almost|haven't|hope|glad|your|plus|talking)\b)(?:\S+ ){{1,9}}?(?:{_CURED}(?: (?:it|"
            rf"this|that|the|our|my|everything|all|for (?:me|us))\b.*|\W*$|,))"
        ),
        opens=True,
    ),
    rule(
        "fix",
        one(
            r"(?:i |we )?(?:'ve |have )?(?:finally |just )?(?:fixed|solved|resolved|sorted|"
            r"got (?=(?:\S+ ){1,3}(?:working|to work|running|to (?:build|run|start|compile)))) ?(?:it|this|that|"
            r"the|our|my|everything)\b.*?\b(?:by|after|with) (?!(?:myself|you)\b)\S+"
        ),
    ),
    rule(
        "fix",
        one(
            r"(?:it|everything|(?:the|our|my) (?:\w+ ){1,3}?) ?(?:works|runs|builds|passes|compiles|starts|"
            r"boots|loads|is working|went away|is gone|disappeared|stopped|goes away) (?:now |again |fine |"
            r"properly )*(?:after|since|because|once|now that|as soon as|when) \S+ \S+"
        ),
    ),
    rule(
        "fix",
        one(
            r"(?:after|since|by) \w+ing [^,]{3,60},? (?:it|everything|the [\w-]+|all) (?:now )?(?:works?|boots?|"
            r"runs?|starts?|builds?|passes|compiles|loads|is (?:fine|gone|fast|stable|ok|back))\b"
        ),
        opens=True,
    ),
    rule(
        "fix",
        one(
            r"(?:downgrading|upgrading|updating|switching|rolling|reinstalling|restarting|clearing|disabling|"
            r"enabling|pinning|removing|adding|replacing|increasing|lowering|setting) [^,]{3,60} helped\b|"
            r"(?:\S+ ){2,10}and (?:the|my|our) [\w-]+(?: [\w-]+)? (?:is|was|are|were) (?:gone|fixed|solved|"
            r"back)\b"
        ),
        opens=True,
    ),
    rule(
        "fix",
        one(
            r"(?:i |we )?(?:finally )?got rid of .*\bby \w+ing\b.*|.{4,60} (?:again|now) (?:after|"
            r"since) \w+ing .*|(?:found out|figured out|turned out) why\W .*|\w+ing .{3,60} (?:brought|"
            r"got) (?:it|the \w+|everything|things) (?:back|working|running)\b.*"
        ),
        opens=True,
    ),
    rule(
        "fix",
        one(
            r"(?:it was|it's|was) (?:just |actually |only )?(?:an?|the|my) \S.{3,80}, (?:\S+ ){0,3}?(?:it works|"
            r"works|it's working|working|all good|fixed|solved)(?: now| again| fine)?\b"
        ),
        opens=True,
    ),
)
