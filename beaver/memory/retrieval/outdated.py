"""What is outdated, pure: of two results that tell two states of one thing, the newer stands before the older."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from beaver.memory.retrieval.folding import Folded, source_id

T = TypeVar("T")


@dataclass(frozen=True)
class Replacement:
    """The observation that holds instead of what a message told, since when (UTC epoch ms), and the messages that it is of."""

    observation_id: str
    title: str
    since_ms: int
    evidence: frozenset[str]


def newest_first(results: list[Folded[T]], replaced: Mapping[str, Sequence[Replacement]]) -> list[Folded[T]]:
    """The results; each that tells what holds instead of an earlier one stands right before that, with what speaks for it.

    `replaced`: by message, as far as what it told was superseded.
    """
    ordered = list(results)
    for outdated in results:
        for replacement in replaced.get(outdated.passage.message_id or "", ()):
            newer = next((one for one in ordered if _tells(one, replacement)), None)
            if newer is not None and ordered.index(newer) > (place := ordered.index(outdated)):
                ordered.remove(newer)
                ordered.insert(place, newer)
                newer.of = outdated.of
    return ordered


def _tells(one: Folded[T], replacement: Replacement) -> bool:
    ids = {source_id(one.passage), *one.also}
    return replacement.observation_id in ids or bool(replacement.evidence & ids)
