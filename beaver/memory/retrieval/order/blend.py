"""How much each feature counts, pure: one sum, fitted once on half of LoCoMo's conversations and rounded to tenths.

A weight is of the logarithm of odds: a passage that is better by 1 is e times as likely to be the evidence. Signs were
constrained to what a feature means. Three blends, by what there is: words alone, vectors of passages, vectors of word pieces.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np

from beaver.memory.retrieval.index.snapshot import Floats
from beaver.memory.retrieval.order.features import Features

Weights = Mapping[str, float]

_SPEAKER_AND_DATES: Final = {
    "speaker": 1.2,  # the only speaker whom the question names said it
    "another_speaker": -1.2,  # … or did not
    "when_time": 0.8,  # it has a time expression, and the question asks for a time
    "when_no_time": -0.8,  # … or has none
    "said_then": 1.2,  # said on a day that the question names
    "said_soon_after": 1.4,  # … or in the days after: people tell of what has been
    "said_about_then": 1.9,  # … or in that month
}

WORDS: Final[Weights] = {
    **_SPEAKER_AND_DATES,
    "words": 1.4,  # BM25 of the passage
    "words_coverage": 1.4,  # the share of what is asked for that it holds
    "words_window": 3.0,  # BM25 of it with three passages before and after
    "words_segment": 1.8,  # BM25 of its episode or document
    "answers_words": 1.9,  # the passage before asks, in the question's words
    "asks": -0.6,  # it is a question itself
    "speaks_of_then": 1.3,  # it names or implies a day that the question names
    "time": 0.3,  # it has a time expression
    "number": 0.6,  # it has a number
    "length": 0.9,  # long ones tell more
    "nouns": 1.2,  # it names somebody or something
    "opening": 0.3,  # news comes first
}

VECTORS: Final[Weights] = {
    **WORDS,
    "words": 0.9,
    "words_coverage": 1.2,
    "words_window": 2.5,
    "words_segment": 1.5,
    "cosine": 2.6,  # likeness of meaning
    "cosine_before": 0.7,  # … of the passage before
    "cosine_after": 0.8,  # … of the passage after
    "cosine_segment": 1.3,  # … of the best three of its episode or document
    "answers_words": 1.2,
    "answers_cosine": 1.2,  # the passage before asks, and is like the question
    "asks": -0.5,
    "after_question": -0.4,
    "speaks_of_then": 1.2,
    "length": 1.5,
    "opening": 0.5,
}

PIECES: Final[Weights] = {
    **_SPEAKER_AND_DATES,
    "said_soon_after": 1.3,
    "words_window": 0.7,
    "words_segment": 1.0,
    "cosine": 0.4,
    "cosine_before": 0.3,
    "cosine_after": 0.3,
    "cosine_segment": 0.5,
    "pieces": 1.4,  # each word of the question is met in the passage, by meaning
    "pieces_raw": 0.7,  # the same as it is, not spread over what was found
    "pieces_window": 1.3,  # … in the passage or in its two neighbours
    "pieces_around": 3.1,  # … or in one of its four
    "pieces_content": 1.2,  # … counting the words that carry meaning
    "answers_words": 1.1,
    "answers_cosine": 1.1,
    "asks": -0.5,
    "after_question": -0.4,
    "speaks_of_then": 0.8,
    "time": 0.2,
    "number": 0.4,
    "length": 0.4,
    "nouns": 1.2,
    "opening": 0.4,
}

RECENCY: Final = 0.5
"""What it counts to be of today: it decides between equals. (What LoCoMo asks for is years old: nothing to fit on.)"""

LIKE_THE_BEST: Final = 1.0
"""What it counts, by word pieces, to be like one of the three best.

Not fitted with the others, which it stands upon: all fitted anew with it found no more in conversations that were left out.
"""

_MIDDLE: Final = 5.0
_WIDTH: Final = 2.5


def blend(features: Features, weights: Weights, rows: int) -> Floats:
    """The weighted sum of the features that there are, for each row."""
    total = np.zeros(rows)
    for name, weight in weights.items():
        if name in features:
            total += weight * features[name]
    return total


def as_score(total: float) -> float:
    """A blend as a number in [0, 1]."""
    return float(1 / (1 + np.exp((_MIDDLE - total) / _WIDTH)))
