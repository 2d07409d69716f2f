"""Sentences that English rules leave alone: a kind of them a file."""

from __future__ import annotations

from typing import Final

from beaver.memory.capture.english.unread.confidential import PRIVATE, SECRET
from beaver.memory.capture.english.unread.doubt import HEDGE
from beaver.memory.capture.english.unread.hearsay import HEARSAY
from beaver.memory.capture.english.unread.irony import TONE
from beaver.memory.capture.english.unread.leaning import LEANING
from beaver.memory.capture.english.unread.moments import MOMENT
from beaver.memory.capture.english.unread.questions import QUESTION
from beaver.memory.capture.english.unread.source_code import SOURCE_CODE
from beaver.memory.capture.english.unread.suppositions import SUPPOSITION
from beaver.memory.capture.english.unread.text_work import PAYLOAD, TEXT_TO_MAKE
from beaver.memory.capture.language import Unread

UNREAD: Final = Unread(
    vetoes=(QUESTION, SUPPOSITION, HEARSAY, MOMENT, SOURCE_CODE, TEXT_TO_MAKE),
    tone=TONE,
    hedge=HEDGE,
    payload=PAYLOAD,
    private=PRIVATE,
    secret=SECRET,
    leaning=LEANING,
)
