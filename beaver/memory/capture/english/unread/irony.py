"""Irony: what is praised too much is not liked."""

from __future__ import annotations

from typing import Final

from beaver.memory.capture.english.words import one

_PRAISE_FIRST: Final = (
    r"^(?:oh|sure|yeah|yep|yes|great|wow|fantastic|brilliant|wonderful|perfect|lovely|of course|right|ah|awesome)\b[ ,]*"
    r"(?:yeah|sure|great|right|no|well|brilliant|wow)?[ ,]*"
    r"(?:because|i(?: (?:just|totally|absolutely|really|truly|so|simply))? "
    r"(?:love|adore|prefer|enjoy|live for|decided|have time)|another|my favou?rite|exactly what|just what|what i)"
)
_TURN_OF_PHRASE: Final = (
    r"\b(?:nothing (?:better to do|i (?:love|enjoy|like) more|like (?:an?|being))|"
    r"just what i (?:needed|always wanted)|exactly what i (?:needed|wanted)|"
    r"because (?:obviously|clearly|i totally|i have nothing)|absolutely live for|"
    r"my (?:hobby|favou?rite \w+) is apparently|who (?:doesn't|wouldn't)\W*$|said no one|/s\W*$|, truly\W*$|"
    r", obviously\W*$|obviously i|apparently i (?:now )?(?:live|love|work))"
)
_LOVED_NUISANCE: Final = (
    r"\bi (?:just |really |absolutely |truly |totally |simply )+(?:love|adore|enjoy|love it|adore it) "
    r"(?:it when (?:the|my|your|people)|(?:being (?:woken|paged|ignored|stuck)|waiting|getting paged|paying|"
    r"sitting in traffic|standing in line|filling|queuing|queueing))|"
    r"\bi (?:just )?(?:love|adore) "
    r"(?:getting paged|waiting (?:on|for|in)|being (?:woken|paged|ignored|on hold)|paying taxes)"
)
TONE: Final = one(_PRAISE_FIRST, _TURN_OF_PHRASE, _LOVED_NUISANCE)
