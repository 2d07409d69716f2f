"""Words that several English rules share, as parts of patterns; and how a rule is written."""

from __future__ import annotations

import re
from typing import Final

from beaver.memory.capture.patterns import Kind, Rule
from beaver.memory.observations.records import ObservationType

VALUE: Final = (
    r"(?P<value>[^,;:!?()]+?)(?=\s*(?:[,;:!?()]|\.?$|\.\s|\s(?:and|but|so|because|since|though|"
    r"although|where|which|who|when|"
    r"now|right now|currently|these days|at the moment|with my|actually|anyway)\b))"
)
OFTEN: Final = (
    r"(?:\s(?:really|also|absolutely|usually|generally|much|always|still|just|definitely|personally|do|truly))*"
)
DAY: Final = (
    r"(?:end of|(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|"
    r"oct|nov|dec)[a-z]*\b|"
    r"\d|week|weekend|month|quarter|year|noon|midnight|morning|evening|afternoon|tomorrow|tonight)"
)
TIME: Final = (
    rf"\b(?:tomorrow|tonight|(?:by|before|until|on|this|next|due|at)\s(?:the\s|next\s|this\s)?{DAY}|"
    rf"in\s(?:\d+|an?|two|three)\s"
    r"(?:hour|day|week|month)s?)"
)
POINTS_ELSEWHERE: Final = (
    r"(?!\s(?:it|this|that|these|those|them|you|your|him|her|his|their|all|how|what|where|when|who|"
    r"seeing|hearing|being|making (?:him|"
    r"her|them|you)|to\s(?:say|think|admit|see|know|hear|point|bother|ask|interrupt|suggest)|not\s(?:to|being)|"
    r"the\s(?!\w+\W*$)\S+)\b)"
)
KIN: Final = (
    r"(?:wife|husband|partner|spouse|son|daughter|mother|mom|mum|father|dad|brother|sister|boyfriend|"
    r"girlfriend|fianc[eé]e?|"
    r"dog|cat|boss|manager|company|team|doctor|dentist|landlord|roommate|flatmate|best friend|"
    r"grandmother|grandfather)"
)
MORE_KIN: Final = (
    r"(?:mother-in-law|father-in-law|brother-in-law|sister-in-law|grandma|grandpa|granddaughter|grandson|uncle|aunt|cousin|"
    r"niece|nephew|stepson|stepdaughter|twin|colleague|neighbou?r|parents|kids|children|husband|friend)"
)
WORK: Final = (
    r"(?:engineer|developer|programmer|designer|teacher|doctor|nurse|lawyer|student|scientist|"
    r"researcher|writer|artist|chef|"
    r"cook|baker|architect|manager|accountant|analyst|consultant|journalist|editor|musician|"
    r"photographer|professor|pilot|"
    r"driver|electrician|plumber|carpenter|mechanic|farmer|pharmacist|dentist|vet|veterinarian|"
    r"therapist|psychologist|"
    r"librarian|translator|actor|dancer|sailor|soldier|firefighter|paramedic|salesperson|entrepreneur|freelancer|"
    r"contractor|administrator|biologist|chemist|physicist|mathematician|statistician|economist|historian|gardener)"
)


def compiled(pattern: str) -> re.Pattern[str]:
    """Capitals do not matter, unless a part of the pattern says so."""
    return re.compile(pattern, re.IGNORECASE)


def rule(
    kind: Kind,
    observed: ObservationType,
    confidence: float,
    pattern: str,
    attribute: str | None = None,
    *,
    opens: bool = False,
) -> Rule:
    """A rule, from its pattern."""
    return Rule(kind, observed, compiled(pattern), confidence, attribute, opens)
