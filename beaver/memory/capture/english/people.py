"""What a person says in English of their people, pets and things."""

from __future__ import annotations

from typing import Final

from beaver.memory.capture.english.words import HAVE, KIN, LASTING, NAME, VALUE, one
from beaver.memory.capture.patterns import any_of, rule

_MY_KIN: Final = (
    rf"(?:(?:my|our)(?: (?!(?:friend|neighbou?r|colleague)\b)[\w-]+)? {KIN}|hubby|the (?:wife|husband|"
    rf"boyfriend|girlfriend|missus))"
)
_NO_STATE: Final = (
    r"(?!(?:says?|said|thinks?|thought|wants?|asks?|asked|told|tells|keeps|needs|was|were|would|will|"
    r"can|could|should|might|did|"
    r"does|doesn't|made|got me|sent|called|emailed|texted|wrote|came|went|saw|had|gave|took|"
    r"just (?:told|said|asked|called|sent)|"
    r"(?:is|are|'?s|'re) (?:(?:so|very|really|just|still|being|also|always|not|a bit|pretty) )*(?:tired|"
    r"here|late|back|calling|asleep|sick|asking|angry|"
    r"mad|busy|upset|happy|sad|ready|right|wrong|great|awesome|amazing|cute|crazy|sleeping|crying|"
    r"yelling|waiting|driving|acting|"
    r"being|trying|going to|having|getting (?:on|so|too)|killing|my|the best|the worst|so|lucky|proud|"
    r"in (?:a|the)|on the|at the (?:door|moment)|out|gone)|"
    r"(?:has|have) (?:so\b|been (?:so|really|very|a bit)|a (?:fever|cold|headache|question|point|"
    r"meeting|cough)|no idea|to)|loves it|likes it)\b)"
)
_THING: Final = any_of(
    r"""
    house flat apartment cottage cabin garden car van truck bike motorbike boat laptop pc desktop computer phone
    tablet printer router camera guitar piano keyboard monitor server nas office desk shop bakery studio school
    university college gym budget salary rent mortgage insurance visa passport thesis dissertation degree major
    company startup website blog podcast channel band
    """
)
_DETAIL: Final = any_of(
    r"""
    (?:full_|first_|last_|middle_|maiden_)name surname birthday bday b-day date_of_birth age height weight
    blood_type time_?zone pronouns phone(?:_number)? mobile(?:_number)? e-?mail(?:_address)? home_address address
    postcode zip_code (?:shoe_|shirt_|dress_|ring_)?size job_title role native_language mother_tongue first_language
    second_language nationality star_sign religion handle username nickname hometown home_town licen[cs]e_plate
    number_plate deadline due_date anniversary wedding(?:_anniversary)? graduation flight train surgery operation
    appointment exam interview holiday vacation trip checkup check-up
    """
)
_RELATED: Final = any_of(
    r"""
    (?:ex-?)?(?:wife|husband|partner|spouse|girlfriend|boyfriend|fianc[eé]e?) (?:step|half)?(?:brother|sister)(?:-in-law)?
    (?:step|grand)?(?:son|daughter|mother|father)(?:-in-law)? mum mom dad uncle aunt cousin niece nephew boss manager
    supervisor doctor dentist therapist landlord landlady (?:best_)?friend colleague co-?worker flatmate roommate housemate
    neighbou?r teacher tutor coach
    """
)
_PERSON: Final = r"(?P<name>(?-i:(?!I\b|I')[A-Z][\w-]+(?: [A-Z][\w-]+)?))"
NAMED_PEOPLE: Final = one(
    rf"\b(?:my|our) (?:(?:older|younger|little|big|eldest|youngest|twin|late|new|old) )?{_RELATED}"
    rf"(?:,? | is (?:called|named) |(?:'s|s) name is ){_PERSON}"
)
"""Somebody, by what they are to the speaker and their name."""
PEOPLE: Final = (
    rule("profile", one(rf"my (?P<of>(?:\w+ )?{KIN})(?:(?:'s|s) name is| is (?:called|named)) {VALUE}"), "name of"),
    rule(
        "profile",
        one(
            rf"(?:it's |this is |that's |these are |for |"
            rf"meet )*(?:for )?my (?P<of>{KIN}),? (?P<value>{NAME})(?= ?(?:,|$|\.|and\b|who\b))"
        ),
        "name of",
    ),
    rule("profile", one(rf"my (?P<of>{KIN}) is (?-i:(?=[A-Z][a-z]+\.?$)){VALUE}"), "name of"),
    rule(
        "profile",
        one(
            rf"(?:my|our)(?: {KIN}(?:'s|s))? (?P<of>{_DETAIL})(?: is| are|[']s|:)(?: spelled|"
            rf" spelt)? (?:on )?(?!(?:my|not|wrong|soon|ok|fine|cancelled|delayed|in the list|the list|full|"
            rf"going|over|coming)\b){VALUE}"
        ),
        "",
    ),
    rule("profile", one(rf"(?:my|our) {KIN}(?:'s|s) (?:[\w-]+ ){{1,3}}?(?:is|are) {_NO_STATE}\S+")),
    rule(
        "profile",
        one(
            rf"{_MY_KIN}(?:(?:,)? {NAME},?){{0,2}}(?:, (?:[\w-]+ ){{1,4}}[\w-]+,)?(?:[']s|[']re)? (?:(?:also|"
            rf"just|now|recently|currently|usually) )?{_NO_STATE}{LASTING}(?:is|are|has|have|moved|started|"
            rf"graduated|retired|passed away|died|\w+s|can't|cannot|don't|never|only|live|work|study|speak|go|"
            rf"come|own|play|eat|an? \w+)\b (?:\S+)"
        ),
    ),
    rule(
        "profile",
        one(
            rf"both (?:of )?(?:(?:my|our|the) )?(?:\w+ )?{KIN} {_NO_STATE}\w+ \S+|{_MY_KIN} and i (?!(?:were|had|"
            rf"went|was|got|just|made|took|saw|did|\w+ed|are (?:having|going|at))\b)[a-z]+ \S+|{_MY_KIN} (?:had|"
            rf"has had) (?:a (?:stroke|baby|heart attack|son|daughter)|surgery|cancer|twins)\b"
        ),
    ),
    rule(
        "profile",
        one(
            rf"(?:my|our|the) (?:[\w-]+ )?{_THING}(?:[']s| is| are| has| moved) (?:called |named |in |at |on |"
            rf"near |about |around )?(?:an? |the |from )?(?!(?:not|so|too|very|really|just|still|always|already|"
            rf"broken|down|slow|fine|ok|good|great|bad|wrong|overheating|dead|full|due|pending|going|getting|"
            rf"being|been|killing|mess|nightmare|best|worst|lot|bit|problem|issue|ready|done|late|running|"
            rf"acting)\b)\S+"
        ),
    ),
    rule(
        "profile",
        one(
            rf"{HAVE} (?:an? |one |two |three |four |five |six |\d+ |another |no )(?!(?:few|lot|bit|"
            rf"couple)\b)(?:[\w'-]+ ){{0,3}}?(?:{KIN}|siblings?|stepchildren|brothers?|sisters?|sons?|daughters?|"
            rf"newborn|house|flat|apartment|cabin|car|van|bike|boat|garden|allotment|farm|piano|guitar|motorbike|"
            rf"tattoos?|business|shop|startup|blog|podcast|chickens?|goats?|tortoise|fish|birds?)\b"
        ),
    ),
    rule("profile", one(r"(?:the|our|my) [\w' -]{2,30} is (?:called|named) \S+")),
    rule(
        "profile",
        one(
            r"(?:our|my|the) (?:[\w-]+ ){0,3}?(?:db|database|api|gateway|server|servers|cluster|repo|repository|"
            r"backend|frontend|website|site|app|pipeline|"
            r"ci|build|service|stack|codebase|infra\w*|wiki) (?:is |are )?(?:runs?|running|hosted|deployed|"
            r"lives?|stored|listens?|written|uses?|built|on|based) "
            r"(?:on |at |in |under |with |by )?(?!(?:it|this|that|fear|hope|time|circles|my|the way|fire|"
            r"slow\w*|fine|again|out)\b)\S+"
        ),
        observed="technical",
    ),
)
