"""What somebody else said, wrote or did, and what the assistant is told that it said."""

from __future__ import annotations

from typing import Final

from beaver.memory.capture.english.words import one
from beaver.memory.capture.language import Veto

_ASSISTANT: Final = (
    r"\b(?:you|your (?:memory|notes|records))(?:'ve| have| had)? (?:just |already |once |also )?"
    r"(?:said|told|mentioned|remembered|remember (?:that|me)|recalled?|noted|wrote|claimed|think (?:that )?i|stored|"
    r"saved|says?|shows?|suggested|know (?:that )?i)\b|"
    r"\baccording to\b|\bas (?:you|i|we) (?:know|said|mentioned|remember)\b"
)
_SOMEBODY_SAID: Final = (
    r"^(?:(?:the|an?|some|this|that|my|his|her|their|our|one|dude|guy|people|everyone|somebody|someone|he|she|they|it) "
    r"(?:[\w'-]+ ){0,7}?|[\w'-]+ (?:[\w'-]+ ){0,4}?|)"
    r"(?:says?|said|claims?|claimed|stated?|states|argues?|argued|wrote|writes|announced|insists?|insisted|complained|"
    r"bragged|used to say|goes like this|reads|swears)\b"
    r"(?<!i say)(?<!i said)(?<!we said)(?<!i wrote)(?<!i write)(?<!we say)(?<!i swear)"
)
_SOMEBODY_TOLD: Final = (
    r"^(?!(?:i|we|my (?:doctor|dentist|gp|therapist))\b)(?:[\w'-]+ ){1,5}?(?:told|tells|asked|reminded)\b"
)
_KIN_OF_OTHERS: Final = (
    r"^my (?:[\w'-]+ )?(?:roommate|neighbou?r|friend|colleague|cousin|boss|coworker|classmate)s?'s? (?:\w+ )?"
    r"(?:brother|sister|friend|cousin|boss|son|daughter|girlfriend|boyfriend|wife|husband|dog|cat|mother|mom|mum|dad)\b"
)
_RUMOUR_OR_BOOK: Final = (
    r"^(?:apparently|rumou?r has it|i heard|i read|they say|people say|word is|supposedly|allegedly|"
    r"from the (?:manual|docs|book|article|wiki|website)|"
    r"in the (?:book|film|movie|show|novel|series|article|game|manual|sketch|song|story|play))\b"
)
_SO_THEY_SAY: Final = (
    r"\b(?:people say|it seems|so they say|just a rumou?r|rumou?r has it|she says|he says|they say|he said|she said|"
    r"they said)\b"
)
HEARSAY: Final = Veto(one(_ASSISTANT, _SOMEBODY_SAID, _SOMEBODY_TOLD, _KIN_OF_OTHERS, _RUMOUR_OR_BOOK, _SO_THEY_SAY))
