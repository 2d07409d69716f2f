"""What a person says of themselves in the present, in English, whatever it is: words of talk and of work are the few."""

from __future__ import annotations

from typing import Final

from beaver.memory.capture.english.words import LASTING, one
from beaver.memory.capture.patterns import any_of, rule

_TALK: Final = (
    any_of(
        r"""
    am is are was were be been do does did don't have has had can can't cannot could couldn't will won't would
    wouldn't shall should shouldn't may might must ought gotta gonna wanna didn't haven't need want wish hope think
    know knew guess suppose mean wonder believe feel felt see saw hear heard get got go went come came say said tell
    told ask try keep kept let make made take took give gave find found put use run ran call click open write wrote
    type read seem look remember forget forgot understand understood agree disagree appreciate bet doubt swear
    promise admit confess expect assume imagine notice reali[sz]e recommend suggest thank apologi[sz]e beg wait
    change install add set send sent sit stand stop start end lose lost miss hit pay paid buy bought figure receive
    return follow pass load print import deploy compile build built test debug define declare create attach paste
    copy upload download press select choose chose like love hate enjoy prefer adore always never also just really
    still only already even actually then now totally definitely probably usually often first both all and or but to
    of in as the a it too not ever literally kinda sort met ate sat lay spent left held thought taught caught
    brought fell fought flew grew drew drove rode rose sang spoke stood swam won wore woke broke began slept became
    threw blew hid led lent sold shot stole stuck struck tore watch cant dont wont check move switch turn convert
    replace restart reboot reload refresh connect log login push pull merge commit query pick plan decide help join
    leave show share talk cry laugh care mind deserve smile joke kid rock suck win fail panic struggle work stay
    continue hang dream relate view consider dare long crave recently sometimes finally eventually last back bond
    live tend admire respect trust worry fear stare cheer cherish value treasure strive aim grab offer play meet hug
    owe learn [a-z]+ly [a-z]+ed
    """
    )
    + r"\b"
)
_IN_HAND: Final = (
    r"(?![^,]*\b(?:script|function|button|file|page|code|error|endpoint|variable|command|terminal|"
    r"screen|column|query|loop|method|string|array|example|question|answer|sentence|paragraph)s?\b)"
)
"""Things of the work in hand: what is done to them is no habit."""
_STATE: Final = any_of(
    r"""
    not so too very really just still always all pretty quite a_bit kinda super tired sure fine good great ok okay
    here there back done ready sorry happy glad confused lost stuck busy bored hungry late afraid aware curious
    wondering looking trying getting using working writing running having seeing thinking going about able asking
    talking telling saying new excited thrilled proud grateful thankful amazed surprised impressed worried nervous
    sick cold hot drunk alive serious kidding joking right wrong almost nearly down up off out over in on at with
    from for like more less much well better the_one that this what how why it your his her an? the \d+%? being
    feeling doing making taking sending reading testing debugging building creating planning hoping waiting learning
    sitting eating watching starting stopping leaving heading dying loving enjoying keen eager determined inspired
    motivated committed dedicated blessed lucky honou?red certain positive optimistic convinced disappointed sad
    angry mad upset stressed overwhelmed exhausted frustrated interested concerned open close free full gonna
    currently definitely also already finally actually
    """
)
_IN: Final = any_of(
    r"""
    in_(?!(?:to|the|a|an|my|this|that|it|trouble|love|awe|hurry|need|pain|shock|charge)\b)[\w-]+
    on_(?:(?:\w+_)?leave|a_pension|benefits|call|disability|probation|sabbatical|shift)\b between_jobs
    with_(?-i:[A-Z]) from_(?:an?|the)\b under_contract against of_\w+_(?:descent|origin) at_(?-i:[A-Z]) happiest
    happier most_productive at_my_best an?_\w+_by_(?:trade|day)
    """
)
_NO_MINE: Final = (
    r"(?!(?:point|questions?|problems?|issues?|guess|bad|turn|pleasure|head|day|week|weekend|mood|"
    r"apolog\w+|mistake|fault|mind|god|ideas?|goodness|plan|plans|code|computer|laptop|pc|"
    r"answer|understanding|only|first|next|last|main|biggest|heart|life|time|goal|internet|phone|brain|"
    r"eyes|back|battery|tests?|script|function|app|query|program|build|browser|"
    r"screen|file|files|error|log|logs|terminal|friend|friends|neighbou?rs?|colleagues?|teacher|class|"
    r"hands?|mouth|face|feelings?|thoughts?|opinion|experience|journey|family|fans?|"
    r"support|passion|motivation|love|hope|dreams?|own|attempt|concern|intention|assumption|reaction|"
    r"advice|text|sentence|essay|draft|email|message|input|output|data|dataset|model|regex|table|team|"
    r"words?|hard work|solar system|planet|world|universe|society|ancestors|generation|government|"
    r"country|species|earth)\b)"
)
OWN: Final = (
    rule(
        "profile",
        one(
            rf"(?:i|we) (?!{_TALK}){_IN_HAND}{LASTING}[a-z]{{3,}} (?!(?:it|this|that|these|those|them|you|your|"
            rf"him|her|with you|to you|at you)\b)\S+"
        ),
    ),
    rule(
        "profile",
        one(rf"(?:i'm|i am|we're|we are) (?:(?:currently|now|still|mostly|originally|usually) )?{_IN}{LASTING}"),
    ),
    rule(
        "profile",
        one(rf"(?:i'm|i am) (?!{_STATE}\b){LASTING}(?!\w+ing\b)[a-z-]{{4,}}(?=\W*$|,| (?:and|but|so|since)\b)"),
    ),
    rule(
        "profile",
        one(
            rf"(?:my|our) {_NO_MINE}(?!(?:[\w-]+ ){{1,2}}?(?:was|were|says?|said|thinks?|told|wants?|asked|keeps|"
            rf"needs)\b)(?:[\w-]+ ){{1,4}}?(?:is|are|has|have|comes?|runs out|starts?|ends?|lives?|works?|"
            rf"speaks?|belongs?|costs?|expires?|came from|consists?|takes?|"
            r"opens?|closes?|covers?|owns?|sits|stands|lies|dates|uses?|measures?|weighs?|includes?|only \w+s|"
            r"doesn't|don't|can't|never|always) (?:only |always |all |never |currently |mostly )?"
            rf"(?!(?:not|so|too|very|really|just|still|already|been|broken|down|slow|fine|ok|okay|good|great|bad|"
            rf"happy|sad|tired|wrong|crazy|going|getting|being|about|that|what|how|why|amazing|"
            rf"awesome|the (?:best|worst|same)|killing|awful|terrible|done|ready|here|gone|late|back|off|working|"
            rf"failing|full|empty|lost|stuck|dead|super|pretty|quite|such|like|there|supportive|always there|"
            rf"everything|help\w*)\b){LASTING}\S+"
        ),
    ),
    rule(
        "profile",
        one(
            r"(?:i was|i've been) (?:born|raised|adopted|diagnosed|widowed|promoted|naturali[sz]ed|"
            r"home-?schooled)\b.*|(?:i |we )?(?:lived|worked|studied|served|taught) (?:in|at|for|as|"
            r"with) .*\b(?:until|for \w+ years|before|when i was)\b.*|(?:i|we) (?:bought|sold|built|renovated|"
            r"inherited) (?:an?|our|the) (?:\w+ ){0,2}(?:\w*house|flat|farm|cottage|barn|cabin|apartment|place|"
            r"van|boat|home|land|plot|school\w*)\b.*"
        ),
    ),
    rule(
        "profile",
        one(
            r"the (?:dog|cat|baby|house|car|boat|business|shop|kid|puppy)[']s name is \S+|(?:currently|"
            r"now) (?:on|in|at|between|with) (?!(?:the|this|that|my way)\b)\S+|(?:the|our) (?:office|shop|"
            r"school|kitchen|clinic|library|studio|server room) (?:is|closes|opens) (?!(?:not|so|too|very|"
            r"really|just|busy|nice|great|down|slow)\b)\S+ \S+"
        ),
    ),
)
