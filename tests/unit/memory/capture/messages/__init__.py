"""Messages with their labels: those that rules were improved on, and those that they are measured by.

EVERYDAY was written before the rules were reworked, LATER in three goes meanwhile, FRESH when they were all but done: PLAIN
in everyday words, COLOURFUL in a person's own. Of FRESH only totals were ever looked at: improve no rule on a single message
of it. One author wrote both rules and messages.

OWN_WORDS and HELD came with the learned part: 880 messages in a person's own words, written before their author had read the
rules and before there was anything to learn, were halved by a coin. HELD is the half that was put aside, and only totals of it
were looked at. To the other half, OWN_WORDS, more were added: the weights were fitted on it, and on all but FRESH and HELD.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tests.unit.memory.capture.messages import (
    everyday_chinese,
    everyday_english,
    fresh_colourful_chinese,
    fresh_colourful_english,
    fresh_plain_chinese,
    fresh_plain_english,
    later_chinese,
    later_chinese_left_alone,
    later_english,
    later_english_left_alone,
    own_words_chinese_asked,
    own_words_chinese_chatter,
    own_words_chinese_facts,
    own_words_chinese_likes,
    own_words_chinese_passing,
    own_words_chinese_plans,
    own_words_chinese_told,
    own_words_english_asked,
    own_words_english_chatter,
    own_words_english_facts,
    own_words_english_likes,
    own_words_english_passing,
    own_words_english_plans,
    own_words_english_told,
    own_words_held_chinese,
    own_words_held_english,
)

Labelled = tuple[tuple[str, str], ...]


def _rows(*parts: Mapping[str, str]) -> Labelled:
    return tuple(
        (label, text) for messages in parts for label, block in messages.items() for text in block.strip().splitlines()
    )


EVERYDAY: Final = {"English": _rows(everyday_english.MESSAGES), "Chinese": _rows(everyday_chinese.MESSAGES)}
LATER: Final = {
    "English": _rows(later_english.MESSAGES, later_english_left_alone.MESSAGES),
    "Chinese": _rows(later_chinese.MESSAGES, later_chinese_left_alone.MESSAGES),
}
PLAIN: Final = {"English": _rows(fresh_plain_english.MESSAGES), "Chinese": _rows(fresh_plain_chinese.MESSAGES)}
COLOURFUL: Final = {
    "English": _rows(fresh_colourful_english.MESSAGES),
    "Chinese": _rows(fresh_colourful_chinese.MESSAGES),
}
FRESH: Final = {language: PLAIN[language] + COLOURFUL[language] for language in PLAIN}
OWN_WORDS: Final = {
    "English": _rows(
        own_words_english_likes.MESSAGES,
        own_words_english_facts.MESSAGES,
        own_words_english_plans.MESSAGES,
        own_words_english_asked.MESSAGES,
        own_words_english_told.MESSAGES,
        own_words_english_chatter.MESSAGES,
        own_words_english_passing.MESSAGES,
    ),
    "Chinese": _rows(
        own_words_chinese_likes.MESSAGES,
        own_words_chinese_facts.MESSAGES,
        own_words_chinese_plans.MESSAGES,
        own_words_chinese_asked.MESSAGES,
        own_words_chinese_told.MESSAGES,
        own_words_chinese_chatter.MESSAGES,
        own_words_chinese_passing.MESSAGES,
    ),
}
HELD: Final = {
    "English": _rows(own_words_held_english.MESSAGES),
    "Chinese": _rows(own_words_held_chinese.MESSAGES),
}
