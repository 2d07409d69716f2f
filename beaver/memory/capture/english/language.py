"""English as capture reads it: its rules, how its sentences are put together, and what is left unread."""

from __future__ import annotations

from typing import Final

from beaver.memory.capture.english.asked import REMEMBER
from beaver.memory.capture.english.decisions import DECISIONS
from beaver.memory.capture.english.ended import ENDED
from beaver.memory.capture.english.fixes import FIXES
from beaver.memory.capture.english.forget import FORGET
from beaver.memory.capture.english.habits import HABITS
from beaver.memory.capture.english.house import HOUSE_RULES
from beaver.memory.capture.english.life import LIFE
from beaver.memory.capture.english.manner import MANNER
from beaver.memory.capture.english.own import OWN
from beaver.memory.capture.english.people import NAMED_PEOPLE, PEOPLE
from beaver.memory.capture.english.preferences import PREFERENCES
from beaver.memory.capture.english.profile import PROFILE
from beaver.memory.capture.english.shape import SHAPE
from beaver.memory.capture.english.standing import STANDING
from beaver.memory.capture.english.tasks import TASKS
from beaver.memory.capture.english.unread import UNREAD
from beaver.memory.capture.english.work import WORK
from beaver.memory.capture.language import Language
from beaver.memory.capture.patterns import tables

ENGLISH: Final = Language(
    name="english",
    tables=tables(
        *REMEMBER,
        *ENDED,
        *STANDING,
        *MANNER,
        *HOUSE_RULES,
        *PREFERENCES,
        *HABITS,
        *DECISIONS,
        *PROFILE,
        *WORK,
        *LIFE,
        *PEOPLE,
        *TASKS,
        *FIXES,
        *OWN,
    ),
    folding={},
    shape=SHAPE,
    unread=UNREAD,
    forget=FORGET,
    people=NAMED_PEOPLE,
)
