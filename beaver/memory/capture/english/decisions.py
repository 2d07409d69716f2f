"""What was decided, in English."""

from __future__ import annotations

from typing import Final

from beaver.memory.capture.english.words import AM, NAME, one
from beaver.memory.capture.patterns import any_of, rule

_WHO: Final = (
    rf"(?:(?:we|i|mum|mom|dad|(?:our|my|the(?! company)) (?:\w+ )?(?:team|board|committee|club|class|"
    rf"department|landlord|parents|mum|mom|dad|wife|husband|boss|family|council|group|management|client)|"
    rf"everyone|(?:my \w+|{NAME}) and (?:i|me)|me and (?:my )?\w+)(?:'ve| have| had|'ll| will)?"
    r"(?: (?:finally|just|all|now|also|already|both|eventually|together|unanimously|recently|today|"
    r"officially)){0,3})"
)
_SETTLED: Final = any_of(
    r"""
    (?:decided|agreed|resolved|concluded|voted|opted|elected)(?:_(?:with|among)_[^,]{1,30}?)?_(?:to|on|that|against|not_to|for|we|i)
    said_(?:yes|no)_to turned_(?:down(?:_the|_their)?|the_\w+(?:_\w+)?_down) signed_up_(?:for|to) accepted_the
    settled_(?:on|for) signed_off_on approved landed_on zeroed_in_on committed_to
    went_(?:with|for)(?=_(?:the|option|plan|(?-i:[A-Z])))
    (?:ended_up|wound_up)_(?:choosing|picking|going_with|buying|using|hiring|keeping) chose(?:n)? picked(?!_up)
    ruled_out scrapped finali[sz]ed hired fired called_off gave_up_on cancell?ed
    dropped(?!_(?:off|by|my|the_(?:ball|kids|phone)|out|in)) rejected greenlit shelved postponed moved_the
    pushed_(?:back_)?the
    """
)
_VAGUE: Final = (
    r"(?!(?:(?:to )?(?:google|wait|see|look|check|try|ask|search|give it)\b|the wrong|nothing|it|this|"
    r"that|these|those|him|her|them|you|yet|anything)\b)"
)
_COURSE: Final = any_of(
    r"""
    going_(?:with|for|ahead_with) go(?:nna)?_(?:with|for)
    keeping(?!_(?:my_spirits|up|it|an_eye|in|busy|positive|fit|active|going)\b) sticking_(?:with|to(?!_my))
    switching_(?:to|over_to|from) dropping(?!_(?:off|by)) signing_up_for quitting_(?:my|the)
    taking_the_(?!time|dog|bus|train|kids) leaving_(?:my|the)_(?:job|company|band) scrapping ditching
    moving_(?:away_from|off|over_to|the|our) naming_(?:her|him|it|them|the)
    not_(?:doing|using|buying|renewing|hiring|taking|moving|selling|going_(?:with|ahead)|supporting|changing)
    (?:postponing|cancelling|canceling|phasing_out|replacing|adopting|standardi[sz]ing_on|skipping|retiring|closing|selling|hiring|freezing|outsourcing)
    """
)
_STEP: Final = any_of(
    r"""
    take_the accept quit resign sell_(?:the|my|our) buy_(?:the|an?|our) keep_(?:the|my|our) hire
    leave_(?:my|the|our) go_(?:with|for|vegan|freelance|back_to) use switch drop cancel_(?:the|my|our) stick_with
    renew adopt enrol enroll move_(?:to|in|out) retire study stop turn_down apply propose
    do_(?:the|an?)_\w+_(?:course|degree|master)
    """
)
DECISIONS: Final = (
    rule("decision", one(rf"{_WHO} {_SETTLED} ?{_VAGUE}(?!(?:a fight)\b)\S+")),
    rule(
        "decision",
        one(
            rf"(?:finally |eventually |officially )?(?:decided (?:to|on|against|that|not to)|settled on|"
            rf"agreed (?:to|on|that)|went (?:with|for) (?!an? )|opted for|ruled out|scrapp(?:ed|ing)|dropp(?:ed|"
            rf"ing) (?:the|support)|ditch(?:ed|ing)|going (?:with|for)|sticking (?:with|to)|switching (?:to|"
            rf"from)|keeping the|chose|picked(?! up)) {_VAGUE}\S+"
        ),
        opens=True,
    ),
    rule(
        "decision",
        one(
            r"let's (?:go (?:with|for)|stick (?:with|to)|settle on|switch to|adopt|use|stay with|do without|"
            r"drop) (?!(?:it|this|that|these|the flow|them|an? (?:example|walk|drink|coffee|run|ride|swim|"
            r"drive)|trying|you|one|something)\b)\S+"
        ),
    ),
    rule(
        "decision",
        one(
            rf"{AM}(?: (?:now|just|definitely|officially|all|also|finally))* {_COURSE} {_VAGUE}\S+|we (?:go|"
            rf"stick|stay) with {_VAGUE}\S+|(?:i|we)(?:'ll| will)(?: (?:just|definitely|both))? (?:go|stick|"
            rf"stay) with {_VAGUE}\S+|we(?:'ll| will)(?: (?:all|just|now))? (?:use|move to|switch to|adopt|skip|"
            rf"drop) {_VAGUE}\S+"
        ),
    ),
    rule("decision", one(rf"{AM}(?: (?:now|definitely|just))* (?:going to|gonna) {_STEP} {_VAGUE}\S*")),
    rule(
        "decision",
        one(
            r"(?:the |our |my )?(?:(?:final |official )?(?:decision|verdict|choice)|final (?:answer|call|"
            r"word))(?: is|:| -) (?!(?:yours|pending|hard|not|to call|correct|wrong|here|below|above|"
            r"ready)\b)\S+ \S+|it's official[,:]? \S+|(?:it's |that's )?(?:decided|settled|final|"
            r"agreed)[:,] \S+ \S+"
        ),
    ),
    rule(
        "decision",
        one(
            r"(?!(?:if|once|until|unless|when)\b)\S+ \S.*[,;:–-] ?(?:and |so )?(?:that's|that is|it's|this is|"
            r"thats been) (?:now |all |been )?(?:settled|decided|final|agreed)\b"
        ),
        opens=True,
    ),
    rule(
        "decision",
        one(
            r"(?!(?:if|once|until|unless|when)\b)\S+ \S.*[,;:–-] ?(?:and )?(?:we|i)(?:'ve| have)?(?: all| both|"
            r" just)? (?:voted|agreed|decided) on (?:it|this|that)\b"
        ),
        opens=True,
    ),
    rule("decision", one(r"(?:i|we)(?:'ve| have)?(?: finally| just| now)* made up (?:my|our) minds?\b.*")),
    rule(
        "decision",
        one(
            r"(?=.{2,60} it is\b)(?!.*\b(?:how|what|where|i|you|they|that|this|look|is|are|but|because|when|"
            r"so)\b.* it is)(?:(?:[\w.+#-]+ ){0,3}[\w.+#-]+ (?<!here )(?<!there )(?<!as )(?<!like )(?<!that )it "
            r"is\b(?! (?:not|a|an|the|so|very|really|just|too|possible|clear|true|now|"
            r"time)\b)[,.! ]*(?:then)?\W*$|.{4,60}, (?!(?:here|there|so|like|as|whatever|"
            r"what)\b)(?:[\w.+#-]+ ){0,2}[\w.+#-]+ it is\W*$)"
        ),
    ),
    rule(
        "decision",
        one(
            r"(?:we|i)(?:'re| are|'m| am)? (?:moved|changed|switched|postponed|pushed|brought forward|"
            r"shifted) (?:the|our|to) .*\b(?:to|until|from|for good|permanently)\b(?! me\b)"
        ),
    ),
    rule(
        "decision",
        one(
            r"(?:the |our |my )?plan is (?:that|to) (?!(?:see|wait|have|be)\b)\S+ \S+|it (?:was|has been|is|"
            r"'s been) (?:agreed|decided) (?:that|to) \S+|"
            r"[\w.+# -]{2,30} is out,? (?:and )?[\w.+# -]{2,30} is in\b|(?!(?:it|that|this|something|he|"
            r"she)\b)[\w' -]{3,40} is off, .*\b(?:instead|now)\b"
        ),
    ),
    rule(
        "decision",
        one(
            r"(?:we|i)(?:'ll| will|'re| are|'m| am)? (?:go|going|use|using|take|taking|meet|meeting|start|move|"
            r"host|hosting|deploy|write|build|building|buy|buying|rent|hire|keep|stay|publish|launch|ship|run|"
            r"do|doing) [^,]{2,60}(?:, not| instead(?: of)?\b) ?\S*"
        ),
    ),
    rule(
        "decision",
        one(
            r"(?:i|we)(?:'ll| will) be (?:taking|moving|starting|leaving|working|using|going|switching|joining|"
            r"studying|staying|stopping|closing|renting|running) \S+ \S+|(?:i'm|i am|we're|we are) (?:done with|"
            r"through with|replacing|calling (?:him|her|it)|getting (?:married|divorced|rid of|an? (?:dog|cat|"
            r"puppy|kitten|place|flat|house|car|new))|taking (?:a year|the (?:job|offer|deal))|moving (?:to|the)|leaving (?:my|"
            r"the)|giving up|cutting|closing|starting (?:an?|the|our)) \S+|they (?:hired|accepted|approved|"
            r"picked|chose) (?:me|us|our|my|(?-i:[A-Z]))\b.*|the (?:winner|pick|choice|name|date|venue|"
            r"final (?:choice|pick|version)) (?:is|will be) \S+.*|(?:[\w-]+ ){1,4}(?:will be|are going to be|"
            r"is going to be) (?:the|our|my) [^,]*\b(?:then|from now|days?|room|name|place)\b"
        ),
    ),
    rule(
        "decision",
        one(
            r"(?:i'm|i am|we're|we are) not going to (?!(?:lie|say|be|argue|pretend|judge|ask|bother|let|do|"
            r"happen|make|have|get|go)\b)\w+ \S+ \S+"
        ),
    ),
    rule(
        "decision",
        one(
            r"(?:the )?(?!(?:it|this|that|they|he|she)\b)(?:[\w'-]+ ){1,5}(?:is|are|was|were|has been|"
            r"have been)(?: now| officially| finally)? (?:postponed|moved to|rescheduled (?:to|for)|"
            r"pushed (?:back )?to|fixed for|set for) \S+"
        ),
        opens=True,
    ),
)
