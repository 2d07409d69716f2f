"""No text holds the rules up: what a word of it can be read as is settled at the first look."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

# Python's own reader of patterns: nothing else tells what a repetition repeats.
from re import _constants as kinds
from re import _parser as patterns
from typing import Any

import pytest

from beaver.memory.capture.chinese.language import CHINESE
from beaver.memory.capture.english.language import ENGLISH
from beaver.memory.capture.rules import candidates
from beaver.memory.capture.sentences import MESSAGE_LENGTH_READ
from beaver.memory.transcripts.said import SaidMessage

READINGS_MAX = 1000
"""Of more ways to read a part of a pattern not all are looked at."""


@pytest.mark.parametrize(
    "text",
    [
        "现在本人" + "刚刚" * 40,
        "我们决定" + "好了" * 40 + "一下",
        "\n" * MESSAGE_LENGTH_READ,
        "A. " * (MESSAGE_LENGTH_READ // 3),
    ],
    ids=["just now", "well then", "empty lines", "initials"],
)
def test_a_message_that_says_one_thing_again_and_again_is_read_to_its_end(text: str) -> None:
    messages = [SaidMessage("t", f"t.{number}", "user", "ada", text, 1) for number in range(20)]
    assert len(candidates(messages, "ada")) <= len(messages)


@pytest.mark.parametrize("language", [CHINESE, ENGLISH], ids=["Chinese", "English"])
def test_no_repeated_choice_reads_the_same_words_in_two_ways(language: Any) -> None:
    """Each way would be tried where the rest does not fit: of n words, two to the power of n."""
    rules = [rule.pattern for table in language.tables for rule in table.rules]
    tried = [
        *rules,
        *(table.guard for table in language.tables),
        language.unread.tone,
        language.unread.hedge,
        language.unread.leaning,
        *language.forget.statement,
        *language.forget.attribute,
        *language.forget.everything,
        language.forget.last,
        language.forget.ending,
        language.forget.parted,
    ]
    ambiguous = {
        "|".join(sorted(words))
        for pattern in tried
        for words in _repeated(patterns.parse(pattern.pattern, pattern.flags))
        if _has_two_readings(words)
    }
    assert not ambiguous


def test_a_choice_with_two_readings_is_found() -> None:
    found = list(_repeated(patterns.parse("(?:a|ab|b)*c")))
    assert [_has_two_readings(words) for words in found] == [True]
    assert not _has_two_readings({"a", "ab"})


def _repeated(part: Any) -> Iterator[set[str]]:
    """What each unbounded repetition within a pattern repeats, where that is a choice of words."""
    for kind, held in part:
        if kind in (kinds.MAX_REPEAT, kinds.MIN_REPEAT):
            words = _words(held[2]) if held[1] == kinds.MAXREPEAT else None
            if words:
                yield set(words)
            yield from _repeated(held[2])
        elif kind in (kinds.SUBPATTERN, kinds.ASSERT, kinds.ASSERT_NOT):
            yield from _repeated(held[-1])
        elif kind is kinds.BRANCH:
            for branch in held[1]:
                yield from _repeated(branch)


def _words(part: Any) -> list[str] | None:
    """All that a part of a pattern may read; None where that is more than a list of words."""
    read = [""]
    for kind, held in part:
        one = _word(kind, held)
        if one is None or len(read) * len(one) > READINGS_MAX:
            return None
        read = ["".join(pair) for pair in product(read, one)]
    return read


def _word(kind: Any, held: Any) -> list[str] | None:
    if kind is kinds.LITERAL:
        return [chr(held)]
    if kind is kinds.SUBPATTERN:
        return _words(held[3])
    if kind is kinds.BRANCH:
        branches = [_words(branch) for branch in held[1]]
        return None if None in branches else [word for branch in branches for word in branch or ()]
    if kind is kinds.MAX_REPEAT and held[:2] == (0, 1):
        words = _words(held[2])
        return None if words is None else ["", *words]
    return None


def _has_two_readings(words: set[str]) -> bool:
    """Whether words of these, one after the other, come to the same as others of them (Sardinas and Patterson)."""
    left = {longer[len(word) :] for word, longer in product(words, words) if word != longer and longer.startswith(word)}
    seen: set[str] = set()
    while left - seen:
        if left & words:
            return True
        seen |= left
        left = {word[len(rest) :] for rest, word in product(left, words) if word.startswith(rest)} | {
            rest[len(word) :] for rest, word in product(left, words) if rest.startswith(word)
        }
    return "" in words
