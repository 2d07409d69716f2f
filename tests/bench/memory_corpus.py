"""Messages that look like people's, as many as one likes: English words by Zipf, sessions with topics, questions about them."""

from __future__ import annotations

import random
from bisect import bisect
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

from beaver.memory.inference.wordpiece import bert_vocabulary
from beaver.memory.records import NewMessage
from beaver.memory.stopwords import STOP_WORDS

MESSAGES_A_SESSION: Final = 40
TOPIC_WORDS: Final = 12
START_MS: Final = 1_700_000_000_000
PAUSE_MS: Final = 45_000
SPEAKERS: Final = ("Ada", "Boris")

_FUNCTION_WORDS: Final = tuple(sorted(word for word in STOP_WORDS if word.isascii() and word.isalpha()))
_SAID_OFTEN: Final = ("last week", "in May", "two years ago", "yesterday", "on 7 May 2023", "next month")


def _tells(word: str) -> bool:
    return len(word) > 2 and word not in STOP_WORDS


@dataclass(frozen=True)
class Session:
    """A session's name and its messages, in order."""

    name: str
    messages: Sequence[NewMessage]


class Corpus:
    """The same for the same seed. A session is about a few words that it says more often than others do."""

    def __init__(self, seed: int = 7) -> None:
        self._seed = seed
        # In the order of how common they are, as the encoder knows them: made-up words would be many pieces each.
        self._words = [word for word in bert_vocabulary() if word.isascii() and word.isalpha() and _tells(word)]
        self._upto = list(accumulate(1 / (rank + 5) for rank in range(len(self._words))))

    def sessions(self, first: int, last: int) -> Iterator[Session]:
        """Messages `first` to `last` of the one long row of them, both multiples of 40."""
        for number in range(first // MESSAGES_A_SESSION, last // MESSAGES_A_SESSION):
            drawn = random.Random(f"{self._seed}-{number}")
            topic = [self._word(drawn) for _ in range(TOPIC_WORDS)]
            start_ms = START_MS + number * MESSAGES_A_SESSION * 10 * PAUSE_MS
            messages = [self._message(drawn, topic, start_ms, place) for place in range(MESSAGES_A_SESSION)]
            yield Session(f"chat:{number}", messages)

    def questions(self, messages: int, count: int) -> list[str]:
        """Each asks for some words of one of the first `messages` messages."""
        drawn = random.Random(f"{self._seed}-questions-{messages}")
        asked = []
        for _ in range(count):
            first = drawn.randrange(messages // MESSAGES_A_SESSION) * MESSAGES_A_SESSION
            [session] = self.sessions(first, first + MESSAGES_A_SESSION)
            said = [word for word in drawn.choice(session.messages).content.split() if word not in STOP_WORDS]
            telling = " ".join(drawn.sample(said, min(len(said), drawn.randint(2, 6))))
            asked.append(f"What did {drawn.choice(SPEAKERS)} say about {telling}?")
        return asked

    def _message(self, drawn: random.Random, topic: Sequence[str], start_ms: int, place: int) -> NewMessage:
        speaker = SPEAKERS[place % len(SPEAKERS)]
        words = [self._spoken(drawn, topic) for _ in range(max(3, min(60, int(drawn.lognormvariate(2.9, 0.6)))))]
        if drawn.random() < 0.15:
            words.append(drawn.choice(_SAID_OFTEN))
        if drawn.random() < 0.2:
            words.insert(1, self._word(drawn).capitalize())
        end = "?" if drawn.random() < 0.25 else "."
        return NewMessage("user", speaker, start_ms + place * PAUSE_MS, " ".join(words) + end)

    def _spoken(self, drawn: random.Random, topic: Sequence[str]) -> str:
        kind = drawn.random()
        if kind < 0.45:
            return drawn.choice(_FUNCTION_WORDS)
        return drawn.choice(topic) if kind < 0.6 else self._word(drawn)

    def _word(self, drawn: random.Random) -> str:
        return self._words[bisect(self._upto, drawn.random() * self._upto[-1])]
