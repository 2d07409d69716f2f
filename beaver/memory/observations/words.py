"""The words of an observation, pure: stems by which it is found, and how alike two texts are."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from beaver.memory.retrieval.asking.irregular import with_forms
from beaver.memory.retrieval.stems import stem_word
from beaver.memory.retrieval.words import index_text, query_terms
from beaver.memory.stopwords import STOP_WORDS

_SPELT: Final = {"favorit": "favourit", "color": "colour", "neighbor": "neighbour", "gray": "grey"}
# Words that turn a statement round: two texts that differ in one of them do not say the same.
_TURNING: Final = frozenset(
    (
        *(
            "not",
            "no",
            "never",
            "cannot",
            "without",
            "nobody",
            "nothing",
            "neither",
            "nor",
            "t",
            "isn",
            "aren",
            "wasn",
            "weren",
        ),
        *("don", "doesn", "didn", "won", "wouldn", "couldn", "shouldn", "stopped", "stop", "quit", "longer", "anymore"),
        *("except", "dislike", "dislikes", "hate", "hates", "nicht", "kein", "keine", "nie", "ohne"),
    )
)
_TURNING_CHINESE: Final = re.compile("[不没沒别別勿非无無]")


def label_words(text: str) -> list[str]:
    """Every stem that finds the text, once each; stop words find nothing."""
    return list(dict.fromkeys(stem(word) for word in index_text(text).split() if word not in STOP_WORDS))


def asked_words(text: str) -> list[tuple[str, ...]]:
    """The stems that a question asks for, each as its spellings and forms; any one of them will do."""
    asked = (with_forms(spellings) for spellings in query_terms(text) if spellings[0] not in STOP_WORDS)
    return list(dict.fromkeys(tuple(dict.fromkeys(map(stem, spellings))) for spellings in asked))


def spoken_words(text: str) -> list[str]:
    """The stems in the order of the text, stop words left out."""
    return [stem(spellings[0]) for spellings in query_terms(text) if spellings[0] not in STOP_WORDS]


def likeness(one: Sequence[str], other: Sequence[str]) -> float:
    """Twice what two texts' words have in common over what they have: 0 for nothing, 1 for the same words."""
    mine, theirs = set(one), set(other)
    return 2 * len(mine & theirs) / max(1, len(mine) + len(theirs))


def says_within(one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether `one` says nothing that `other` does not: its words stand there, in the same order."""
    rest = iter(other)
    return bool(one) and all(word in rest for word in one)


def turns(text: str) -> frozenset[str]:
    """What a statement hangs on besides its content words: negations, and every number."""
    raw = [spellings[0] for spellings in query_terms(text)]
    numbers = (word for word in raw if any(character.isdigit() for character in word))
    return frozenset((*numbers, *(word for word in raw if word in _TURNING), *_TURNING_CHINESE.findall(text)))


def stem(word: str) -> str:
    """An English word without its ending, so that `lives`, `lived` and `living` meet, and `color` and `colour`."""
    stemmed = stem_word(word) if word.isascii() else word
    return _SPELT.get(stemmed, stemmed)
