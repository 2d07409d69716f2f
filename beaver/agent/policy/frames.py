"""Statements that say the same but for one value, pure: tabs or spaces, port 8443 or 9443, Friday or Monday."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from itertools import groupby
from typing import Final

from beaver.text import is_unspaced

_WORD: Final = re.compile(r"[^\W_]+(?:[.:'’/-][^\W_]+)*")
_NUMBER: Final = re.compile(r"v?\d[\d.:]*(?:st|nd|rd|th|am|pm|ms|min|kb|mb|gb|[smhdk])?|[零一二两三四五六七八九十]")
_DAY: Final = re.compile(
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?|january|february|march|april|may|june|july|august|september|october|november|december"
)
_CUE_WORDS_BACK: Final = 3
# After these a number is a value; without them it may be a name, as in `room 4`.
_MEASURES: Final = re.compile(
    r"is|are|was|at|with|port|version|after|every|within|than|over|under|above|below|about|takes|costs|has|have|[是为到用每过超于有在]"
)
_IS: Final = re.compile(r"is|are|[是为]")
_CHINESE_WEEK: Final = frozenset("周期拜")
# Of each line one at a time, where the rest of a statement stays as it is. What people may well do both of is not here.
_RIVALS: Final = tuple(
    tuple(line.split("|"))
    for line in (
        "tabs|spaces",
        "dark|light",
        "single quotes|double quotes",
        "camel case|snake case|kebab case",
        "camelcase|snake_case|snakecase|kebab-case",
        "british|american",
        "metric|imperial",
        "celsius|fahrenheit",
        "12-hour|24-hour",
        "merge|rebase|squash",
        "npm|pnpm|yarn|bun",
        "short|long|brief|detailed|concise|verbose",
        "formal|informal|casual",
        "simplified|traditional",
        "制表符|空格",
        "深色|浅色|暗色|亮色",
        "单引号|双引号",
        "简体|繁体",
        "公制|英制",
        "摄氏|华氏",
        "简短|简洁|详细|冗长",
        "正式|随意|口语",
    )
)
_FILLER: Final = re.compile(
    r"(?<= )(?:now|actually|instead|please|currently|always|just|really|today|then|so|from|on|onwards"
    r"|现 在|目 前|以 后|今 后|总 是|一 直|已 经|记 住|其 实|[从改请都了]) "
)


def gives_another_value(one: str, other: str) -> bool:
    """Whether two statements differ in one value alone, of which only one can hold."""
    first, second = _plain(one), _plain(other)
    return first != second and (_are_rivals(first, second) or _measures_otherwise(first.split(), second.split()))


def values_of(text: str) -> frozenset[str]:
    """The numbers, days and known rivals in a text: two texts that differ in these do not say the same."""
    plain = _plain(text)
    told = {word for word in plain.split() if _NUMBER.fullmatch(word) or _DAY.fullmatch(word)}
    return frozenset(told | {member for members in _MEMBERS for member in members if member in plain})


def _are_rivals(first: str, second: str) -> bool:
    for members in _MEMBERS:
        for mine in (member for member in members if member in first):
            bare = first.replace(mine, " \0 ")
            if any(second.replace(theirs, " \0 ") == bare for theirs in members if theirs != mine):
                return True
    return False


def _measures_otherwise(first: Sequence[str], second: Sequence[str]) -> bool:
    if len(first) != len(second):
        return False
    apart = [at for at, (mine, theirs) in enumerate(zip(first, second, strict=True)) if mine != theirs]
    if len(apart) != 1:
        return False
    [at] = apart
    before, pair = first[max(0, at - _CUE_WORDS_BACK) : at], (first[at], second[at])
    if all(map(_DAY.fullmatch, pair)) or (before and before[-1] in _CHINESE_WEEK):
        return any(map(_IS.fullmatch, before))
    return all(map(_NUMBER.fullmatch, pair)) and any(map(_MEASURES.fullmatch, before))


def _plain(text: str) -> str:
    """Words between single spaces, a space at either end; each character of a script without spaces is a word."""
    folded = unicodedata.normalize("NFKC", text).casefold().replace("’", "'")
    words = (word for match in _WORD.findall(folded) for word in _pieces(match))
    return _FILLER.sub("", f" {' '.join(words)} ")


def _pieces(word: str) -> list[str]:
    pieces: list[str] = []
    for unspaced, characters in groupby(word, is_unspaced):
        run = "".join(characters)
        pieces += list(run) if unspaced else [run]
    return pieces


def _spaced(phrase: str) -> str:
    return f" {' '.join(piece for word in phrase.split() for piece in _pieces(word))} "


_MEMBERS: Final = tuple(tuple(map(_spaced, members)) for members in _RIVALS)
