"""How near one text is to another, by shared words alone: pure, small, and the same every time."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from beaver.text import has_unspaced, is_unspaced


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_WORD: Final = re.compile(r"[^\W_]+(?:['’][^\W_]+)?")
_SENTENCE_END: Final = re.compile(r"(?<=[.!?…])\s+|(?<=[。！？])|\n+")
_ASKING: Final = _words(
    "what who whom whose when where which why how is are am was were do does did can could will would shall should may"
)
_STOP_WORDS: Final = _ASKING | _words(
    "a about again all also an and any as at be been but by for from get give had has have he her him his i if in into it its "
    "just know let like me mine more much my no not now of on one or our out please remember said say she so some such tell "
    "than that the their them then there these they this those to too up us very want we with you your yours"
)
# Two of these side by side say nothing about a text's topic.
_STOP_CHARACTERS: Final = frozenset("的了是在我你您他她它们这那有和与也都就吗呢吧啊么什谁哪几怎为个不很要会能")
_ASKING_UNSPACED: Final = re.compile("[吗呢]$|什么|怎么|为什么|哪[里个儿]?|谁|多少|几[个点岁]|ですか|ますか")
_REQUEST: Final = re.compile(
    r"(?:please\s+)?(?:(?:tell|show|give|list)\s+(?:me|us)\b|remind\s+(?:me|us)\s+(?:what|who|when|where|which|how)\b)",
    re.I,
)
_ASKING_WORDS_MAX: Final = 12
_ENDINGS: Final = ("ingly", "edly", "ing", "ies", "ied", "ed", "es", "ly", "s")
_STEM_LENGTH_MIN: Final = 3


def terms(text: str) -> frozenset[str]:
    """What a text is about: its words without stop words and endings, and pairs of characters of scripts without spaces."""
    found: set[str] = set()
    for match in _WORD.finditer(text.casefold()):
        word = match.group()
        if has_unspaced(word):
            found |= _pairs(word)
        elif (bare := re.split("['’]", word)[0]) not in _STOP_WORDS:
            found.add(_stem(bare))
    return frozenset(found)


def scores(query: frozenset[str], texts: Sequence[str]) -> list[float]:
    """One score from 0 to 1 for each text: the share of the query's terms it holds; terms rare among the texts weigh more."""
    of_each = [terms(text) for text in texts]
    holders = Counter(term for held in of_each for term in held & query)
    weights = {term: 1 / (1 + holders[term]) for term in query}
    whole = sum(weights.values())
    return [sum(weights[term] for term in query & held) / whole if whole else 0.0 for held in of_each]


def sentences(text: str) -> list[str]:
    """The text's sentences, stripped, without empty ones."""
    return [sentence.strip() for sentence in _SENTENCE_END.split(text) if sentence.strip()]


def is_question(sentence: str) -> bool:
    """Whether the sentence asks for something rather than states it, with or without a question mark."""
    bare = sentence.strip(" \t\"'“”‘’()（）「」『』")
    if bare.endswith(("?", "？")) or _REQUEST.match(bare):
        return True
    if has_unspaced(bare):
        return _ASKING_UNSPACED.search(bare.rstrip("。.！!")) is not None
    words = _WORD.findall(bare.casefold())
    return (
        bool(words)
        and re.split("['’]", words[0])[0] in _ASKING
        and len(words) <= _ASKING_WORDS_MAX
        and not bare.endswith((".", "!"))
    )


def _pairs(word: str) -> set[str]:
    found: set[str] = set()
    for run in re.findall(r"[^\x00-\x7f]+|[\x00-\x7f]+", word):
        if not is_unspaced(run[0]) or len(run) == 1:
            found.add(run)
        else:
            found |= {a + b for a, b in pairwise(run) if not {a, b} <= _STOP_CHARACTERS}
    return found


def _stem(word: str) -> str:
    ending = next((ending for ending in _ENDINGS if word.endswith(ending)), "")
    if len(word) - len(ending) < _STEM_LENGTH_MIN:
        return word
    word = word.removesuffix(ending)
    if len(word) > _STEM_LENGTH_MIN and (word[-1] == word[-2] or word[-1] in "ey"):
        return word[:-1]
    return word
