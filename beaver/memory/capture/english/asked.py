"""What a person asks for in English: to remember something, and to hold to a rule from now on."""

from __future__ import annotations

from typing import Final

from beaver.memory.capture.english.words import rule

REMEMBER: Final = (
    rule(
        "remember",
        "task",
        0.85,
        r"(?:remember|do(?:n't| not) forget|remind me|make sure i remember)\sto\s(?!(?:take (?:care|it|"
        r"your|a break)|find|focus|"
        r"celebrate|enjoy|breathe|relax|be|have fun|rest|stay|keep|believe|stop|smile|love|"
        r"trust)\b)(?P<content>(?!.*\byourself\b)\w+\s\S.+)",
        opens=True,
    ),
    rule("remember", "task", 0.85, r"remind me\s(?P<content>(?:about|of|that|on|at|in|every|before|tomorrow)\s\S.+)"),
    rule(
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
RULES: Final = (
    rule(
        "rule",
        "preference",
        0.85,
        r"(?:you (?:should|must) |make sure to |be sure to |remember to )?(?:always|never|don't ever|do not ever)\s"
        rf"(?!{_NO_ORDER}\b)[a-z]+\s\S+",
        opens=True,
    ),
    rule(
        "rule",
        "preference",
        0.85,
        r"(?:from now on|going forward|from here on(?: out)?|in (?:the )?future|henceforth)\s*,?\s"
        r"(?:please |always |never |do |don't |only |you (?:should |must |can )?)*"
        r"(?!(?:i|i'm|i'll|we|we'll|they|he|she|it|it's|there|the|this|that|these|my|our|people|ai)\b)[a-z]+\s\S+",
        opens=True,
    ),
    rule(
        "rule",
        "preference",
        0.8,
        r"(?:my|our|the) (?:standing )?(?:rule|policy|convention) (?:is|here is)\s\S+\s\S+",
        opens=True,
    ),
    rule(
        "rule",
        "preference",
        0.8,
        r"(?:please )?(?:don't|do not|no|keep|use|write|give|make|avoid|stop|skip|format|answer|reply|stick)\s.*?"
        r"\b(?:when(?:ever)? (?:you|i ask)|every time|each time|(?:in|of) (?:all )?your (?:answers|replies|"
        r"responses|messages)|"
        r"your (?:answers|replies|responses|messages) (?:short|brief|concise|under|below|to|in|at))\b",
        opens=True,
    ),
    rule(
        "rule",
        "preference",
        0.8,
        r"you (?:should|must|need to|have to|may not|can't|cannot)(?:\snot|\sonly|\salways|\snever)?\s(?:\w+\s){1,4}?"
        r"(?:before you|when(?:ever)? you|every time|each time|without asking|any of my)\b",
        opens=True,
    ),
    rule(
        "rule",
        "preference",
        0.75,
        r"for (?:anything|everything|all|any)\s(?:[\w'-]+\s){1,5}?(?:[\w'-]+),\s(?:please\s)?"
        r"(?:use|stick to|follow|apply|write|answer|give|ask|don't|do not|prefer)\s\S+",
        opens=True,
    ),
)
