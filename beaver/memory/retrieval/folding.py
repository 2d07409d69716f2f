"""What says the same is answered once, pure: the better stands for the others, which it counts and names."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from beaver.memory.retrieval.echoes import SHARE_MIN, echoed_share
from beaver.memory.retrieval.store import Passage
from beaver.memory.retrieval.words import index_text

T = TypeVar("T")


@dataclass
class Folded(Generic[T]):
    """A passage to answer; `copies` counts the passages of its words, `also` are the ids of all that it stands for."""

    passage: Passage
    of: T
    copies: int = 1
    also: list[str] = field(default_factory=list)


def source_id(passage: Passage) -> str:
    """The id by which a result is known."""
    known = passage.message_id or passage.observation_id or passage.summary_id
    return known or f"{passage.document_id}.{passage.position}"


def fold(ranked: Iterable[tuple[Passage, T]]) -> list[Folded[T]]:
    """The first of each message, of each wording, and of an observation and the messages that it was learned from.

    A user's message stands before an assistant's that repeats it, and for one that says little else.
    """
    kept: list[Folded[T]] = []
    messages: dict[str, Folded[T]] = {}
    learned_from: dict[str, Folded[T]] = {}
    wordings: dict[tuple[bool, str], Folded[T]] = {}
    for passage, of in ranked:
        wording = (passage.document_id is not None, index_text(passage.text))
        said = passage.message_id or ""
        told = next((messages[one] for one in passage.evidence if one in messages), None)
        first = wordings.get(wording) or messages.get(said) or learned_from.get(said) or told
        if first is None:
            first = Folded(passage, of)
            kept.append(first)
        else:
            _join(first, passage, same_words=wording in wordings)
        wordings.setdefault(wording, first)
        if said:
            messages.setdefault(said, first)
        for one in passage.evidence:
            learned_from.setdefault(one, first)
    return _sources_first(kept)


def _sources_first(kept: list[Folded[T]]) -> list[Folded[T]]:
    """Evidence stays in order: a source that moves up takes what spoke for its echo."""
    gone: list[Folded[T]] = []
    for echo in [one for one in kept if one.passage.role == "assistant"]:
        shares = ((echoed_share(echo.passage, one.passage), one) for one in kept if one.passage.role == "user")
        share, source = next(((share, one) for share, one in shares if share > 0), (0.0, None))
        if source is None:
            continue
        above, below = kept.index(echo), kept.index(source)
        if above < below:
            kept[above], kept[below] = source, echo
            echo.of, source.of = source.of, echo.of
        if share >= SHARE_MIN:
            _join(source, echo.passage, same_words=False)
            gone.append(echo)
    return [one for one in kept if not any(one is each for each in gone)]


def _join(first: Folded[T], passage: Passage, *, same_words: bool) -> None:
    first.copies += same_words
    other = source_id(passage)
    if other != source_id(first.passage) and other not in first.also:
        first.also.append(other)
