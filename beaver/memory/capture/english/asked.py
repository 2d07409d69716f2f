"""What a person asks for in English outright: to remember something, or to be reminded."""

from __future__ import annotations

from typing import Final

from beaver.memory.capture.english.words import one
from beaver.memory.capture.patterns import rule

_POINTS_BACK: Final = (
    r"(?!(?:that|what|when|how|who|whom|where|why|which|if|whether|me|us|him|her|them|it|it's|this|"
    r"the (?:time|day|days|one|ones|"
    r"good|last)|those|back|asking|saying|seeing|anything|everything|nothing|to|you|you're|you've|every|"
    r"life|there's|we're|"
    r"always|never|i'm (?:always|here|proud))\b)"
)
_COMFORT: Final = (
    r"(?!(?:take (?:care|it|your|a break)|find|focus|celebrate|enjoy|breathe|relax|be|have fun|rest|"
    r"stay|keep|believe|stop|"
    r"smile|love|trust)\b)(?!.*\byourself\b)"
)
_LIST: Final = r"(?:my|our|the) (?:[\w-]+ )?(?:list|to-?dos?)"
_NOTED: Final = (
    r"(?:(?:re?mem?ber|keep in mind|bear in mind|do(?:n't| not) forget|make a(?: mental)? note|"
    r"take note|note(?: down)?|memori[sz]e|"
    r"jot (?:(?:this|that|it) )?down|write (?:this|that|it) down|commit (?:(?:this|that|it) )?to memory|"
    r"(?:remember|save|store|note|log) (?:this|that|it)(?: one| down)?)(?: (?:for (?:me|later|"
    r"next time)|to (?:your )?memory))*|"
    r"for (?:the record|future reference|next time|later)|note to self(?: and \w+ \w+)?|(?:you|"
    r"u) (?:should|need to|must) know)"
)
REMEMBER: Final = (
    rule(
        "remember",
        one(
            r"(?:(?:re?mem?ber|remind (?:me|us)|make sure i remember|help me remember) to|"
            r"(?:do(?:n't| not) (?:let me )?forget|(?:i|we) (?:must not|mustn't|can't|cannot|shouldn't|"
            r"better not) forget) (?:to|about)|"
            r"do(?:n't| not) let me forget:?|(?:please )?make sure (?:that )?i) "
            rf"{_COMFORT}(?P<content>\w+(?:'s)? \S.*)"
        ),
        observed="task",
        opens=True,
    ),
    rule(
        "remember",
        one(rf"(?:add|put|stick) (?:this |that |it )?(?:to|on|onto) {_LIST}[:,]? (?P<content>\S.+)"),
        observed="task",
        opens=True,
    ),
    rule(
        "remember",
        one(rf"(?:add|put|stick) (?P<content>[\w' -]{{2,60}}?) (?:to|on|onto) {_LIST}\b"),
        observed="task",
        opens=True,
    ),
    rule(
        "remember",
        one(r"don't let me (?P<content>(?!forget\b|be\b|down\b|know\b)[a-z]+ \S.*)"),
        observed="task",
        opens=True,
    ),
    rule(
        "remember",
        one(
            r"(?:remind|ping|nudge|nag|poke|alert|wake) (?:me|us) "
            r"(?!(?:why|what|how|where|who|which|when (?:did|was|is|the)|again|of (?:an?|the|my|that|this|"
            r"when))\b)(?P<content>\w+ \S.*)"
        ),
        observed="task",
    ),
    rule(
        "remember",
        one(r"(?:my |our )?to[- ]?do'?s?\b(?: list)?(?: (?:for|this|next) \w+){0,2} ?: ?(?P<content>\S+ \S.+)"),
        observed="task",
        opens=True,
    ),
    rule(
        "remember",
        one(rf"{_NOTED}(?: ?[:,–-] ?| that | )(?:that )?{_POINTS_BACK}(?P<content>[\w\"“'£$€]\S*\s\S.*)"),
        opens=True,
    ),
    rule(
        "remember",
        one(
            r"(?P<content>\S+ \S.{5,}?)(?:[,;:–-] ?(?:so |and )?| so | and )(?:(?:please|pls|plz) (?:remember|"
            r"note|don't forget)"
            r"(?: (?:that|this|it))?|(?:please |pls )?(?:remember (?:that|this|it)|note (?:that|this|it) down|"
            r"(?:keep|bear) (?:that|this|it) in mind|put (?:that|"
            r"it) on my list))(?: for [\w ]{2,30})?(?: please| ok| thanks)?\W*$"
        ),
        opens=True,
    ),
)
