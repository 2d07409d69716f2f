"""English as capture reads it: its rules, and the words around them."""

from __future__ import annotations

from typing import Final

from beaver.memory.capture.english.asked import REMEMBER, RULES
from beaver.memory.capture.english.preferences import PREFERENCES
from beaver.memory.capture.english.profile import PROFILE
from beaver.memory.capture.english.settled import DECISIONS, FIXES, TASKS
from beaver.memory.capture.english.words import compiled
from beaver.memory.capture.patterns import Language

ENGLISH: Final = Language(
    rules=(*REMEMBER, *RULES, *PREFERENCES, *DECISIONS, *PROFILE, *TASKS, *FIXES),
    lead=compiled(
        r"^(?:(?:hi|hey|hello)(?:\s(?-i:[A-Z])\w+)?\s*[,!.:-]?\s+|(?:ok|okay|well|so|oh|ah|yes|yeah|yep|"
        r"no|nope|sure|right|thanks|"
        r"thank you|great|fine|also|actually|anyway|honestly|note|fyi|btw|by the way|to be honest|"
        r"one more thing|just so "
        r"you know|in fact)\s*[,!:–-]\s*|(?:please|also|and|but|btw|by the way|fyi|actually|"
        r"just so you know|i want you to|"
        r"i'd like you to|you should|(?:can|could|would|will) you(?: please)?(?=\s(?:please |"
        r"kindly )?(?:remember|note|remind|keep|"
        r"make a note|always|never|save|store|memori))|just|kindly)\s+)+"
    ),
    clause=compiled(
        r"(?:[,;:–—]|\s-)\s+(?:(?:and|but|so|because|since|though)\s+)?|\s(?:and|but|so|because|since|though)\s+"
    ),
    setting=compiled(r"^(?:in|on|at|for|when|whenever|if|after|before|during|as|last|since|with|by|most|every)\b"),
    question=compiled(
        r"\?\W*$|^(?:what|who|whom|whose|why|how)\b(?!ever)|^(?:is|are|am|was|were|do|does|did|can|could|"
        r"would|will|should|shall|"
        r"have|has|had|where|when|which)\s(?:i|you|we|he|she|it|they|there|is|are|do|does|did|can|should|"
        r"the|my|your)\b(?![^?]*,)"
    ),
    supposed=compiled(
        r"^(?:suppose|supposing|imagine|assume|assuming|let's say|say|pretend|what if|unless|wish|"
        r"hopefully|hypothetically)\b|"
        r"\b(?:for example|e\.g\.|hypothetically|in my (?:story|novel|dream|game|poem)|my character|"
        r"i wish|if only|would have|as if)\b"
    ),
    conditional=compiled(r"^(?:if|when|whenever|in case|once)\b"),
    attributed=compiled(
        r"\b(?:you|your (?:memory|notes|records))(?:'ve| have| had)?\s(?:just |already |once |"
        r"also )?(?:said|told|mentioned|remembered|"
        r"remember (?:that|me)|recalled?|noted|wrote|claimed|think (?:that )?i|stored|saved|says?|shows?|"
        r"suggested|know (?:that )?i)\b|"
        r"\baccording to\b|\bas (?:you|i|we) (?:know|said|mentioned|remember)\b"
    ),
    hedge=compiled(
        r"\b(?:maybe|perhaps|possibly|might|probably|not sure|unsure|i guess|i suppose|kind of|sort of|"
        r"could be|tentatively|"
        r"haven't decided|not yet|just kidding|joking|lol)\b"
    ),
    payload=compiled(
        r"^(?:please |can you |could you )*(?:translate|rewrite|rephrase|correct|proofread|edit|"
        r"summari[sz]e|paraphrase|improve|"
        r"polish|analy[sz]e|review|explain|classify|reply to|respond to|repeat|check|write|draft|complete)\b[^:]*:|"
        r"^here(?:'s| is| are)\s(?:the|an?|my|some)\s(?:\w+\s)?(?:text|e-?mail|article|letter|draft|"
        r"essay|story|transcript|logs?|"
        r"output|message|code|paragraph|document|poem|lyrics)\b"
    ),
    private=compiled(
        r"\b(?:do(?:n't| not)|never|please don't) (?:remember|save|store|record|memori[sz]e|"
        r"keep)\s(?:any of )?(?:this|that|it|what)\b|"
        r"\boff the record\b|(?<!n't )(?<!not )\bforget (?:this|that|what i)\b"
    ),
    secret=compiled(
        r"\b(?:passwords?|passphrase|passcode|pin(?: code| number)?|api[ _-]?key|secret(?: key)?|"
        r"access token|token|credentials?|cvv|"
        r"(?:credit )?card number|ssn|social security number|private key|recovery (?:code|phrase)|"
        r"one-time code|otp)\b"
        r"[^.]{0,40}?(?:\bis\b|\bare\b|=|:)"
    ),
)
