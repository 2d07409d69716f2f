"""What is outdated, pure: of two results that tell two states of one thing, the newer stands before the older."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from beaver.memory.retrieval.answer.folding import Folded, source_id
from beaver.memory.retrieval.echoes import letters, sentences
from beaver.memory.retrieval.stems import stems_of
from beaver.memory.retrieval.store import Passage
from beaver.memory.retrieval.words import index_text

T = TypeVar("T")


@dataclass(frozen=True)
class Replacement:
    """The observation that holds instead of what a message told (`instead_of`: title and facts of what was learned of that),
    since when (UTC epoch ms), and the messages that it is of.
    """

    instead_of: tuple[str, ...]
    observation_id: str
    title: str
    since_ms: int
    evidence: frozenset[str]


def replacements_of(passage: Passage, replaced: Mapping[str, Sequence[Replacement]]) -> Sequence[Replacement]:
    """What holds instead of something that a passage tells: a message, or an observation that quotes it.

    `replaced`: by message, as far as what it told was superseded. Whatever says the same and was said before is as outdated: an
    assistant's answer of that time above all.
    """
    if not replaced:  # as of most answers, and it is asked of each result twice
        return ()
    mine = [each for one in (passage.message_id, *passage.evidence) for each in replaced.get(one or "", ())]
    if passage.message_id is not None:
        others = (each for some in replaced.values() for each in some if _says_it_too(passage, each))
        return tuple(dict.fromkeys((*mine, *others)))
    text = letters(passage.text)
    quoted = (each for each in mine if any(letters(one) in text for one in each.instead_of))
    return tuple(dict.fromkeys(each for each in quoted if each.observation_id != passage.observation_id))


def _says_it_too(passage: Passage, replacement: Replacement) -> bool:
    """Whether one of its sentences holds all words of what holds no longer, in that order. (`You live in Paris.`)"""
    if passage.observed_ms >= replacement.since_ms or passage.message_id in replacement.evidence:
        return False
    outdated = [stems_of(index_text(statement)) for statement in replacement.instead_of]
    said = [stems_of(index_text(sentence)) for sentence in sentences(passage.text)]
    return any(_stands_in(statement, sentence) for statement in outdated for sentence in said)


def _stands_in(statement: Sequence[int], sentence: Sequence[int]) -> bool:
    rest = iter(sentence)
    return len(statement) > 1 and all(word in rest for word in statement)


def newest_first(results: list[Folded[T]], replaced: Mapping[str, Sequence[Replacement]]) -> list[Folded[T]]:
    """The results; each that tells what holds instead of an earlier one stands right before that, with what speaks for it."""
    ordered = list(results)
    for outdated in results:
        for replacement in replacements_of(outdated.passage, replaced):
            newer = next((one for one in ordered if _tells(one, replacement)), None)
            if newer is not None and ordered.index(newer) > (place := ordered.index(outdated)):
                ordered.remove(newer)
                ordered.insert(place, newer)
                newer.of = outdated.of
    return ordered


def _tells(one: Folded[T], replacement: Replacement) -> bool:
    ids = {source_id(one.passage), *one.also}
    return replacement.observation_id in ids or bool(replacement.evidence & ids)
