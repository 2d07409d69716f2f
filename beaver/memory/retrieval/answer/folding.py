"""What says the same is answered once, pure: the better stands for the others, which it counts and names."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from beaver.memory.retrieval.echoes import SHARE_MIN, echoed_share, quoted_lines, quoted_share
from beaver.memory.retrieval.store import Passage
from beaver.memory.retrieval.words import index_text

T = TypeVar("T")


@dataclass
class Folded(Generic[T]):
    """A passage to answer; `copies` counts the passages of its words, `also` are the ids of all that it stands for, `learned`
    those of the observations among all of them.
    """

    passage: Passage
    of: T
    copies: int = 1
    also: list[str] = field(default_factory=list)
    learned: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._note(self.passage)

    def stand_for(self, passage: Passage, *, same_words: bool) -> None:
        """Count in what says the same; of the same words a message tells most, and of such the last."""
        self._note(passage)
        self.copies += same_words
        if same_words and _tells_more(passage, self.passage):
            self.passage, passage = passage, self.passage
        stands = source_id(self.passage)
        self.also = [one for one in dict.fromkeys((*self.also, source_id(passage))) if one != stands]

    def _note(self, passage: Passage) -> None:
        if passage.observation_id is not None:
            self.learned.append(passage.observation_id)


def source_id(passage: Passage) -> str:
    """The id by which a result is known."""
    known = passage.message_id or passage.observation_id or passage.summary_id
    return known or f"{passage.document_id}.{passage.position}"


def fold(ranked: Iterable[tuple[Passage, T]]) -> list[Folded[T]]:
    """The first of each message, of each wording, and of an observation and the messages that it was learned from.

    In the place of a wording stands who said it last.
    A user's message stands before an assistant's that repeats it, and for one that says little else; what a session's summary
    is made of stands for the summary.
    """
    kept: list[Folded[T]] = []
    messages: dict[str, Folded[T]] = {}
    learned_from: dict[str, Folded[T]] = {}
    wordings: dict[tuple[str, str], Folded[T]] = {}
    for passage, of in ranked:
        wording = (_kind(passage), index_text(passage.text))
        said = passage.message_id or ""
        told = next((messages[one] for one in passage.evidence if one in messages), None)
        first = wordings.get(wording) or messages.get(said) or learned_from.get(said) or told
        if first is None:
            first = Folded(passage, of)
            kept.append(first)
        else:
            first.stand_for(passage, same_words=wording in wordings)
        wordings.setdefault(wording, first)
        if said:
            messages.setdefault(said, first)
        for one in passage.evidence:
            learned_from.setdefault(one, first)
    return _without_summaries(_sources_first(kept))


def _kind(passage: Passage) -> str:
    if passage.document_id is not None:
        return "document"
    return "said or learned" if passage.summary_id is None else "summary"


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
            source.stand_for(echo.passage, same_words=False)
            gone.append(echo)
    return [one for one in kept if not any(one is each for each in gone)]


def _without_summaries(kept: list[Folded[T]]) -> list[Folded[T]]:
    """A summary quotes its session. What it quotes tells who said it and when: the best of that stands for a summary that says
    little else, in its place where that is the higher one.
    """
    for summary in [one for one in kept if one.passage.summary_id is not None]:
        sources = [one for one in kept if quoted_lines(summary.passage, one.passage)]
        if quoted_share(summary.passage, [one.passage for one in sources]) < SHARE_MIN:
            continue
        best, place = sources[0], kept.index(summary)
        best.stand_for(summary.passage, same_words=False)
        if place < kept.index(best):
            kept.remove(best)
            kept.insert(place, best)
            best.of = summary.of
        kept.remove(summary)
    return kept


def _tells_more(one: Passage, other: Passage) -> bool:
    """Of the same words a message says who said them and when, and the last one that they were said again."""
    if one.message_id is None or other.message_id is None:
        return one.message_id is not None
    return one.role == other.role and one.observed_ms > other.observed_ms
