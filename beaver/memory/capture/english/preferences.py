"""What a person likes and does by habit, in English."""

from __future__ import annotations

from typing import Final

from beaver.memory.capture.english.words import OFTEN, POINTS_ELSEWHERE, VALUE, rule

PREFERENCES: Final = (
    rule("preference", "preference", 0.85, rf"i{OFTEN}\s(?:prefer|favou?r){POINTS_ELSEWHERE}\s\S+"),
    rule(
        "preference",
        "preference",
        0.75,
        rf"i{OFTEN}\s(?:like|love|enjoy|adore|hate|dislike|detest|despise|can't stand|cannot stand|"
        rf"don't (?:like|enjoy|want you "
        rf"to)|do not (?:like|enjoy)){POINTS_ELSEWHERE}\s(?!to\W*$)[a-z]\S*",
    ),
    rule(
        "preference",
        "preference",
        0.75,
        r"i(?:'m| am)\s(?:a (?:big |huge )?fan of|really into|fond of)\s(?!(?:this|that|it)\b)\S+",
    ),
    rule(
        "preference",
        "preference",
        0.85,
        r"my\s(?:all-time\s)?(?P<of>favou?rite\s(?:\w+\s){0,2}?(?!(?:thing|things|part|parts|one|ones|"
        r"moment|memory|way)\b)\w+)\s(?:is|are)\s"
        rf"(?!(?:also|what|when|how|that|the one)\b){VALUE}",
        "",
    ),
    rule(
        "preference",
        "preference",
        0.75,
        r"i\s(?:always|never|don't|do not)\s(?:eat|drink|smoke|use|wear|drive|work|buy|travel|take|cook|"
        r"watch|read|listen)\s"
        r"(?!(?:it|this|that|them|of it)\b)\S+",
    ),
    rule(
        "preference",
        "preference",
        0.75,
        r"i(?:\sreally|\sabsolutely)?\s(?:like|love|hate|dislike|can't stand|cannot stand|prefer)\sit\swhen\s"
        r"(?!(?:you|he|she|they|that|this)\b)\S+\s\S+",
    ),
    rule(
        "preference",
        "preference",
        0.75,
        r"(?!(?:this|that|it|they|these|those|he|she)\b)(?:[\w'-]+\s){1,4}(?:is|are)(?:n't|\snot|\sdefinitely|\sreally|\sjust)*\s"
        r"(?:my (?:cup of tea|thing|style|jam)|for me)(?=\W|\sat\sall|\sreally|$)",
        opens=True,
    ),
    rule(
        "preference",
        "preference",
        0.8,
        rf"my (?P<of>(?:go-to|usual|standard|default)\s(?:\w+\s){{0,2}}\w+)\s(?:is|are)\s(?!(?:not|what|how|that)\b){VALUE}",
        "",
    ),
    rule(
        "preference",
        "preference",
        0.7,
        r"i find\s(?!(?:it|this|that|you|them|him|her|myself)\b)(?:\w+\s){1,3}?(?:much |far |a lot |way |so much )?"
        r"(?:more|less|too|\w+er)\s.*\bthan\b\s\S+",
    ),
)
