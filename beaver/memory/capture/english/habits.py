"""What a person does by habit, would rather do, and what does them good or ill, in English."""

from __future__ import annotations

from typing import Final

from beaver.memory.capture.english.words import FRONT, LASTING, OFTEN, WHO, one
from beaver.memory.capture.patterns import any_of, rule

_HABIT: Final = any_of(
    r"""
    always never usually normally generally typically mostly mainly rarely seldom hardly_ever tend_to prefer_to
    only_ever only
    """
)
_NO_HABIT: Final = (
    any_of(
        r"""
    said knew thought had have_(?:to|an?_(?:hard|good|great|lot)|problems?|issues?|trouble|errors?|fun|time|been|so)
    look_forward was were been be am forget forgot wanted want say know wonder mind understood understand feel felt
    saw see heard hear tried try met did do got get learned need wish hope mean found find think told tell came went
    made took left kept gave lost remember imagined like love loved enjoy end seem seen agree ask asked believe
    expect meant could would can will \w+ed
    """
    )
    + r"\b"
)
_EVERYDAY: Final = any_of(
    r"""
    eat drink smoke use wear drive work buy travel take cook watch read listen touch shop fly answer pick_up check
    do go play sleep
    """
)
HABITS: Final = (
    rule(
        "preference",
        one(
            rf"{FRONT}{WHO} {_HABIT} (?:just |only |also )?(?!{_NO_HABIT}){LASTING}[a-z]+ (?!(?:it|this|that|"
            rf"them|an? (?:error|warning))\b)\S+"
        ),
    ),
    rule(
        "preference",
        one(
            rf"(?:i|we) (?:don't|do not|can't|cannot) (?:(?:really|usually|normally|ever) )?{_EVERYDAY} (?!(?:it|"
            rf"this|that|them|of it|you|to|so|anything|back|now|well)\b){LASTING}\S+"
        ),
    ),
    rule(
        "preference",
        one(
            rf"(?:i|we) (?:{OFTEN})(?:avoid|stay away from|steer clear of|stick to|skip|swear by) (?!(?:it|this|"
            rf"that|them)\b)\S+|(?:i|we) gave up (?:on )?(?!(?:it|this|that|trying|after)\b)\S+"
        ),
    ),
    rule(
        "preference",
        one(
            rf"(?:i|we) {OFTEN}(?:eat|drink|take|have) (?:my |our )?(?:\w+ ){{1,3}}(?:only|black|plain|raw|neat|"
            rf"decaf|straight|every (?:day|morning|night|week))\b"
        ),
    ),
    rule(
        "preference",
        one(
            rf"{FRONT}(?:i|we) (?:{OFTEN})(?:go (?:running|swimming|hiking|climbing|cycling|dancing|fishing|"
            rf"jogging)|cook|gravitate (?:to|toward)|lean (?:to|toward)|opt for|lean on|refuse to|insist on|"
            rf"would rather|eat|drink|bake|sleep (?:better|best)|(?:want|take|like|"
            rf"need) my \w+ (?!to\b)\w+)\b ?(?!(?:it|this|that)\b)\S+"
        ),
    ),
    rule(
        "preference",
        one(
            r"(?:i'd|i would) (?:always |never )?(?:pick|take|choose) [\w' -]{2,40} over \S+|"
            r"don't (?:really )?(?:drink|smoke|eat|cook|drive|do) (?!(?:it|this|that|any of)\b)\S+|"
            r"i'm (?:happiest|happier|most productive|at my best) \S+"
        ),
    ),
    rule(
        "preference",
        one(r"(?:i|we)(?:'?d| would) (?:always |never |still )?(?:take|pick|choose|have) [^,]{2,40} over \S+"),
    ),
    rule(
        "preference",
        one(
            r"(?:i|we) (?:learn|work|sleep|focus|concentrate|study|code|write|perform|function) (?:best|better|"
            r"worst) \S+ \S+|(?:nothing|not much) beats (?!(?:that|this|it)\b)\S+|the (?:fewer|more|less|"
            r"simpler|shorter|spicier|darker|earlier|later) [\w' -]{0,30}the better\b|[^,]{3,40} > [^,]{3,40}.*|"
            r".{4,80},? (?:hands down|as far as i'm concerned|in my book)\W*$"
        ),
        opens=True,
    ),
    rule(
        "preference",
        one(
            r"(?:i|we)(?:'?d| would) (?:(?:much|far|always|still) )?(?:rather|sooner) (?!(?:not say|die|"
            r"do (?:it|this)|you|be)\b)\S+ \S+"
        ),
    ),
    rule(
        "preference",
        one(
            r"(?!(?:this|that|it|it's|they|these|those|he|she|which|what|you|your|one|as|thanks?|there|there's|"
            r"too|is|good|great|i|i'm|something|everything|nothing)\b)(?:[\w'-]+ ){1,6}?(?:(?:just|really|"
            r"definitely|always) )*"
            r"(?:(?:(?:is|are|isn't|aren't|not|just|so|totally|definitely|really) )(?:my (?:cup of tea|thing|"
            r"style|jam)|for me)(?=\W*$|,| at all| really)|(?:bores?|stress(?:es)?|tires?|annoys?|scares?|"
            r"relax(?:es)?|soothes?|calms?) me\b|(?:works?|suits?) (?:best |better |well )(?:for )?me\b|"
            r"(?:(?:doesn't|don't|do not|does not) )(?:work|suit|agree)(?: for| with)? me\b|(?:freaks?|"
            r"stress(?:es)?|grosses) me out|"
            r"(?:gives?|give) me (?:headaches?|migraines?|the creeps|anxiety|heartburn|hives)|"
            r"drives? me (?:crazy|nuts|mad|up the wall)|makes? me (?:queasy|dizzy|sick|nauseous|break out|"
            r"jittery|itch|sneeze|drowsy|gag))"
        ),
        opens=True,
    ),
    rule(
        "preference",
        one(
            r"i could (?:eat|watch|listen to|drink|read|live on|play) \S.* (?:every (?:single )?day|all day|"
            r"for(?: \w+)? (?:hours|ever)|forever)\b"
        ),
    ),
    rule(
        "preference",
        one(
            r"never (?:really )?(?:got into|liked|cared for|been into|understood the appeal of) \S+|"
            r"(?:[\w'-]+ ){1,3}(?:is|are) what (?:i|we) (?:\w+ )?(?:put on|eat|drink|order|wear|reach for|"
            r"go for|use|listen to)\b"
        ),
        opens=True,
    ),
)
