"""Whether a sentence tells what a statement says, pure: its words in their order, of the same person, and not denied."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from beaver.memory.retrieval.echoes import letters
from beaver.memory.retrieval.stems import stem_of
from beaver.memory.retrieval.words import index_text
from beaver.memory.stopwords import STOP_WORDS
from beaver.text import has_unspaced

READ_KEPT: Final = 4096
"""Texts that are kept as they were read: a statement is compared with every sentence."""
_OF_OTHERS: Final = frozenset(("he", "she", "they", "his", "her", "their", "it", "its", "who", "whose", "s"))
"""What stands before a verb of somebody else's: `she lives in Paris` is not told by `I live in Paris`."""
_BESIDE: Final = frozenset(
    ("user", "currently", "still", "actually", "really", "originally", "recently", "long", "already")
)
"""Words between a person and what is said of them that change nothing."""
_NEGATIONS: Final = frozenset(
    (
        *("not", "no", "never", "cannot", "without", "stopped", "quit", "longer", "anymore", "hate", "dislike"),
        *("t", "don", "doesn", "didn", "isn", "aren", "wasn", "weren", "won", "wouldn"),
    )
)
_LEAVING: Final = frozenset(("over", "than", "instead", "rather", "except", "but", "unlike"))
"""What stands before the other of two things: `tabs over spaces` says nothing of spaces."""
_GOING_ON: Final = frozenset(("called", "named", "and", "with", "who", "which", "whose", "now"))
"""What may follow a whole statement of few words."""
_SPEAKERS: Final = ("用户的", "我们的", "你们的", "我的", "你的", "您的", "用户", "我们", "你们", "我", "你", "您")
_BEFORE_IN_CHINESE: Final = frozenset("我你您们户的就还是现在也")
_NEGATIONS_IN_CHINESE: Final = frozenset("不没沒别別勿非无無")


@dataclass(frozen=True)
class _Read:
    """A text as it is compared: its words with their stems, None for one that says nothing; which stems there are, and negations.

    Of scripts without spaces `letters` are compared instead.
    """

    words: tuple[tuple[str, int | None], ...]
    stems: frozenset[int]
    negations: frozenset[str]
    letters: str
    is_unspaced: bool

    @property
    def asked(self) -> list[int]:
        """The stems in order."""
        return [stem for _, stem in self.words if stem is not None]


def tells(sentence: str, statement: str) -> bool:
    """Whether the sentence says what the statement does, perhaps with more behind it.

    A statement of one word that says anything (`I have a dog`) only where it stands there as it is. Users call themselves I, an
    assistant calls them you.
    """
    said, held = _read(sentence), _read(statement)
    if held.is_unspaced:
        return _tells_in_chinese(said.letters, held.letters)
    if not held.stems or not held.stems <= said.stems or said.negations != held.negations:
        return False
    asked = held.asked
    if len(asked) == 1:
        return said.asked == asked or _stands_as_it_is(said.words, held.words)
    begins = [at for at, (_, stem) in enumerate(said.words) if stem == asked[0]]
    return any(_begins(said.words, at) and _stands_in(asked, said.words[at:]) for at in begins)


def may_be_told(text: str, statements: Iterable[str]) -> list[str]:
    """Those of the statements whose words all stand in the text: of the others no sentence of it needs to be asked."""
    said = _read(text)
    return [one for one in statements if _holds(said, _read(one))]


def shared(sentence: str, statement: str) -> float:
    """The share of a statement's words that the sentence holds, in [0, 1]."""
    said, held = _read(sentence), _read(statement)
    return len(held.stems & said.stems) / len(held.stems) if held.stems else 0.0


def is_empty(text: str) -> bool:
    """Whether no word of a text says anything."""
    return not _read(text).stems


@lru_cache(READ_KEPT)
def _read(text: str) -> _Read:
    words = index_text(text).split()
    stems = [(word, None if word in _BESIDE else stem_of(word)) for word in words]
    return _Read(
        tuple(stems),
        frozenset(stem for _, stem in stems if stem is not None),
        _NEGATIONS.intersection(words),
        letters(text),
        has_unspaced(text),
    )


def _holds(said: _Read, held: _Read) -> bool:
    return _core(held.letters) in said.letters if held.is_unspaced else held.stems <= said.stems


def _begins(said: Sequence[tuple[str, int | None]], at: int) -> bool:
    """Whether what is said from here on is said of the speaker, or of who is spoken to: no other word stands before it."""
    before = next((word for word, _ in reversed(said[:at]) if word not in _BESIDE), None)
    return before is None or (before in STOP_WORDS and before not in _OF_OTHERS)


def _stands_in(asked: Sequence[int], said: Sequence[tuple[str, int | None]]) -> bool:
    left = list(asked)
    for word, stem in said:
        if stem == left[0]:
            left.pop(0)
            if not left:
                return True
        elif word in _LEAVING:
            return False
    return False


def _stands_as_it_is(said: Sequence[tuple[str, int | None]], asked: Sequence[tuple[str, int | None]]) -> bool:
    """Whether these very words open the sentence, and it goes on with more about the same."""
    rest = said[len(asked) :]
    return tuple(said[: len(asked)]) == tuple(asked) and bool(rest) and rest[0][0] in _GOING_ON


def _core(statement: str) -> str:
    """What is said of the speaker."""
    speaker = next((each for each in _SPEAKERS if statement.startswith(each)), "")
    return statement.removeprefix(speaker)


def _tells_in_chinese(sentence: str, statement: str) -> bool:
    """The whole of it stands there, whoever of the two it was said of."""
    core = _core(statement)
    at = sentence.find(core) if core else -1
    if at < 0 or _NEGATIONS_IN_CHINESE & set(sentence) != _NEGATIONS_IN_CHINESE & set(statement):
        return False
    return at == 0 or core == statement or sentence[at - 1] in _BEFORE_IN_CHINESE
