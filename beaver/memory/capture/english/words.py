"""Parts that English patterns share, and how one is written: small letters, and an apostrophe that may be left out."""

from __future__ import annotations

import re
from typing import Final

from beaver.memory.capture.expressions import Expression
from beaver.memory.capture.patterns import any_of

WORD: Final = r"[\w'-]+"
NAME: Final = r"(?-i:[A-Z][\w'-]+)"
_SEASON: Final = any_of(
    r"""
    (?:jan|febr)uary march april may june july august (?:sept|nov|dec)ember october
    (?:mon|tues|wednes|thurs|fri|satur|sun)day spring summer autumn fall winter
    """
)
_SPAN: Final = r"(?:night|week|weekend|month|year)"
_AFTERWARDS: Final = (
    rf"(?:(?:last|next|this|earlier this|later this) (?:{_SPAN}|{_SEASON})|(?:in|on|since|around|early|late) (?:early |late |"
    rf"mid-?)?(?:the )?(?:{_SEASON}|\d{{4}})(?: \d{{4}})?|(?:[\w-]+ ){{1,3}}ago|yesterday|today|for (?:[\w-]+ ){{0,3}}"
    r"(?:days|weeks|months|years|ages)|(?:all )?my (?:whole |entire )?life|for (?:work|good|love|school|college|uni|university|"
    r"now|my (?:job|studies)|the (?:job|winter|summer|time being)))"
)
"""When a thing came to be so, or what for: no part of what it is."""
VALUE: Final = (
    r"(?P<value>[^,;:!?()]+?)(?=\s*(?:[,;:!?()]|\.?$|\.\s|\s(?:and|but|so|because|since|though|although|"
    r"where|which|who|"
    r"when|now|right now|currently|these days|at the moment|with (?:my|two|three|a)|actually|anyway|btw|"
    rf"by the way)\b|\s{_AFTERWARDS}\s*(?:[,;:!?().]|$|\s(?:and|but|so|because|with|to|from)\b)))"
)
AM: Final = r"(?:i'm|i am|we're|we are|i've been|i have been|we've been|we have been)"
FRONT: Final = r"(?:(?:for|on|at|in|during|after|before) (?:[\w']+ ){1,4}?)?"
"""When or what for, before the speaker."""
WHO: Final = rf"(?:i|we|(?:my [\w-]+|{NAME}) and i)"
HAVE: Final = r"(?:i|we)(?:'?ve| have)(?: got)?"
OFTEN: Final = (
    r"(?:(?:really|also|absolutely|usually|generally|normally|typically|mostly|much|always|still|just|"
    r"definitely|"
    r"personally|truly|honestly|actually|simply|totally|completely|both|all|do|kinda|now|currently|"
    r"recently|only|either) ){0,3}"
)
DAY: Final = any_of(
    r"""
    end_of easter christmas new_year summer winter spring autumn (?:mon|tues|wednes|thurs|fri|satur|sun)day
    (?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\b \d week weekend month quarter year noon midnight
    morning evening afternoon tomorrow tonight
    """
)
TIME: Final = (
    rf"\b(?:today|tomorrow|tonight|{DAY} (?:morning|evening|night|at)|"
    rf"(?:by|before|until|on|over|for|this|next|due|at|sometime)(?: the| next| this)?(?: [a-z]+)? {DAY}|"
    rf"(?:by|before|until|on|over|for|this|next|due|at) (?:the |next |this )?{DAY}|"
    rf"(?:in|within) (?:\d+|an?|two|three|four|five|six|ten|a few|a couple of) (?:hour|day|week|month)s?|"
    rf"at (?:noon|midnight|\d|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b|(?:mon|"
    rf"tues|wednes|thurs|fri|satur|sun)day)"
)
LASTING: Final = (
    r"(?![^,;]*\b(?:today|tonight|yesterday|right now|just now|atm|this (?:morning|afternoon|evening|"
    r"week|weekend)|"
    r"last (?:night|week)|for (?:hours|an hour|\w+ hours))\b)"
)
"""What a state or a habit does not say of itself; a moment does."""
ELSEWHERE: Final = (
    r"(?!(?:it|this|that|these|those|them|u|you|your|him|her|his|their|all|how|what|where|when|who|"
    r"seeing|hearing|being|"
    r"making (?:him|her|them|you)|(?:option|version|draft|number|answer) (?:\w|\d)|to (?:say|think|"
    r"admit|see|know|hear|point|bother|ask|interrupt|suggest|be|break)|not (?:to|being)|"
    r"the (?!\w+\W*$)\S+)\b)"
)
"""What is liked is no word of the conversation itself: neither it, nor how you said it."""
KIN: Final = any_of(
    r"""
    (?:ex-?)?(?:wife|husband|partner|spouse|girlfriend|boyfriend|gf|bf|fianc[eé]e?)
    (?:step|grand)?(?:son|daughter)s? (?:step|grand)?(?:mother|father|mum|mom|dad|ma|pa)(?:-in-law)?
    (?:step|twin_|half)?(?:brother|sister)s?(?:-in-law)? grandparents parents(?:-in-law)? in-laws gran nan kids?
    children child bab(?:y|ies) toddlers? twins? uncle aunt cousin niece nephew ex dogs? cats? pupp(?:y|ies)
    kittens? parrot hamster rabbit horse pets? boss manager supervisor employer doctor gp dentist therapist landlord
    landlady roommates? flatmates? housemate best_friend cofounder co-founder business_partner accountant lawyer
    tutor teacher
    """
)
"""People and pets of whom a person speaks as theirs."""


def one(*alternatives: str) -> Expression:
    """A pattern of any of these, where capitals do not matter, unless a part says so, and people type "dont" and "im"."""
    return Expression(re.sub(r"(?<=[a-z:|])'(?=[a-z])", "'?", "|".join(alternatives)), re.IGNORECASE)
