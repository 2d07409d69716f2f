"""The rules of capture for English."""

from __future__ import annotations

import re
from typing import Final

from beaver.memory.capture.patterns import Kind, Language, Rule
from beaver.memory.observations.records import ObservationType


def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


_VALUE: Final = (
    r"(?P<value>[^,;:!?()]+?)(?=\s*(?:[,;:!?()]|\.?$|\.\s|\s(?:and|but|so|because|since|though|"
    r"although|where|which|who|when|"
    r"now|right now|currently|these days|at the moment|with my|actually|anyway)\b))"
)
_OFTEN: Final = (
    r"(?:\s(?:really|also|absolutely|usually|generally|much|always|still|just|definitely|personally|do|truly))*"
)
_DAY: Final = (
    r"(?:end of|(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|"
    r"oct|nov|dec)[a-z]*\b|"
    r"\d|week|weekend|month|quarter|year|noon|midnight|morning|evening|afternoon|tomorrow|tonight)"
)
_TIME: Final = (
    rf"\b(?:tomorrow|tonight|(?:by|before|until|on|this|next|due|at)\s(?:the\s|next\s|this\s)?{_DAY}|"
    rf"in\s(?:\d+|an?|two|three)\s"
    r"(?:hour|day|week|month)s?)"
)
_POINTS_ELSEWHERE: Final = (
    r"(?!\s(?:it|this|that|these|those|them|you|your|him|her|his|their|all|how|what|where|when|who|"
    r"seeing|hearing|being|making (?:him|"
    r"her|them|you)|to\s(?:say|think|admit|see|know|hear|point|bother|ask|interrupt|suggest)|not\s(?:to|being)|"
    r"the\s(?!\w+\W*$)\S+)\b)"
)
_KIN: Final = (
    r"(?:wife|husband|partner|spouse|son|daughter|mother|mom|mum|father|dad|brother|sister|boyfriend|"
    r"girlfriend|fianc[eé]e?|"
    r"dog|cat|boss|manager|company|team|doctor|dentist|landlord|roommate|flatmate|best friend|"
    r"grandmother|grandfather)"
)
_WORK: Final = (
    r"(?:engineer|developer|programmer|designer|teacher|doctor|nurse|lawyer|student|scientist|"
    r"researcher|writer|artist|chef|"
    r"cook|baker|architect|manager|accountant|analyst|consultant|journalist|editor|musician|"
    r"photographer|professor|pilot|"
    r"driver|electrician|plumber|carpenter|mechanic|farmer|pharmacist|dentist|vet|veterinarian|"
    r"therapist|psychologist|"
    r"librarian|translator|actor|dancer|sailor|soldier|firefighter|paramedic|salesperson|entrepreneur|freelancer|"
    r"contractor|administrator|biologist|chemist|physicist|mathematician|statistician|economist|historian|gardener)"
)


def _rule(
    kind: Kind,
    observed: ObservationType,
    confidence: float,
    pattern: str,
    attribute: str | None = None,
    *,
    opens: bool = False,
) -> Rule:
    return Rule(kind, observed, _compiled(pattern), confidence, attribute, opens)


_REMEMBER: Final = (
    _rule(
        "remember",
        "task",
        0.85,
        r"(?:remember|do(?:n't| not) forget|remind me|make sure i remember)\sto\s(?!(?:take (?:care|it|"
        r"your|a break)|find|focus|"
        r"celebrate|enjoy|breathe|relax|be|have fun|rest|stay|keep|believe|stop|smile|love|"
        r"trust)\b)(?P<content>(?!.*\byourself\b)\w+\s\S.+)",
        opens=True,
    ),
    _rule("remember", "task", 0.85, r"remind me\s(?P<content>(?:about|of|that|on|at|in|every|before|tomorrow)\s\S.+)"),
    _rule(
        "remember",
        "discovery",
        0.95,
        r"(?:remember|keep in mind|bear in mind|do(?:n't| not) forget|make a note|take note|note down|"
        r"memori[sz]e|for the record|"
        r"for future reference|(?:save|store|note) (?:this|that|it)(?: (?:down|for later|to (?:your )?memory))?)"
        r"(?:\s*[:,–-]\s*|\sthat\s|\s)(?!(?:that|what|when|how|who|whom|where|why|which|if|whether|me|us|"
        r"him|her|them|it|it's|this|"
        r"the (?:time|day|days|one|ones|good|last)|those|back|asking|saying|seeing|anything|everything|"
        r"nothing|to|you|you're|"
        r"you've|every|life|there's|we're|always|never|i'm (?:always|here|"
        r"proud))\b)(?P<content>[\w\"“'£$€]\S*\s\S+\s\S.*)",
        opens=True,
    ),
)
_NO_ORDER: Final = (
    r"(?:a|an|the|again|mind|ever|been|in|on|had|too|better|heard|seen|thought|knew|saw|did|went|"
    r"came|took|made|felt|found|left|"
    r"lost|met|said|told|gave|kept|here|there|full|ready|nice|good|great|happy|fun|welcome|is|are|"
    r"was|were|fear|once|before|"
    r"really|so|such|up|got|forget|quit|underestimate|believe|give up|stop|lose|say never|feel|"
    r"[a-z]+(?:ed|ing|[^s]s))"
)
_RULES: Final = (
    _rule(
        "rule",
        "preference",
        0.85,
        r"(?:you (?:should|must) |make sure to |be sure to |remember to )?(?:always|never|don't ever|do not ever)\s"
        rf"(?!{_NO_ORDER}\b)[a-z]+\s\S+",
        opens=True,
    ),
    _rule(
        "rule",
        "preference",
        0.85,
        r"(?:from now on|going forward|from here on(?: out)?|in (?:the )?future|henceforth)\s*,?\s"
        r"(?:please |always |never |do |don't |only |you (?:should |must |can )?)*"
        r"(?!(?:i|i'm|i'll|we|we'll|they|he|she|it|it's|there|the|this|that|these|my|our|people|ai)\b)[a-z]+\s\S+",
        opens=True,
    ),
    _rule(
        "rule",
        "preference",
        0.8,
        r"(?:my|our|the) (?:standing )?(?:rule|policy|convention) (?:is|here is)\s\S+\s\S+",
        opens=True,
    ),
)
_PREFERENCES: Final = (
    _rule("preference", "preference", 0.85, rf"i{_OFTEN}\s(?:prefer|favou?r){_POINTS_ELSEWHERE}\s\S+"),
    _rule(
        "preference",
        "preference",
        0.75,
        rf"i{_OFTEN}\s(?:like|love|enjoy|adore|hate|dislike|detest|despise|can't stand|cannot stand|"
        rf"don't (?:like|enjoy|want you "
        rf"to)|do not (?:like|enjoy)){_POINTS_ELSEWHERE}\s(?!to\W*$)[a-z]\S*",
    ),
    _rule(
        "preference",
        "preference",
        0.75,
        r"i(?:'m| am)\s(?:a (?:big |huge )?fan of|really into|fond of)\s(?!(?:this|that|it)\b)\S+",
    ),
    _rule(
        "preference",
        "preference",
        0.85,
        r"my\s(?:all-time\s)?(?P<of>favou?rite\s(?:\w+\s){0,2}?(?!(?:thing|things|part|parts|one|ones|"
        r"moment|memory|way)\b)\w+)\s(?:is|are)\s"
        rf"(?!(?:also|what|when|how|that|the one)\b){_VALUE}",
        "",
    ),
    _rule(
        "preference",
        "preference",
        0.75,
        r"i\s(?:always|never|don't|do not)\s(?:eat|drink|smoke|use|wear|drive|work|buy|travel|take|cook|"
        r"watch|read|listen)\s"
        r"(?!(?:it|this|that|them|of it)\b)\S+",
    ),
)
_DECISIONS: Final = (
    _rule(
        "decision",
        "decision",
        0.85,
        r"(?:we|i|the team|our team)(?:'ve| have| had)?(?:\s(?:finally|just|all|now|also|already|both|"
        r"eventually|together|now))*\s"
        r"(?:decided\s(?:to|on|that|against|not to)|agreed\s(?:to|on|that)|settled\son|opted\s(?:for|to)|"
        r"resolved\sto|"
        r"chose(?:n)?|picked(?!\sup)|voted\s(?:to|for))\s(?!(?:nothing|it|this|that|him|her|them)\b)\S+",
    ),
    _rule(
        "decision",
        "decision",
        0.8,
        r"let's\s(?:go with|stick with|stick to|settle on|switch to|adopt|use)\s(?!(?:it|this|that|"
        r"the flow|them|an? example)\b)\S+",
    ),
    _rule(
        "decision",
        "decision",
        0.8,
        r"(?:we'll|we will|we're|we are|i'll|i will|i'm|i am)\s(?:go with|going with|going to go with|"
        r"stick with|sticking with|"
        r"switching to)\s(?!(?:it|this|that|you|them|him|her)\b)\S+",
    ),
    _rule(
        "decision",
        "decision",
        0.85,
        r"(?:the |our |my )?(?:final )?decision(?: is|:)\s(?!(?:yours|pending|hard|not)\b)\S+",
    ),
)
_PROFILE: Final = (
    _rule("profile", "discovery", 0.9, rf"my (?:full )?name is\s(?!(?:on|not|in|the)\b){_VALUE}", "name"),
    _rule(
        "profile",
        "discovery",
        0.8,
        rf"(?:please )?call me\s(?-i:(?=[A-Z])){_VALUE}",
        "wants to be called",
    ),
    _rule(
        "profile",
        "discovery",
        0.85,
        rf"i(?:'m| am)?(?:\s(?:now|currently|just|recently|still))*\s(?:live|living|reside|based|"
        rf"moved)\s(?:in|to|at|near)\s"
        rf"(?!(?:fear|hope|the (?:moment|past|present|same))\b)(?:a\s(?:\w+\s){{0,2}}(?:in|near)\s)?{_VALUE}",
        "lives in",
    ),
    _rule(
        "profile", "discovery", 0.8, rf"i(?:'m| am| come)\s(?:originally )?from\s(?-i:(?=[A-Z])){_VALUE}", "comes from"
    ),
    _rule("profile", "discovery", 0.85, rf"i was born (?:in|on)\s{_VALUE}", "born"),
    _rule(
        "profile",
        "discovery",
        0.85,
        rf"i(?:'m| am)?(?:\s(?:now|currently|also))*\s(?:work|working|employed)\sas\s(?:an?\s|the\s)?{_VALUE}",
        "works as",
    ),
    _rule(
        "profile",
        "discovery",
        0.8,
        rf"i(?:'m| am)?(?:\s(?:now|currently))*\s(?:work|working|employed)\s(?:at|for)\s(?-i:(?=(?:an?\s|"
        rf"the\s)?[A-Z])){_VALUE}",
        "works at",
    ),
    _rule("profile", "discovery", 0.8, rf"i(?:'m| am)\san?\s(?:[\w-]+\s){{0,3}}{_WORK}\b(?!')"),
    _rule(
        "profile",
        "discovery",
        0.9,
        r"i(?:'m| am)\s(?:\w+\s)?(?:allergic to|intolerant to|diabetic|vegetarian|vegan|pescatarian|"
        r"left-handed|colou?r-?blind|lactose intolerant)\b",
    ),
    _rule(
        "profile",
        "discovery",
        0.85,
        rf"my (?P<of>birthday|time ?zone|pronouns|phone number|email(?: address)?|home address|"
        rf"(?:shoe |shirt )?size|job title|native language|mother tongue)\s(?:is|are)\s(?!(?:on my|not|"
        rf"wrong|soon)\b){_VALUE}",
        "",
    ),
    _rule("profile", "discovery", 0.85, rf"my (?P<of>{_KIN})(?:'s name is|\sis (?:called|named))\s{_VALUE}", "name of"),
    _rule("profile", "discovery", 0.8, rf"my (?P<of>{_KIN})(?:\sis)\s(?-i:(?=[A-Z][a-z]+\.?$)){_VALUE}", "name of"),
    _rule(
        "profile",
        "discovery",
        0.75,
        r"i have (?:an?|one|two|three|four|five|\d+)\s(?:\w+\s)?(?:kids?|children|sons?|daughters?|"
        r"dogs?|cats?|brothers?|sisters?|siblings?|twins)\b",
    ),
    _rule(
        "profile",
        "discovery",
        0.75,
        rf"i (?:study|major in|am studying)\s(?-i:(?=[A-Z]|(?:\w+\s){{1,3}}at\s[A-Z])){_VALUE}",
        "studies",
    ),
)
_TASKS: Final = (
    _rule("task", "task", 0.85, r"to-?do\s*:\s*(?P<content>\S+\s\S.+)"),
    _rule(
        "task",
        "task",
        0.75,
        r"(?:i|we)\s(?:also )?(?:need to|have to|must|should|promised to|committed to|agreed to|"
        r"am supposed to|are supposed to|"
        rf"'ve got to|plan to)\s(?!(?:say|admit|go\b|know|be\b|talk|see))\w+\s.*?{_TIME}",
    ),
    _rule(
        "task",
        "task",
        0.7,
        rf"(?:i'll|i will|we'll|we will)\s(?!(?:be|see|talk|let|think|try|call you|go|check|"
        rf"get back)\b)\w+\s.*?\b(?:by|before)\s(?:the\s)?{_DAY}",
    ),
    _rule(
        "task",
        "task",
        0.8,
        rf"(?:the |my |our )?(?:\w+\s){{0,3}}(?:deadline|due date)(?:\s(?:for|of)\s[^,]+?)?\s(?:is|:)\s.*?{_DAY}",
    ),
    _rule(
        "task",
        "task",
        0.8,
        rf"(?:the|my|our)\s(?:\w+\s){{1,4}}(?:is|are)\sdue\s(?:on\s|by\s|at\s|this\s|next\s|the\s)*{_DAY}",
    ),
)
_FIXES: Final = (
    _rule(
        "fix",
        "discovery",
        0.85,
        r"(?:the|our|a|my) (?:fix|solution|workaround|trick) (?:was|is|turned out to be)\s"
        r"(?!(?:ready|not|wrong|deployed|in|on|merged|coming|unclear)\b)(?:to\s)?\S+\s\S+",
    ),
    _rule(
        "fix",
        "discovery",
        0.85,
        r"(?:the|our) (?:problem|issue|bug|cause|root cause|culprit|error|failure) (?:was|turned out to be|"
        r"was caused by)\s(?!(?:not|still|that i|fixed|solved|gone|resolved|reported|there|here|back)\b)\S+\s\S+",
    ),
    _rule(
        "fix",
        "discovery",
        0.85,
        r"(?!(?:that|this|it|you|which|what|he|she|they|i|we|nothing)\b)(?:\S+\s){1,9}?(?:fixed|solved|"
        r"resolved|cured)\s(?:it|this|that|the|our|my)\b.*",
        opens=True,
    ),
    _rule(
        "fix",
        "discovery",
        0.85,
        r"(?:i|we)(?:'ve| have)?\s(?:finally\s)?(?:fixed|solved|resolved)\s(?:it|this|that|the|our|my)\b.*?\bby\s\S+",
    ),
    _rule(
        "fix",
        "discovery",
        0.8,
        r"(?:it|everything|(?:the|our|my) (?:\w+\s){1,3}?)\s?(?:works|runs|builds|passes|is working) "
        r"(?:now |again |fine )*(?:after|since|because|once|now that)\s\S+\s\S+",
    ),
)

ENGLISH: Final = Language(
    rules=(*_REMEMBER, *_RULES, *_PREFERENCES, *_DECISIONS, *_PROFILE, *_TASKS, *_FIXES),
    lead=_compiled(
        r"^(?:(?:hi|hey|hello)(?:\s(?-i:[A-Z])\w+)?\s*[,!.:-]?\s+|(?:ok|okay|well|so|oh|ah|yes|yeah|yep|"
        r"no|nope|sure|right|thanks|"
        r"thank you|great|fine|also|actually|anyway|honestly|note|fyi|btw|by the way|to be honest|"
        r"one more thing|just so "
        r"you know|in fact)\s*[,!:–-]\s*|(?:please|also|and|but|btw|by the way|fyi|actually|"
        r"just so you know|i want you to|"
        r"i'd like you to|you should|(?:can|could|would|will) you(?: please)?(?=\s(?:please |"
        r"kindly )?(?:remember|note|remind|keep|"
        r"make a note|always|never|save|store|memori))|just|kindly)\s+)+"
    ),
    clause=_compiled(
        r"(?:[,;:–—]|\s-)\s+(?:(?:and|but|so|because|since|though)\s+)?|\s(?:and|but|so|because|since|though)\s+"
    ),
    setting=_compiled(r"^(?:in|on|at|for|when|whenever|if|after|before|during|as|last|since|with|by|most|every)\b"),
    question=_compiled(
        r"\?\W*$|^(?:what|who|whom|whose|why|how)\b(?!ever)|^(?:is|are|am|was|were|do|does|did|can|could|"
        r"would|will|should|shall|"
        r"have|has|had|where|when|which)\s(?:i|you|we|he|she|it|they|there|is|are|do|does|did|can|should|"
        r"the|my|your)\b(?![^?]*,)"
    ),
    supposed=_compiled(
        r"^(?:suppose|supposing|imagine|assume|assuming|let's say|say|pretend|what if|unless|wish|"
        r"hopefully|hypothetically)\b|"
        r"\b(?:for example|e\.g\.|hypothetically|in my (?:story|novel|dream|game|poem)|my character|"
        r"i wish|if only|would have|as if)\b"
    ),
    conditional=_compiled(r"^(?:if|when|whenever|in case|once)\b"),
    attributed=_compiled(
        r"\b(?:you|your (?:memory|notes|records))(?:'ve| have| had)?\s(?:just |already |once |"
        r"also )?(?:said|told|mentioned|remembered|"
        r"remember (?:that|me)|recalled?|noted|wrote|claimed|think (?:that )?i|stored|saved|says?|shows?|"
        r"suggested|know (?:that )?i)\b|"
        r"\baccording to\b|\bas (?:you|i|we) (?:know|said|mentioned|remember)\b"
    ),
    hedge=_compiled(
        r"\b(?:maybe|perhaps|possibly|might|probably|not sure|unsure|i guess|i suppose|kind of|sort of|"
        r"could be|tentatively|"
        r"haven't decided|not yet|just kidding|joking|lol)\b"
    ),
    payload=_compiled(
        r"^(?:please |can you |could you )*(?:translate|rewrite|rephrase|correct|proofread|edit|"
        r"summari[sz]e|paraphrase|improve|"
        r"polish|analy[sz]e|review|explain|classify|reply to|respond to|repeat|check|write|draft|complete)\b[^:]*:|"
        r"^here(?:'s| is| are)\s(?:the|an?|my|some)\s(?:\w+\s)?(?:text|e-?mail|article|letter|draft|"
        r"essay|story|transcript|logs?|"
        r"output|message|code|paragraph|document|poem|lyrics)\b"
    ),
    private=_compiled(
        r"\b(?:do(?:n't| not)|never|please don't) (?:remember|save|store|record|memori[sz]e|"
        r"keep)\s(?:any of )?(?:this|that|it|what)\b|"
        r"\boff the record\b|(?<!n't )(?<!not )\bforget (?:this|that|what i)\b"
    ),
    secret=_compiled(
        r"\b(?:passwords?|passphrase|passcode|pin(?: code| number)?|api[ _-]?key|secret(?: key)?|"
        r"access token|token|credentials?|cvv|"
        r"(?:credit )?card number|ssn|social security number|private key|recovery (?:code|phrase)|"
        r"one-time code|otp)\b"
        r"[^.]{0,40}?(?:\bis\b|\bare\b|=|:)"
    ),
)
