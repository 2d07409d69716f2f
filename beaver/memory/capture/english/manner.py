"""Orders in English on how the assistant is to write and to behave."""

from __future__ import annotations

from typing import Final

from beaver.memory.capture.english.orders import POINTS_AT, POLITE
from beaver.memory.capture.english.words import one
from beaver.memory.capture.patterns import any_of, rule

_STYLE: Final = any_of(
    r"""
    emojis? smileys disclaimers? apologi[sz]\w+ apologies preambles? intros? small_talk fluff filler jargon
    buzzwords exclamation_(?:marks|points) bullet(?:_point)?s markdown tables sugar-?coat\w* flatter\w*
    compliment\w* praise spoilers? lectur\w+ morali[sz]\w+ formalit\w+ abbreviations? acronyms em[-_]dashes slang
    swear\w* warnings caveats follow-?up_questions repeat\w* summar\w+ sir ma'am legalese corporate_speak
    pleasantries sarcasm clichés? comments
    """
)
_MEASURE: Final = (
    r"(?:british|american|australian|metric|imperial|celsius|fahrenheit|kilomet\w+|miles|euros?|dollars|"
    r"pounds|iso|utc|24[- ]?h\w*|"
    r"12[- ]?h\w*|plain (?:english|text|language)|simple (?:words|language)|type hints|tabs|spaces|"
    r"snake_case|camelcase|bullet points?|"
    r"full sentences|short sentences|informal|formal|gender[- ]neutral|(?:english|german|french|spanish|"
    r"italian|dutch|chinese|"
    r"japanese|portuguese|polish|swedish)\b)"
)
_OWN: Final = (
    r"(?:answers?|repl(?:y|ies)|responses?|messages|explanations|summaries|suggestions|code|tone|emails|"
    r"texts)"
)
MANNER: Final = (
    rule(
        "rule",
        one(
            rf"{POLITE}(?:(?:i )?(?:don't|do not) (?:use|want|need|add|write|give me|put|include|do)|"
            rf"no(?: more)?|stop|quit|skip|avoid|drop|"
            rf"cut(?: out)?|ditch|enough|fewer|less|lose|you (?:can|may|should|don't (?:need|have) to) (?:skip|"
            rf"leave out|drop|omit|stop|lose))"
            rf"(?: (?:using|adding|writing|saying|the|with|any|your|all|those|so many|of|such|"
            rf"unnecessary)){{0,3}} {_STYLE}\b{POINTS_AT}"
        ),
        opens=True,
    ),
    rule(
        "rule",
        one(
            rf"{POLITE}(?:don't|do not|never|stop) (?:apologi|sugar-?coat|repeat yourself|lectur|swear|flatter|"
            rf"morali)\w*\b"
        ),
        opens=True,
    ),
    rule(
        "rule",
        one(
            rf"{POLITE}(?:don't|do not|stop|never|quit) (?!(?:tell|get|ask|make|remind|let|worry|give|wait|"
            rf"blame|quote|hate|judge|thank|want|"
            rf"need|know|think|see|believe|understand|like|have|feel|be|bore|start)\b)(?:[\w'-]+ ){{1,4}}?(?:me|"
            rf"my [\w-]+)\b{POINTS_AT}"
        ),
        opens=True,
    ),
    rule(
        "rule",
        one(
            rf"{POLITE}(?:(?:use|stick to|keep to|prefer) (?:\w+ )?{_MEASURE}|(?:answer|reply|respond|speak|"
            rf"talk|write)(?: back)?(?: to me)? "
            rf"(?:only )?(?:in|with|using) (?:\w+ ){{0,2}}(?:{_MEASURE}|sentences?|words|lines)|"
            rf"(?:answer|reply|respond) (?:only )?(?:in|with|using|like|as|briefly|concisely) \S+){POINTS_AT}"
        ),
        opens=True,
    ),
    rule(
        "rule",
        one(
            rf"{POLITE}(?!(?:i|i'm|i've|your|can|is|was|are|thanks|love|like|hate)\b)[a-z]+ (?:all |"
            rf"any of )?your {_OWN}\b{POINTS_AT} \S+"
        ),
        opens=True,
    ),
    rule(
        "rule",
        one(
            rf"{POLITE}(?:double[- ]check|use|keep|write|give|make|include|add|put|show) .*\b(?:in (?:all |"
            rf"every(?:thing)?)|everywhere|every single|each answer|every answer|for me)\b{POINTS_AT}.*"
        ),
        opens=True,
    ),
    rule(
        "rule",
        one(
            rf"{POLITE}only (?!(?:the|an?|one|two|three|have|need|be|if|when|in|on|for|because|that|this|my|"
            rf"your|\w+s|\w+ed)\b)[a-z]+ \S+"
        ),
        opens=True,
    ),
    rule(
        "rule",
        one(
            r"(?:i|we) (?:don't|do not|never) (?:ever )?(?:want|need) (?:to (?:see|read|get|hear)|you to|"
            r"any) (?!(?:it|this|that|anything)\b)\S+"
        ),
        opens=True,
    ),
    rule(
        "rule",
        one(
            rf"{POLITE}(?:sign|address|format|name|tag|label|spell|prefix|phrase) (?:all )?(?:my|"
            rf"our) [\w-]+ \S+|{POLITE}treat me (?:like|as) \S+"
        ),
        opens=True,
    ),
    rule(
        "rule",
        one(
            r"(?:(?:all|any|show|give|list|write|put) (?:me )?)?(?:prices|temperatures?|distances|dates|times|"
            r"weights|amounts|measurements|units|recipes|answers|replies|costs) (?:always |only |should be |"
            r"must be )*in (?!(?:this|that|the (?:list|table|text))\b)\S+"
        ),
        opens=True,
    ),
    rule(
        "rule",
        one(
            rf"{POLITE}(?:talk|speak|write) to me (?:like|as|in|using) \S+|{POLITE}use my (?:\w+ )?(?:name|"
            rf"nickname|initials|pronouns|title|surname)|no need to (?:say|explain|apologi\w+|greet|thank|add|"
            rf"include|repeat|ask|warn|be)\b .*|(?:please )?no (?:[\w-]+ ){{1,3}}(?:please|ever|thanks|for me)\b"
        ),
        opens=True,
    ),
    rule(
        "rule",
        one(
            r"your (?:answers|replies|responses|messages|explanations|summaries) (?:are|should|must|need)\b \S+|"
            r"(?:anything|everything|whatever) (?:you|i|we) (?:\w+ ){1,6}?(?:must|should|has to|needs to|"
            r"goes) \S+"
        ),
        opens=True,
    ),
    rule("rule", one(r"(?:please |pls )?(?:address|refer to) me (?:as|by) \S+|you can call me \S+"), opens=True),
)
