"""What a person likes and dislikes, in English."""

from __future__ import annotations

from typing import Final

from beaver.memory.capture.english.words import AM, ELSEWHERE, FRONT, LASTING, OFTEN, VALUE, WHO, one
from beaver.memory.capture.patterns import any_of, rule

_LIKE: Final = any_of(
    r"""
    prefer favou?r like (?:grown|come|learned|learnt)_to_(?:like|love|enjoy) love enjoy adore hate dislike detest
    despise loathe crave (?:can't|cannot|can_not|couldn't)_(?:stand|bear|deal_with|do|handle|tolerate|live_without)
    (?:don't|do_not)_(?:like|enjoy|care_for|do|want_you_to|mind)
    """
)
_FOND: Final = (
    r"(?:(?:such )?an? (?:(?:big|huge|massive|real|great|total) )?(?:fan|lover) of|(?:really |super |"
    r"very |so )?(?:into|fond of|keen on|obsessed with|"
    r"partial to|suckers? for|an? (?:sucker|stickler) for|crazy about|addicted to|picky about|big on|"
    r"hooked on|passionate about))"
)
PREFERENCES: Final = (
    rule(
        "preference",
        one(
            rf"{FRONT}{WHO}(?:'?ve| have)? (?:(?:can't|don't|"
            rf"do not) )?{OFTEN}{_LIKE} {ELSEWHERE}(?!to\W*$){LASTING}[\w\"].*"
        ),
    ),
    rule(
        "preference",
        one(
            rf"(?:i|we)(?:'?ve| have) (?:always|never|long) (?:preferred|loved|liked|hated|enjoyed|disliked|"
            rf"been (?:a|an|into|fond|keen)) {ELSEWHERE}\S+"
        ),
    ),
    rule(
        "preference",
        one(
            rf"(?:(?:really|absolutely|honestly|just) )?(?:love|hate|prefer|dislike|adore|(?:can't|cannot|"
            rf"can not) (?:stand|bear|deal with|do)|(?:don't|do not) (?:like|enjoy|eat|drink|"
            rf"do)) {ELSEWHERE}(?!(?:is|and|can|will|has|of|for|conquers)\b)(?!.*\byou\b)\S+"
        ),
        opens=True,
    ),
    rule(
        "preference",
        one(
            rf"(?:{AM} )?{OFTEN}(?:not )?(?:(?:really|exactly|much|huge|big) )?(?:fans of|"
            rf"{_FOND}) {ELSEWHERE}(?!trouble\b)\S+"
        ),
    ),
    rule(
        "preference",
        one(
            rf"{AM} {OFTEN}(?:not )?(?:(?:much|more) of )?an? (?:(?:big|huge|total|"
            rf"real) )?(?:[\w-]+ ){{1,3}}(?:person|people|lover|girl|guy|addict|junkie|enthusiast|nerd|snob|fan|"
            rf"owl|bird)\b|{AM} {OFTEN}(?:more of|big|huge|serious) (?:[\w-]+ )+(?:people|fans|lovers|person)\b|"
            rf"{AM} {OFTEN}more of an? \S+"
        ),
    ),
    rule(
        "preference",
        one(
            r"(?:my|our) (?:all-time )?(?P<of>(?:(?:least )?favou?rite|preferred|go-to|usual|standard|default|"
            r"ideal|comfort|dream) "
            r"(?:\w+ ){0,2}?(?!(?:thing|things|part|parts|one|ones|moment|memory|way)\b)\w+) (?:is|are|"
            r"has always been) "
            rf"(?!(?:also|what|when|how|that|the one|not|apparently)\b){VALUE}"
        ),
        "",
    ),
    rule(
        "preference",
        one(
            r"(?:i|we)(?:'?ve| have)(?: always)?(?: got)? an? (?:soft spot|sweet tooth|weakness|thing|"
            r"preference|love|passion) for \S+|(?:i|we)(?:'?ve| have)(?: got)? an? (?:huge |massive |"
            r"real )?sweet tooth|.{3,40} (?:is|are) my (?:weakness|happy place|comfort food|guilty pleasure|jam|"
            r"go-to|favou?rites?|default|obsession)\b|the [\w-]+ the [\w' -]{2,30} the (?:better|worse)\b|"
            r".{5,60}, (?:always|every time|no exceptions)\W*$|.{5,80} (?:hill to die on|die on (?:this|"
            r"that) hill)\W*$"
        ),
    ),
    rule(
        "preference",
        one(
            r"(?:give me )?(?:an? |the )?(?:[\w'-]+ ){1,4}over (?:an? |"
            r"the )?(?:[\w'-]+ ){0,3}?(?:[\w'-]+,? (?:for me|any ?(?:day|time)|every (?:single )?time|always|"
            r"all day|please|every day)\b|(?<=give me )\S+)"
        ),
        opens=True,
    ),
    rule(
        "preference",
        one(
            r"give me (?:[\w'-]+ ){1,4}over \S+|(?:[\w-]+ )?[\w-]+, never (?!(?:mind|again|ever|heard|"
            r"seen)\b)[\w-]+(?: [\w-]+)?\W*$"
        ),
        opens=True,
    ),
    rule(
        "preference",
        one(
            r"(?:i|we)(?:\sreally|\sabsolutely)? (?:like|love|hate|dislike|can't stand|cannot stand|"
            r"prefer) it (?:when|if) (?!(?:you|he|she|they|that|this)\b)\S+ \S+"
        ),
    ),
    rule(
        "preference",
        one(
            r"(?:i|we) find (?!(?:it|this|that|you|them|him|her|myself)\b)(?:[\w-]+ ){1,3}?(?:much |far |a lot |"
            r"way |so much )?(?:more|less|too|\w+er) .*\bthan\b \S+|i find (?!(?:it|this|that|you|"
            r"them)\b)(?:[\w-]+ ){1,3}?(?:super |really |very |so |pretty |quite |incredibly |a bit |"
            r"too )?(?:boring|exhausting|relaxing|annoying|stressful|overrated|confusing|distracting|calming|"
            r"disgusting|tedious|therapeutic|soothing)\b"
        ),
    ),
)
