"""Chinese as capture reads it: its rules, how its sentences are put together, and what is left unread."""

from __future__ import annotations

from typing import Final

from beaver.memory.capture.chinese.asked import REMEMBER
from beaver.memory.capture.chinese.decisions import DECISIONS
from beaver.memory.capture.chinese.fixes import FIXES
from beaver.memory.capture.chinese.forget import FORGET
from beaver.memory.capture.chinese.life import LIFE
from beaver.memory.capture.chinese.manner import MANNER
from beaver.memory.capture.chinese.own import OWN
from beaver.memory.capture.chinese.people import NAMED_PEOPLE, PEOPLE
from beaver.memory.capture.chinese.preferences import PREFERENCES
from beaver.memory.capture.chinese.profile import PROFILE
from beaver.memory.capture.chinese.script import FOLDING
from beaver.memory.capture.chinese.shape import SHAPE
from beaver.memory.capture.chinese.standing import STANDING
from beaver.memory.capture.chinese.tasks import TASKS
from beaver.memory.capture.chinese.unread import UNREAD
from beaver.memory.capture.language import Language
from beaver.memory.capture.patterns import tables

CHINESE: Final = Language(
    name="chinese",
    tables=tables(
        *REMEMBER, *STANDING, *MANNER, *PREFERENCES, *DECISIONS, *PROFILE, *LIFE, *PEOPLE, *TASKS, *FIXES, *OWN
    ),
    folding=FOLDING,
    shape=SHAPE,
    unread=UNREAD,
    forget=FORGET,
    people=NAMED_PEOPLE,
)
