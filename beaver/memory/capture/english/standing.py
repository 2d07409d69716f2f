"""Orders in English that stand: for always, for every time, for whenever something comes up."""

from __future__ import annotations

from typing import Final

from beaver.memory.capture.english.orders import ALWAYS, NOT_TO_YOU, POINTS_AT, POLITE
from beaver.memory.capture.english.words import one
from beaver.memory.capture.patterns import any_of, rule

_NO_ORDER: Final = any_of(
    r"""
    an? the again mind ever been in on had too better heard seen thought knew saw did went came took made felt found
    left lost met said told gave kept got was were here there full ready nice good great happy fun welcome is are
    fear once before really so such up forget quit underestimate believe give_up stop lose say_never feel one_of
    (?!need|feed|speed|embed)[a-z]+(?:ed|ing)\b
    """
)
_WHEN: Final = (
    r"(?:when(?:ever)?|every time|each time|any ?time) (?:i (?!(?:was|were|had|am|turned|got|saw|\w+ed|"
    r"'m)\b)|you (?:write|answer|reply|mention|give|send|show|suggest|recommend|"
    r"explain|summari[sz]e|translate|quote|cite|use|generate|talk|code|respond|refer|list|do|make|"
    r"review|plan))"
)
STANDING: Final = (
    rule(
        "rule",
        one(
            rf"{POLITE}(?:you (?:should |must )|make sure to |be sure to |remember to )?(?:always|never|"
            rf"don't ever|do not ever) "
            rf"(?!{_NO_ORDER}(?:\b|$))[a-z]+ \S+"
        ),
        opens=True,
    ),
    rule(
        "rule",
        one(
            rf"{ALWAYS},? (?:i (?:want|need|prefer|would like|'d like|'d prefer)|i'd (?:like|prefer)|(?:all|"
            rf"every|each|any|we) "
            rf"(?!(?:will|were|had|was|could)\b)\S+|you (?:should|must|can|may)|{NOT_TO_YOU}(?!(?:this|my|our|"
            rf"all|we)\b){POLITE}[a-z]+) \S+"
        ),
        opens=True,
    ),
    rule(
        "rule",
        one(
            rf"(?:{_WHEN}|if i (?:send|ask|say|write|paste|mention|forget|give|post|tell|type|share|"
            rf"upload))\b[^,]{{2,80}}(?:,| please| just) {POLITE}(?:i (?:mean|want|expect)|"
            rf"{NOT_TO_YOU}(?!(?:what|how|my|a|we)\b)[a-z]+ \S+)"
        ),
        opens=True,
    ),
    rule(
        "rule",
        one(r"when(?:ever)? i (?:say|write|type|mention|talk about) [^,]{2,60},? (?:i|it|that) means? \S+"),
        opens=True,
    ),
    rule(
        "rule",
        one(
            rf"{POLITE}(?:be (?!sure)(?:\w+ ){{1,4}}?|{NOT_TO_YOU}(?:don't |"
            rf"do not )?[a-z]+ )(?!.*\blet me know\b)[^,]*(?:, )?(?:\b(?:{ALWAYS}|unless (?:i|we) (?:ask|say|"
            rf"write|tell)\w*|"
            rf"without (?:asking|checking|telling|my)|before (?:you (?!go)|touching|changing|running|sending|"
            rf"doing)|"
            rf"when(?:ever)? (?:i (?:ask|say|paste|send|write|post|give|want|talk)|you (?!(?:can|get|have|are|"
            rf"finish|see|find|feel|want|need|like|wish|think)\b)[a-z]+)|when it comes to|"
            rf"(?:of|in|at|after|before|with) (?:every|each)) ?\b)"
        ),
        opens=True,
    ),
    rule(
        "rule",
        one(
            r"(?:please )?(?:let me know|ask(?: me)?|check with me|warn me|tell me|"
            r"confirm(?: with me)?)(?: first)? before (?:you|any|each|every|\w+ing)\b \S+"
        ),
        opens=True,
    ),
    rule(
        "rule",
        one(
            r"i (?:want|need|expect|would like|'d like) you (?:to|not to) (?=.*\b(?:always|never|all|every|each|"
            r"only|any|when(?:ever)?|ask|before)\b)\S+ \S+|"
            r"i'd like you (?:to|not to) (?=.*\b(?:always|never|all|every|each|only|any|when(?:ever)?|ask|"
            r"before)\b)\S+ \S+"
        ),
        opens=True,
    ),
    rule(
        "rule",
        one(
            rf"{POLITE}(?:keep|round|quote|cite|call|address|sign|format|talk|speak|treat|write|include|mention|"
            rf"spell|run|prefer|answer|back up) .*\b(?:every|all|each(?! other)|any|unless|whenever|never|always|"
            rf"otherwise)\b{POINTS_AT}.*"
        ),
        opens=True,
    ),
    rule(
        "rule",
        one(
            r"(?:when|whenever|before|after|while|if) \w+ing [^,]{2,40}?,? (?:please |always |never |"
            r"don't )*(?:use|write|keep|add|include|show|give|ask|check|run|stick|start|put|make|convert|cite|"
            r"avoid|mention|round|assume|tell) \S+|if (?:something|anything|you)(?:'s|'re| is| are)? (?:unclear|"
            r"unsure|not sure|in doubt|missing|ambiguous|don't know)[^,]*,? (?:please |just |always )*(?:ask|"
            r"say|tell|stop|don't)\b.*|if in doubt,? \w+ .*"
        ),
        opens=True,
    ),
    rule(
        "rule",
        one(
            r"for (?:my |our |the |all )?(?:[\w-]+ ){1,4}?(?:please )?(?:show|give|include|add|use|keep|"
            r"stick to|prefer|always|never|don't) (?!(?:you|me to)\b)\S+|i expect (?!(?:it|that|this|you|"
            r"to)\b)\S+ .*\b(?:every|all|each|any|always)\b.*"
        ),
        opens=True,
    ),
    rule(
        "rule",
        one(
            r"for (?:my |our |the |all )?[\w-]+(?: [\w-]+)? (?:please )?(?:be|use|keep|write|stick to|prefer|"
            r"always|never) \S+"
        ),
        opens=True,
    ),
    rule(
        "rule",
        one(
            r"you (?:should|must|need to|have to|may not|can't|cannot|are not allowed to)(?: not| only| always|"
            r" never)? (?:\w+ ){1,5}?"
            r"(?:before you|when(?:ever)? you|every time|each time|without asking|any of my)\b"
        ),
        opens=True,
    ),
    rule(
        "rule",
        one(
            rf"for (?:anything|everything|all|any) (?:[\w'-]+ ){{0,5}}?[\w'-]+, {POLITE}(?:use|stick to|follow|"
            rf"apply|write|answer|give|ask|"
            r"don't|do not|prefer) \S+"
        ),
        opens=True,
    ),
)
