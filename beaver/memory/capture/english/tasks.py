"""What is still to be done, in English: duties, errands, appointments and dates."""

from __future__ import annotations

from typing import Final

from beaver.memory.capture.english.words import DAY, TIME, one
from beaver.memory.capture.patterns import any_of, rule

_DUTY: Final = any_of(
    r"""
    need_to have_to must should(?:_really)? ought_to gotta got_to '?ve_got_to have_got_to
    promised(?:_\w+)?_(?:to|i'd|we'd|that_i'd) committed_to agreed_to am_supposed_to 'm_supposed_to are_supposed_to
    're_supposed_to plan_to planned_to better 'd_better want_to_remember_to am_meant_to 'm_meant_to owe
    """
)
_NO_DUTY: Final = (
    r"(?!(?:say|admit|go(?! (?:to|by|see|and))|know|be(?! (?:at|in|there|back|on)\b)|talk|see|think|"
    r"thank you|ask you|confess|disagree|agree|understand|hear|laugh|stop|wait|decide|figure|focus|"
    r"relax|sleep|"
    r"eat|have|not|find out|make sure you|tell you|warn you|stress)\b)"
)
_ERRAND: Final = any_of(
    r"""
    call ring phone e-?mail text message write(?:_back)?_to reply_to answer pay book buy order pick_up drop_off send
    return renew cancel schedule reschedule submit hand_in sign file collect clean fix repair water feed thank visit
    register apply print pack finish prepare prep wash mow replace refill update_my invite organi[sz]e arrange
    deliver ship post transfer deposit invoice chase confirm follow_up
    get_(?!(?:to|back|it|this|that|some_(?:rest|sleep))\b)(?:\S+_){1,6} find_(?:an?_|someone|somebody|the)
    take_(?:the|my|our)_\S+(?:_\w+)?_to bring review sort_out set_up back_up charge vacuum iron change_the
    check_(?:in|on|with)
    do_(?:the|my|our)_(?:laundry|taxes|dishes|shopping|groceries|homework|washing|ironing|tax\w*)
    go_to_(?:the_)?(?:bank|post|dentist|doctor|shop|store|gym|pharmacy)\w* make_an_appointment
    """
)
_DUE: Final = (
    r"(?:due|overdue|to be paid|to go out|to be (?:sent|handed in|submitted|done|signed|filed|ready|"
    r"finished))"
)
_VISIT: Final = any_of(
    r"""
    rehearsal recital match game tournament appointment appt interview meeting exam test flight deadline check-?up
    class lesson call demo presentation viva hearing surgery viewing reservation booking date session shift party
    dinner lunch concert wedding visit scan trip
    """
)
TASKS: Final = (
    rule(
        "task",
        one(
            rf"(?:i|we)(?:'?ve)? ?(?:(?:also|still|really|just|absolutely|definitely|"
            rf"honestly) )*{_DUTY} {_NO_DUTY}(?!(?:it|this|that)\b)\w+ .*?{TIME}"
        ),
    ),
    rule(
        "task",
        one(
            rf"(?:i|we)(?:'?ve)? ?(?:(?:also|still|really|just|absolutely|definitely|"
            rf"honestly) )*{_DUTY} (?:finally |still |also |quickly |really )?{_ERRAND} (?!(?:it|this|that|you|"
            rf"all|them)\b)\S+"
        ),
    ),
    rule("task", one(rf"(?:i|we)(?:'m| am|'re| are)? ?(?:supposed|meant) to {_NO_DUTY}\w+ \S+ \S+")),
    rule(
        "task",
        one(
            rf"(?:i|we)(?:'ll| will) (?!(?:be|see|talk|let|think|try|call you|go|check|"
            rf"get back)\b)\w+ .*?\b(?:by|before) (?:the )?{DAY}"
        ),
    ),
    rule(
        "task",
        one(
            rf"(?:the |my |our )?(?:\w+ ){{0,3}}(?:deadline|due date)(?: (?:for|of) [^,]+?)?(?: is| was moved to|"
            rf":| on) .*?{DAY}"
        ),
    ),
    rule(
        "task",
        one(
            rf"(?:the|my|our) (?:[\w'-]+ ){{1,6}}?(?:(?:is|are) {_DUE}|has to|have to|needs to|must|"
            rf"need to)\b .*?{DAY}"
        ),
        opens=True,
    ),
    rule("task", one(rf"(?:[\w'-]+ ){{0,8}}?due (?:on |by |at |this |next |the )*{DAY}"), opens=True),
    rule(
        "task",
        one(
            rf"(?:still |also |really )*(?:need to|have to|must|gotta|got to) {_NO_DUTY}(?:\w+ .*?{TIME}|"
            rf"{_ERRAND} (?!(?:it|this|that|you|all|them)\b)\S+)"
        ),
    ),
    rule(
        "task",
        one(
            rf"(?:(?:i|we)(?:'?ve| have)?(?: got)?|there's|there is) (?:an?|my|our|"
            rf"the) (?:[\w'-]+ ){{0,4}}?{_VISIT}\b.*?{TIME}"
        ),
    ),
    rule(
        "task",
        one(
            rf"{TIME},? (?:morning |afternoon |evening |night )?(?:i|we) (?:also |still |really )*(?:need to|"
            rf"have to|must|should|gotta|'ve got to) {_NO_DUTY}\w+ \S+"
        ),
        opens=True,
    ),
    rule(
        "task",
        one(
            r"(?:the )?next (?:thing|item|task)(?: on| for)? (?:my|our|me)\b.*? (?:is|:) \S+|(?:still )?(?:on|"
            r"to) my (?:plate|list)(?: is|:) \S+"
        ),
        opens=True,
    ),
    rule(
        "task",
        one(
            rf"(?:[\w'-]+ )?(?:{_VISIT}|dentist|doctor|vet|hairdresser|optician|gp|physio|"
            rf"barber)\b(?: [\w'-]+){{0,5}}? (?:on|at|is|moved to|this|next)? ?{TIME}"
        ),
        opens=True,
    ),
    rule(
        "task",
        one(
            rf"(?:i|we)(?:'?ve| have)? promised (?:the |my |our )?\w+(?: \w+)? (?:an? |to |i'd |the )\S+|"
            rf"(?:{TIME},? )(?:i|we)(?:'ll|'m| am|'re| are)? (?:fly|flying|travel|leave|leaving|start|drive|meet|"
            rf"go|going) (?:to |at |for |the |my |with )\S+|(?:i|we) (?:still )?need (?:an?|some|someone|"
            rf"somebody) .*?{TIME}"
        ),
    ),
    rule(
        "task",
        one(
            rf"(?:(?:i|we)(?:'m|'re| am| are)? )?(?:gonna|going to|will|'ll) (?:need|have) to {_NO_DUTY}\w+ \S+|"
            rf"(?:i|we)(?:'?ve| have) yet to \w+ \S+|(?:i|we) said (?:i|we)'d \w+ \S+|(?:got|have|having) (?:an?|"
            rf"my|the) (?:[\w-]+ ){{0,2}}{_VISIT}.*?{TIME}|let me know (?:on|at|in|tomorrow|tonight|next) .*"
        ),
    ),
    rule("task", one(rf"{_ERRAND} (?:the |my |our |an? |some |(?-i:[A-Z])).*?{TIME}"), opens=True),
    rule(
        "task",
        one(
            rf"(?:the|my|our) (?:[\w-]+ ){{1,3}}?(?:is|are|starts?|comes?|arrives?|ends?|begins?|closes?|"
            rf"expires?|runs out)(?: coming| due)? (?:on |at |this |next |in |by )?{TIME}|"
            rf"(?:[\w-]+ ){{1,3}}(?:is|are) due {TIME}"
        ),
        opens=True,
    ),
    rule(
        "task",
        one(
            rf"(?:i|we) still haven't {_NO_DUTY}\w+ \S+|(?:i|we) (?:still )?owe {_NO_DUTY}(?!(?:you|"
            rf"it)\b)(?-i:[A-Z]|my |our |the )\S*"
        ),
    ),
)
