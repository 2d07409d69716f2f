"""The score of an observation for a question, pure: words, meaning, recency and mentions."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import Final

from beaver.memory.observations.records import FoundObservation, Observation

KEYWORD_SHARE: Final = 0.45
VECTOR_SHARE: Final = 0.25
RECENCY_SHARE: Final = 0.15
MENTION_SHARE: Final = 0.15
RECENCY_SHARE_WITHOUT_TEXT: Final = 0.7
MENTION_SHARE_WITHOUT_TEXT: Final = 0.3
KEYWORD_MIN: Final = 0.12
"""What holds less of what is asked, and is not near in meaning, is not answered."""
COSINE_MIN: Final = 0.45
_TERMS_OF_A_FULL_ANSWER: Final = 6
_MENTIONS_FULL: Final = 11
_DAY_MS: Final = 86_400_000


def weights_of(terms: Sequence[tuple[str, ...]], held_by: Mapping[str, int], observations: int) -> dict[str, float]:
    """A spelling weighs the more, the fewer observations hold it; one that all hold still weighs something."""
    weights = {}
    for spellings in terms:
        held = max((held_by.get(spelling, 0) for spelling in spellings), default=0)
        weight = math.log(1 + max(observations, held, 1) / (1 + held))
        weights.update(dict.fromkeys(spellings, weight))
    return weights


def keyword(terms: Sequence[tuple[str, ...]], weights: Mapping[str, float], words: Collection[str]) -> float:
    """The share of the weight asked for that the words hold, in [0, 1]; it rises with relevance.

    A long question asks for many things at once: what holds the weight of six terms answers it in full.
    """
    asked = sorted((weights[spellings[0]] for spellings in terms), reverse=True)[:_TERMS_OF_A_FULL_ANSWER]
    held = sum(weights[spellings[0]] for spellings in terms if any(spelling in words for spelling in spellings))
    return min(1.0, held / sum(asked)) if asked else 0.0


def scored(observation: Observation, keyword_part: float, vector_part: float, now_ms: int) -> FoundObservation:
    """With text."""
    recency, mention = _recency(observation, now_ms), _mention(observation)
    score = (
        KEYWORD_SHARE * keyword_part + VECTOR_SHARE * vector_part + RECENCY_SHARE * recency + MENTION_SHARE * mention
    )
    why = {"keyword": keyword_part, "vector": vector_part, "recency": recency, "mention": mention}
    return FoundObservation(observation, score, {name: round(part, 4) for name, part in why.items()})


def scored_without_text(observation: Observation, now_ms: int) -> FoundObservation:
    """What is recent and often mentioned."""
    recency, mention = _recency(observation, now_ms), _mention(observation)
    score = RECENCY_SHARE_WITHOUT_TEXT * recency + MENTION_SHARE_WITHOUT_TEXT * mention
    return FoundObservation(observation, score, {"recency": round(recency, 4), "mention": round(mention, 4)})


def best(found: Sequence[FoundObservation], limit: int, tokens_max: int | None) -> list[FoundObservation]:
    """The best first, at most `limit`; one that does not fit into `tokens_max` is skipped, the first never."""
    kept: list[FoundObservation] = []
    left = math.inf if tokens_max is None else tokens_max
    for one in sorted(found, key=lambda one: (-one.score, -one.observation.updated_ms, one.observation.id)):
        if len(kept) == limit:
            break
        if not kept or one.observation.token_count <= left:
            kept.append(one)
            left -= one.observation.token_count
    return kept


def _recency(observation: Observation, now_ms: int) -> float:
    return 1 / (1 + max(0, now_ms - observation.updated_ms) / _DAY_MS)


def _mention(observation: Observation) -> float:
    return min(1.0, math.log(1 + observation.mention_count) / math.log(_MENTIONS_FULL))
