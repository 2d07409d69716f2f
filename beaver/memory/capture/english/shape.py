"""How English sentences are put together: the words before the matter, and where clauses begin."""

from __future__ import annotations

from typing import Final

from beaver.memory.capture.english.words import one
from beaver.memory.capture.language import Shape

_GREETING: Final = r"(?:hi|hey|hello|heya|yo)(?: (?:there|all|(?-i:[A-Z])\w+))?\s*[,!.:-]?\s+"
_BEFORE_A_COMMA: Final = (
    r"(?:ok|okay|kk|k|well|so|oh|ah|yes|yeah|yep|no|nope|sure|right|thanks|thank you|thx|ty|great|fine|cool|nice|"
    r"perfect|also|actually|anyway|honestly|frankly|note|quick note|quick one|quick thing|one thing|fyi|btw|by the way|"
    r"to be honest|tbh|in short|ps|p\.s\.|context|for context|background|heads up|update|one more thing|"
    r"just so you know|in fact|ok so two things|two things|after some thought|"
    r"after (?:a lot of|much|some|a long) [^,]{3,30}|in the end|lol|haha+|hm+|um+)\s*[,!:–-]+\s*"
)
_POLITENESS: Final = (
    r"(?:please|pls|plz|also|and|but|so|ok|okay|well|oh|btw|by the way|fyi|tbh|lol|haha+|hm+|um+|uh|yeah|hey|actually|"
    r"honestly|frankly|basically|anyway|personally|just so you know|i want you to(?= (?:remember|note|keep in))|"
    r"i'd like you to(?= (?:remember|note|keep in))|you should(?= (?:remember|note|always|never))|"
    r"(?:can|could|would|will) you(?: please)?(?=\s(?:please |kindly |just )?(?:remember|note|remind|keep|make a note|"
    r"always|never|save|store|memori|bear|jot|stop|avoid|use|refer to me|call me|skip|answer|reply|respond|speak|talk|"
    r"only|not|nag|ping|nudge|add|put))|just|kindly)\s+"
)
_AFTER_A_SETTING: Final = (
    r"^(?:(?:yesterday|today|tomorrow|tonight|recently|lately|nowadays|finally|eventually|currently|usually|normally|"
    r"generally|sometimes|these days|in the end|(?:last|this|next|every|each) \w+)(?: \w+)? |"
    r"(?:in|on|at|during|since|after|before|for|by|with|as of|apart from|besides) (?:[\w'-]+ ){1,4}?)"
    r"(?=(?:i|we|my|our|i'm|we're)\b)"
)
_AFTER_A_MARK: Final = (
    r"(?:[,;:–—(]|\s-|\.\.+)\s*"
    r"(?:(?:and|but|so|because|since|though|also|then|actually|honestly|btw|by the way|tbh|plus|now|in the end) )*"
)
_AFTER_A_CONJUNCTION: Final = (
    r"\s(?:and|but|so|because|since|though|plus)\s+"
    r"(?:(?:also|so|then|now|actually|honestly|btw|by the way|tbh|in the end) )*"
)
SHAPE: Final = Shape(
    lead=one(rf"^(?:{_GREETING}|{_BEFORE_A_COMMA}|{_POLITENESS})+"),
    request=one(r"(?:can|could|would|will) you"),
    clause=one(_AFTER_A_SETTING, _AFTER_A_MARK, _AFTER_A_CONJUNCTION),
    setting=one(r"^(?:in|on|at|for|when|whenever|if|after|before|during|as|last|since|with|by|most|every)\b"),
    conditional=one(r"^(?:if|when|whenever|in case|once|every time|each time|any ?time)\b"),
)
