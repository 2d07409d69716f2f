"""What a person works at, studies and practises, in English."""

from __future__ import annotations

from typing import Final

from beaver.memory.capture.english.words import AM, LASTING, NAME, OFTEN, VALUE, one
from beaver.memory.capture.patterns import rule

_NOW: Final = r"(?: (?:now|currently|just|recently|still|also|actually|originally))*"
WORK: Final = (
    rule(
        "profile",
        one(rf"i(?:'m| am|'ve been| have been)?{_NOW} (?:work|working|employed) as (?:an? |the )?{VALUE}"),
        "works as",
    ),
    rule(
        "profile",
        one(
            rf"i(?:'m| am|'ve been| have been)?{_NOW} (?:work|working|employed) (?:at|for) (?-i:(?=(?:an? |"
            rf"the )?[A-Z])){VALUE}"
        ),
        "works at",
    ),
    rule(
        "profile",
        one(
            rf"i(?:'m| am|'ve been| have been)?{_NOW} (?:work|working|employed) (?:at|for|in|from|with|"
            rf"part[- ]time|full[- ]time|nights|remotely|freelance)\b (?!(?:it|this|that|hours|now|"
            rf"me)\b){LASTING}\S*"
        ),
    ),
    rule(
        "profile",
        one(
            rf"(?:{AM}{_NOW}|currently) (?:studying|doing (?:an? |my |the )?(?:master|phd|degree|bachelor|"
            rf"internship|apprenticeship|a-levels)\w*|learning (?!(?:how|new|more|to be|to (?:deal|love|"
            rf"let))\b)(?-i:[A-Z]|to|the (?:guitar|piano|violin|drums))|majoring|training (?:for|as|to)|"
            rf"writing my|preparing for (?:my|the)|saving (?:up )?for|raising|renovating) (?!(?:it|this|that|"
            rf"a lot|so much|more|about)\b)\S*"
        ),
    ),
    rule("profile", one(rf"i (?:study|major in) (?-i:(?=[A-Z]|(?:\w+ ){{1,3}}at [A-Z])){VALUE}"), "studies"),
    rule(
        "profile",
        one(
            rf"(?:i|we|(?:my [\w-]+|{NAME}) and i) {OFTEN}(?:teach|coach|tutor|own|manage(?! to)|run(?! (?:into|"
            rf"out|away|it|this|that|the (?:test|code|command|script|app|server|build|program))\w*)|drive|play|"
            rf"speak|practi[sc]e|"
            r"collect|volunteer|study|commute|freelance|sell|design|build|repair|keep (?=\w+s\b)|go by|weigh|"
            r"sew|draw|sail|surf|ski|hike|climb|fish|hunt|dance|blog|stream|share|lead|head|chair|direct|mentor|"
            r"wear|breed|grow|foster|rent|train|sing|paint|knit|bake|cycle|swim|garden|homeschool|rescue|"
            r"babysit|"
            r"do (?:freelance|consulting|research|part[- ]time|shift|yoga|pilates|karate|crossfit|ballet|judo|"
            r"climbing|ceramics|pottery|night)\w*) "
            rf"(?!(?:it|this|that|them|you|up|with (?:it|this|that)|too|for you|back|to you|around|an? (?:role|"
            rf"part|game)|the (?:code|script|tests?|command))\b){LASTING}\S*"
        ),
    ),
    rule(
        "profile",
        one(
            r"i(?:'ve| have) (?:(?!(?:been (?:debugging|trying|waiting|thinking|looking|wondering|working on|"
            r"stuck|meaning|up|here|having|getting|told|asked|sick|busy)|waited|tried|wanted|not|never|"
            r"known you)\b)\w+ )(?:(?!(?:debugging|trying|waiting|thinking|looking|wondering|working on|stuck|"
            r"meaning|up|here|having|getting|told|asked|sick|busy)\b)\w+ ){0,6}?(?:for (?:over |about |almost |"
            r"nearly |more than )?(?:an? |\w+ )?(?:years?|months?|decades?)|since (?:\d{4}|i was|(?:jan|feb|mar|"
            r"apr|may|jun|jul|aug|sep|oct|nov|dec)\w*|childhood))\b"
        ),
    ),
    rule(
        "profile",
        one(
            r"i use (?!(?:it|this|that|them|an? (?:lot|few|bit))\b)(?:(?:an?|my|the) )?\S+(?:.* (?:at work|"
            r"at home|for (?:work|everything|my \w+)|every ?day|because of|daily|as my)\b|"
            r"(?: \w+){0,3} (?:keyboard|mouse|laptop|phone|wheelchair|hearing aids?|screen reader|cane|walker|"
            r"inhaler|linux|editor|browser|distro|shell|terminal)\b)"
        ),
    ),
    rule(
        "profile",
        one(
            r"(?:we|i)(?:'re| are|'m| am)(?: (?:also|now|currently|both))* (?:an? (?:team|family|company|"
            r"startup|couple|household|group|two-\w+|small \w+) of \S+|expecting (?:a|our|twins|my)|parents\b|"
            r"vegetarians?|vegans?|pregnant)\b.*"
        ),
    ),
    rule(
        "profile",
        one(
            r"we (?:use|run|deploy|host|ship|release|store|keep|build|sell|offer|breed|grow|rent|"
            r"speak) (?!(?:an? )?(?:great|good)\b)(?!(?:it|this|that|them|you|your|up|out|into|going|an? (?:lot|"
            r"few|bit)|the (?:same|wrong)|memories|each)\b)\S+ ?\S*"
        ),
    ),
)
