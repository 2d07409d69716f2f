"""Who a person is and where they live, in English."""

from __future__ import annotations

from typing import Final

from beaver.memory.capture.english.words import NAME, OFTEN, VALUE, one
from beaver.memory.capture.patterns import rule

_NOW: Final = r"(?: (?:now|currently|just|recently|still|also|actually|originally))*"
_NO_TRADE: Final = (
    r"(?!(?:bit|little|lot|tad|fan|mess|idiot|genius|wreck|second|minute|few|total mess|big mess|fool|"
    r"moron|failure|disaster|loser|person|sucker|"
    r"huge fan|big fan|believer|big believer|firm believer|long way|step|goner|hero|star|legend|human|"
    r"ghost|vampire|robot)\b)"
)
PROFILE: Final = (
    rule("profile", one(rf"(?:my (?:full )?name is|my name's|(?:the )?name's) (?!(?:on|not|in|the)\b){VALUE}"), "name"),
    rule("profile", one(rf"(?:please )?call me (?-i:(?=[A-Z])){VALUE}"), "wants to be called"),
    rule(
        "profile",
        one(
            rf"(?:i|we)(?:(?:'m| am|'re| are|'ve| have)?{_NOW} (?:live|living|reside|based|moved(?: here|"
            rf" back)?(?: from [^,]{{1,30}}?)?|relocated|settled)|(?:'?ve| have){_NOW} lived) "
            rf"(?:in|to|at|near|just outside(?: of)?|outside(?: of)?|close to) (?!(?:fear|hope|the (?:moment|"
            rf"past|present|same)|this|that|it)\b)"
            rf"(?:an? (?:\w+ ){{0,2}}(?:in|near) )?{VALUE}"
        ),
        "lives in",
    ),
    rule("profile", one(rf"(?:i|we){_NOW} lived (?:in|at|near|(?:just )?outside(?: of)?|close to) \S+.*")),
    rule("profile", one(rf"(?:i|we) {OFTEN}live (?:on|with|above|by|alone)\b.*")),
    rule(
        "profile",
        one(
            r"(?:i|we)(?:'m| am|'re| are)? moving (?:back )?(?:to|into|out of) (?!(?:it|this|that|"
            r"the next)\b)\S+"
        ),
    ),
    rule(
        "profile",
        one(
            r"(?:grew up|raised|brought up) (?:in|on|by|near) \S+|(?:just )?turned \d+|[\w-]+ by (?:trade|"
            r"training|profession)\b|(?:i |we |i've |we've )?(?:moved|relocated|emigrated|came) (?:here|over|"
            r"back) (?:from|in|to) \S+|(?:i was )?born and (?:raised|bred) in \S+"
        ),
        opens=True,
    ),
    rule(
        "profile", one(rf"(?:i'm|i am|i come|we're|we come) (?:originally )?from (?-i:(?=[A-Z])){VALUE}"), "comes from"
    ),
    rule("profile", one(rf"i was born (?:in|on) {VALUE}"), "born"),
    rule("profile", one(r"(?:i|we) grew up \S+ \S+|(?:i was )?(?:raised|brought up) (?:in|by|on) \S+")),
    rule(
        "profile",
        one(
            r"i(?:'m| am)(?: (?:also|actually|currently|only))? (?:\d{1,2}\b(?! ?(?:%|percent|min|hours?|"
            r"seconds?|days?|weeks? (?:late|behind)|pages?|steps?|minutes?|miles|km))|in my (?:early |mid |"
            r"late )?\w+ies\b|turning \d+)"
        ),
    ),
    rule(
        "profile",
        one(
            rf"(?:i'm|i am) {OFTEN}(?:an?|the (?:only|oldest|youngest|head|lead|owner|founder|manager|director|"
            rf"mother|father|captain|president|ceo|cto)|one of|his|her) (?!(?:[\w-]+ ){0, 2}(?:bit|little|lot|fan|"
            rf"mess|tad|hurry|pickle|rush|candidate|way)\b){_NO_TRADE}(?:[\w-]+ ){{0,4}}?[\w-]{{3,}}(?=\W*$|,|\.|"
            rf" (?:and|but|from|at|in|on|for|with|of|who|by|working|based|living|so|too)\b)"
        ),
    ),
    rule("profile", one(rf"(?:hi|hello|hey)?[,!. ]*(?:i'm|i am) {NAME}(?=\W*$|,| (?:and|from)\b)")),
    rule(
        "profile",
        one(
            r"(?:i'm|i am) in (?:the )?(?-i:[A-Z])\w+(?:/\w+)?(?: \w+)? time ?zone\b|(?:i'm|"
            r"i am) on (?-i:[A-Z]{2,4}|[A-Z]\w+ time)\b"
        ),
    ),
    rule(
        "profile",
        one(
            r"i(?:'m| am) (?:\d['′]\d|\d(?:[.,]\d+)? ?m\b|\d{3} ?cm|\d (?:foot|ft))|i(?:'m|"
            r" am) in my \w+ (?:trimester|year)|i was an? (?:[\w-]+ ){1,3}(?:before i|for \w+ years|until)\b|"
            r"the [\w-]+(?: [\w-]+)? (?:i|we) (?:work|teach|study|volunteer) (?:for|at|with|"
            r"in) (?!(?:is (?:closed|driving|great|bad|down)|was|just)\b)\w+ \S+"
        ),
    ),
    rule(
        "profile",
        one(
            r"(?:english|german|french|spanish|chinese|dutch|italian|\w+ish|\w+ese) (?:is|isn't|"
            r"is not) my (?:first|second|native|mother|third)\b.*"
        ),
    ),
)
