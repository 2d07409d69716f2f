"""How a person is and what life brought them, in English: health, limits, events, what they have."""

from __future__ import annotations

from typing import Final

from beaver.memory.capture.english.words import AM, HAVE, OFTEN, one
from beaver.memory.capture.patterns import any_of, rule

_TRAIT: Final = any_of(
    r"""
    (?:severely_|highly_|mildly_)?(?:allergic|intolerant)_to (?:\w+[-_])?intolerant diabetic asthmatic epileptic
    coeliac celiac anaemic anemic vegetarian vegan pescatarian teetotal sober (?:left|right)[-_]handed
    colou?r[-_]?blind (?:half_|partially_|legally_)?(?:deaf|blind) dyslexic autistic adhd bipolar neurodivergent
    gluten[-_]free lactose[-_]free keto halal kosher married engaged_to divorced widowed single separated retired
    self-employed unemployed freelance pregnant expecting bilingual trilingual fluent_in gay lesbian bisexual trans
    non-?binary muslim christian jewish catholic buddhist hindu atheist
    the_(?:oldest|youngest|eldest|middle|only)_(?:child|of|sibling|son|daughter|one_of) an_only_child
    """
)
LIFE: Final = (
    rule("profile", one(rf"{AM} {OFTEN}(?:not )?{_TRAIT}\b")),
    rule(
        "profile",
        one(
            rf"{HAVE} (?:(?:an?|some|mild|severe|bad|chronic|type [12]|early|high|low|really bad|"
            rf"\w+) ){{0,3}}?(?:allerg(?:y|ies)|asthma|diabetes|adhd|add|autism|epilepsy|eczema|arthritis|"
            rf"migraines?|"
            r"insomnia|anxiety|depression|dyslexia|tinnitus|ibs|celiac|coeliac|crohn's|psoriasis|hay ?fever|"
            r"(?:heart|blood|skin|medical|thyroid|back) (?:condition|pressure|disease|problems?)|condition|"
            r"disability|"
            r"pacemaker|ph\.?d|doctorate|master's|masters|bachelor's|degree|diploma|licen[cs]e|certificate|"
            r"black belt|dual citizenship|"
            r"citizenship|green card|intolerance|hearing aids?|glasses|insulin pump)\b"
        ),
    ),
    rule(
        "profile",
        one(
            r"i (?:get|suffer from|struggle with|deal with|live with|was diagnosed with|got diagnosed with|"
            r"break out|come out in hives) (?:(?:\w+ ){0,2}(?:migraines?|hives|seasick|carsick|motion sick\w*|"
            r"airsick|hay ?fever|panic attacks|vertigo|heartburn|nosebleeds|anxiety|insomnia|depression|eczema|"
            r"asthma|adhd|arthritis|allerg\w+|tinnitus|pain|ibs|rsi|dyslexia|diabetes|sleep apn\w+))\b"
        ),
    ),
    rule(
        "profile",
        one(
            r"i (?:take|inject|am on|'m on) \d+ ?\w+ (?:of )?\S+|(?:i'm|i am) on (?:a (?:\w+ )?(?:diet|statin|"
            r"visa)|blood thinners|insulin|antidepressants|medication|the pill|keto)\b|(?:i take|i'm taking|"
            r"i am taking) \S+(?: \w+)? (?:for my|every (?:morning|day|night|evening)|daily|twice a day)"
        ),
    ),
    rule(
        "profile",
        one(
            r"(?:i|we) (?:can't|cannot|can not|can no longer|am not able to|don't|do not|am not allowed to|"
            r"'m not allowed to|never learned to|never learnt to) (?:really )?(?:(?<!don[']t )(?<!dont )(?<!do "
            r"not )have|have (?:an?|any) (?:car|kids|children|siblings|pets|bike|garden|oven|dishwasher|tv|"
            r"microwave|printer|smartphone|balcony|licen[cs]e|degree|dryer|freezer|phone|credit card)\b|"
            r"have (?:kids|children|siblings|pets)|lift|eat|drink|hear|see|walk|drive|run|digest|climb|swim|fly|"
            r"own|speak|smoke|cook|read (?:music|maps)) ?(?!(?:it|this|that|why|how|what|one|anything|"
            r"any (?:idea|questions?|clue|time)|an? (?:clue|answer|choice|problem|preference|link)|your|you|the|"
            r"much|time|to|access|a lot|anyone|another|enough|everything|both|more|them)\b)(?:\S+|$)"
        ),
    ),
    rule(
        "profile",
        one(
            r"(?:i|we)(?:(?: (?:just|recently|finally|also))|'ve| have)* (?:got (?:married|engaged|divorced|"
            r"promoted|laid off|a (?:new )?(?:job|dog|cat|puppy|kitten|house))|retired|graduated|"
            r"adopted an? \S+|took over (?:the|my|our) \S+|inherited \S+|founded \S+|co-?founded \S+|"
            r"started (?:at|working (?:at|for|as)|a (?:new )?(?:job|business|company|position)|my own)|"
            r"joined (?-i:[A-Z])\S+|quit (?:my job|smoking|drinking|sugar|alcohol|coffee|meat|caffeine|"
            r"social media)|stopped (?:smoking|drinking|eating \w+)|lost my (?:left |right )?(?:job|leg|arm|"
            r"hearing|sight|husband|wife|mother|father|dad|mum|mom|hand|eye|sense)|had (?:a (?:stroke|"
            r"heart attack|baby|son|daughter|bypass|transplant)|my (?:gallbladder|appendix)|twins)|bought (?:a|"
            r"our|my)(?: \w+)? (?:house|flat|apartment|place|farm|car|van|boat)|turned \d+|changed jobs|"
            r"(?:switched|converted|changed) (?:over )?to (?!(?:it|this|that|them|the other)\b)\S+ \S+|"
            r"broke up with)\b.*"
        ),
    ),
    rule(
        "profile",
        one(
            r"(?:i|we)(?:'?ve| have)(?: got)? (?:an?|one|two|three|four|five|six|\d+) (?![^,]*\b(?:errors?|"
            r"issues?|problems?|bugs?|questions?|lists?|tables?|files?)\b)(?:[\w-]+ ){0,2}?(?!(?:here|there|"
            r"left|few|lot|bit|little|great|good|bad|new|quick|small|big|more|questions?|problems?|issues?|"
            r"bugs?|idea|feeling|meetings?|minutes?|moment|seconds?|headache|cold|fever|look|chance|doubt|"
            r"request|call|favou?r|hard|time|days?|weeks?|hours?|years?|months?|plan|points?|way|reasons?|"
            r"choice|suggestions?|deadline|things?|list|files?|texts?|message|errors?|tables?|csvs?|columns?|"
            r"arrays?|functions?|class(?:es)?|scripts?|pages?|forms?|strings?|dicts?|json|dataframes?|datasets?|"
            r"rows?|models?|quer(?:y|ies)|variables?|blast|talk|party|trip|winner|deal|friend|break|drink|story|"
            r"stories|pics?|recipes?|bunch|time|team|pictures?|photos?|lead|crush|hunch|game|show|vision|goals?|"
            r"dream|ways?|passion|strong|screenshot|couple|chat|clue|thought|theory)\b)[\w-]{3,}(?=\W*$|,|"
            r" (?:named|called|who|in|at|from|and|but|for)\b)"
        ),
    ),
)
