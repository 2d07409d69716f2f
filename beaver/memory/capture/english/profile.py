"""What a person says of themselves and their people, in English."""

from __future__ import annotations

from typing import Final

from beaver.memory.capture.english.words import KIN, MORE_KIN, VALUE, WORK, rule

PROFILE: Final = (
    rule("profile", "discovery", 0.9, rf"my (?:full )?name is\s(?!(?:on|not|in|the)\b){VALUE}", "name"),
    rule(
        "profile",
        "discovery",
        0.8,
        rf"(?:please )?call me\s(?-i:(?=[A-Z])){VALUE}",
        "wants to be called",
    ),
    rule(
        "profile",
        "discovery",
        0.85,
        rf"i(?:'m| am)?(?:\s(?:now|currently|just|recently|still))*\s(?:live|living|reside|based|"
        rf"moved(?:\sfrom\s[^,]{{1,30}}?)?)\s(?:in|to|at|near)\s"
        rf"(?!(?:fear|hope|the (?:moment|past|present|same))\b)(?:a\s(?:\w+\s){{0,2}}(?:in|near)\s)?{VALUE}",
        "lives in",
    ),
    rule(
        "profile", "discovery", 0.8, rf"i(?:'m| am| come)\s(?:originally )?from\s(?-i:(?=[A-Z])){VALUE}", "comes from"
    ),
    rule("profile", "discovery", 0.85, rf"i was born (?:in|on)\s{VALUE}", "born"),
    rule(
        "profile",
        "discovery",
        0.85,
        rf"i(?:'m| am)?(?:\s(?:now|currently|also))*\s(?:work|working|employed)\sas\s(?:an?\s|the\s)?{VALUE}",
        "works as",
    ),
    rule(
        "profile",
        "discovery",
        0.8,
        rf"i(?:'m| am)?(?:\s(?:now|currently))*\s(?:work|working|employed)\s(?:at|for)\s(?-i:(?=(?:an?\s|"
        rf"the\s)?[A-Z])){VALUE}",
        "works at",
    ),
    rule("profile", "discovery", 0.8, rf"i(?:'m| am)\san?\s(?:[\w-]+\s){{0,3}}{WORK}\b(?!')"),
    rule(
        "profile",
        "discovery",
        0.9,
        r"i(?:'m| am)\s(?:\w+\s)?(?:allergic to|intolerant to|diabetic|vegetarian|vegan|pescatarian|"
        r"left-handed|colou?r-?blind|lactose intolerant)\b",
    ),
    rule(
        "profile",
        "discovery",
        0.85,
        rf"my (?P<of>birthday|blood type|time ?zone|pronouns|phone number|email(?: address)?|home address|"
        rf"(?:shoe |shirt )?size|job title|native language|mother tongue)\s(?:is|are)\s(?!(?:on my|not|"
        rf"wrong|soon)\b){VALUE}",
        "",
    ),
    rule("profile", "discovery", 0.85, rf"my (?P<of>{KIN})(?:'s name is|\sis (?:called|named))\s{VALUE}", "name of"),
    rule("profile", "discovery", 0.8, rf"my (?P<of>{KIN})(?:\sis)\s(?-i:(?=[A-Z][a-z]+\.?$)){VALUE}", "name of"),
    rule(
        "profile",
        "discovery",
        0.75,
        r"i have (?:an?|one|two|three|four|five|\d+)\s(?:\w+\s)?(?:kids?|children|sons?|daughters?|"
        r"dogs?|cats?|brothers?|sisters?|siblings?|twins)\b",
    ),
    rule(
        "profile",
        "discovery",
        0.75,
        rf"i (?:study|major in|am studying)\s(?-i:(?=[A-Z]|(?:\w+\s){{1,3}}at\s[A-Z])){VALUE}",
        "studies",
    ),
    rule(
        "profile",
        "discovery",
        0.75,
        rf"my (?:\w+ )?(?:{KIN}|{MORE_KIN})(?:(?:\s(?-i:[A-Z][\w'-]+))+\s|\s)"
        r"(?!(?:says?|said|thinks?|thought|is (?:tired|here|late|back|calling|asleep|sick|asking|angry|mad|busy|so|"
        r"very|really|just)|was|were|would|wants?|asked|told|loves it)\b)"
        r"(?:is|has|just|works?|lives?|studies|moved|started|teaches|plays?|comes?|speaks?|owns?|got)\s\S+",
    ),
    rule(
        "profile",
        "discovery",
        0.8,
        r"i(?:'ve| have)(?:\sgot)?\san?\s(?:\w+\s)?(?:ph\.?d|doctorate|master's|bachelor's|degree|diploma|licen[cs]e|"
        r"pacemaker|condition|disability|allergy|black belt)\b.*",
    ),
    rule(
        "profile",
        "discovery",
        0.75,
        r"i (?:teach|coach|tutor|own|manage(?! to)|"
        r"run(?! (?:into|out|away|it|this|the (?:test|code|command|script)))|drive|play|speak|practi[sc]e|collect|"
        r"volunteer)\s"
        r"(?!(?:it|this|that|them|you|up|with|too|for you|back|to you|a (?:role|part))\b)\S+",
    ),
    rule(
        "profile",
        "discovery",
        0.8,
        r"(?:i|we)(?:\s(?:just|recently|finally))?\s(?:got\s(?:married|engaged|divorced)|retired|graduated)\b"
        r"(?=\W*$|\s(?:in|on|from|last|this|two|three|a few|\d)).*",
    ),
    rule(
        "profile",
        "discovery",
        0.75,
        r"i (?:switched|converted|changed)\s(?:over\s)?to\s(?!(?:it|this|that|them|the other)\b)\S+\s\S+",
    ),
    rule(
        "profile",
        "discovery",
        0.75,
        r"i (?:can't|cannot|can no longer|am not able to|'m not allowed to|am not allowed to)\s(?:lift|eat|drink|"
        r"hear|see|walk|"
        r"drive|run|digest|climb|swim|fly)\s(?!(?:it|this|that|why|how|what|the (?:point|problem|difference))\b)\S+",
    ),
    rule(
        "profile",
        "discovery",
        0.7,
        r"i use\s(?!(?:it|this|that|them|a (?:lot|few|bit))\b)(?:an?|my|the)?\s?\S+.*\s"
        r"(?:at work|at home|for (?:work|everything)|every day)\b",
    ),
    rule(
        "profile",
        "technical",
        0.75,
        r"(?:our|my)\s(?:[\w-]+\s){1,4}(?:listens|runs|is hosted|is deployed|lives|is stored)\s(?:on|at|in|under)\s"
        r"(?!(?:it|this|that|fear|hope|time|circles|my|the way)\b)\S+",
    ),
    rule(
        "profile",
        "discovery",
        0.7,
        r"(?:i|we)(?:'ve| have)(?:\sgot)?\s(?:an?|one|two|three|four|five|\d+)\s(?:[\w-]+\s){0,2}?"
        r"(?!(?:few|lot|bit|little|great|good|bad|new|quick|small|big|question|questions|problem|problems|issue|bug|"
        r"idea|feeling|"
        r"meeting|minute|minutes|moment|second|headache|cold|fever|look|chance|doubt|request|call|favou?r|hard|time|"
        r"day|days|week|"
        r"year|plan|point|way|reason|choice|suggestion|deadline|thing|things|list|file|text|message|"
        r"error)\b)[\w-]{3,}(?=\W*$|,|\s(?:named|"
        r"called|who|in|at|from|of|and|but|"
        r"on)\b)(?<!question)(?<!problem)(?<!issue)(?<!idea)(?<!meeting)(?<!time)(?<!day)(?<!headache)",
    ),
    rule(
        "profile",
        "discovery",
        0.65,
        r"my (?!(?:point|question|problem|issue|guess|bad|turn|pleasure|head|day|week|weekend|mood|apolog\w+|"
        r"mistake|fault|mind|god|idea|"
        r"plan|code|computer|answer|understanding|only|first|next|last|main|biggest|heart|favou?rite|dream|hope|"
        r"concern|life|time|"
        r"goal|internet|phone|brain|eyes|back)\b)"
        r"(?:[\w'-]+\s){1,3}?(?:is|are|has|have)\s(?!(?:not|so|too|very|really|just|still|always|already|broken|"
        r"down|slow|"
        r"fine|ok|okay|good|great|bad|happy|sad|tired|wrong|crazy|killing|going|getting|being|about|that|what|how|"
        r"why|been|killing|"
        r"amazing|awesome|the (?:best|worst))\b)\S+",
    ),
)
