"""Messages with their labels: those that rules were improved on, and those that they are measured by.

EVERYDAY was written before the rules were reworked, LATER in three goes meanwhile, FRESH when they were all but done: PLAIN
in everyday words, COLOURFUL in a person's own. Of FRESH only totals were ever looked at: improve no rule on a single message
of it. One author wrote both rules and messages.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tests.unit.memory.capture.messages import (
    everyday_chinese,
    everyday_english,
    fresh_chinese,
    fresh_english,
    later_chinese,
    later_english,
)

Labelled = tuple[tuple[str, str], ...]


def _rows(messages: Mapping[str, str]) -> Labelled:
    return tuple((label, text) for label, block in messages.items() for text in block.strip().splitlines())


EVERYDAY: Final = {"English": _rows(everyday_english.MESSAGES), "Chinese": _rows(everyday_chinese.MESSAGES)}
LATER: Final = {"English": _rows(later_english.MESSAGES), "Chinese": _rows(later_chinese.MESSAGES)}
PLAIN: Final = {"English": _rows(fresh_english.PLAIN), "Chinese": _rows(fresh_chinese.PLAIN)}
COLOURFUL: Final = {"English": _rows(fresh_english.COLOURFUL), "Chinese": _rows(fresh_chinese.COLOURFUL)}
FRESH: Final = {language: PLAIN[language] + COLOURFUL[language] for language in PLAIN}
