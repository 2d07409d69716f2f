"""What is not for memory: what a person asks not to be kept, and secrets, asked or not."""

from __future__ import annotations

from typing import Final

from beaver.memory.capture.english.words import one

_NOT_TO_KEEP: Final = (
    r"\b(?:do(?:n't| not)|never|please don't|not to|no need to) "
    r"(?:remember|save|store|record|memori[sz]e|keep|log|write down)\s(?:any of )?"
    r"(?:this|that|it|what|these|anything)\b"
)
_BETWEEN_US: Final = r"\boff the record\b|\bnot for the record\b|\bbetween (?:us|you and me)\b"
_FORGET: Final = r"(?<!n[']t )(?<!nt )(?<!not )\bforget (?:this|that|what i)\b"
PRIVATE: Final = one(_NOT_TO_KEEP, _BETWEEN_US, _FORGET)
SECRET: Final = one(
    r"\b(?:passwords?|passphrase|passcode|pin(?: code| number)?|api[ _-]?key|secret(?: key)?|access token|token|"
    r"credentials?|cvv|(?:credit )?card number|ssn|social security number|private key|recovery (?:code|phrase)|"
    r"one-time code|otp)\b[^.]{0,40}?(?:\bis\b|\bare\b|=|:)"
)
