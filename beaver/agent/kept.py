"""Histories that a server has read before, so that a long one is not read and made into messages anew for each turn.

What is kept of a session is a stretch of its visible messages without a gap. Later it is added to at its end only (ids
rise in the order of commit), and the one thing that ever takes messages out hides the newest turn of the time (see
`run_again`). So whoever reads back from the newest message and comes upon one that is kept knows the rest: all that is
older than that message stands as it is kept, whichever server wrote meanwhile. If none is met, all is read.
"""

from __future__ import annotations

import time
from bisect import bisect_left
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from beaver.agent.messages import PromptMessage
from beaver.agent.transcript import to_history
from beaver.sessions.history import repair
from beaver.sessions.records import Said

CHARACTERS_MAX: Final = 32_000_000
KEPT_S: Final = 600.0
# What a message takes beside its text.
_MESSAGE_CHARACTERS: Final = 500


@dataclass(frozen=True, slots=True)
class SaidTurn:
    """A user's message and what followed it up to the next one: as it stands, and as models are told it."""

    said: tuple[Said, ...]
    messages: tuple[PromptMessage, ...]
    tokens: int
    characters: int
    """What it takes of the memory, roughly."""

    @classmethod
    def of(cls, said: Sequence[Said]) -> SaidTurn:
        """The oldest first. Turns are repaired each by itself: a user's message closes what was open before it."""
        messages = to_history(repair(said))
        characters = sum(_MESSAGE_CHARACTERS + len(each.content) for each in said)
        return cls(tuple(said), messages, sum(message.tokens for message in messages), characters)


@dataclass(frozen=True)
class KeptHistory:
    """A session's turns as they were read, the newest first; `has_more`: there are older ones."""

    turns: tuple[SaidTurn, ...]
    has_more: bool

    def until(self, said: Said) -> tuple[SaidTurn, ...]:
        """From the turn that ends with this very message back; empty when none does."""
        # From the newest back, ids fall.
        index = bisect_left(self.turns, -said.id, key=lambda turn: -turn.said[-1].id)
        ends = index < len(self.turns) and self.turns[index].said[-1] == said
        return self.turns[index:] if ends else ()

    @cached_property
    def characters(self) -> int:
        """What its turns take."""
        return sum(turn.characters for turn in self.turns)


class KeptHistories:
    """The histories of the sessions used last. Bounded: in characters, and in how long an unused one is kept."""

    def __init__(
        self,
        *,
        characters_max: int = CHARACTERS_MAX,
        kept_s: float = KEPT_S,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._characters_max = characters_max
        self._kept_s = kept_s
        self._clock = clock
        self._kept: OrderedDict[str, tuple[KeptHistory, float]] = OrderedDict()
        self._characters = 0

    def find(self, session_id: str) -> KeptHistory | None:
        """What is kept of a session, or None."""
        kept, _ = self._kept.get(session_id, (None, 0.0))
        return kept

    def keep(self, session_id: str, history: KeptHistory) -> None:
        """Keep this of a session, in place of what was kept before."""
        self._drop(session_id)
        now = self._clock()
        self._kept[session_id] = (history, now + self._kept_s)
        self._characters += history.characters
        while self._kept and (self._characters > self._characters_max or self._oldest_ends_at < now):
            self._drop(next(iter(self._kept)))

    @property
    def _oldest_ends_at(self) -> float:
        return next(iter(self._kept.values()))[1]

    def _drop(self, session_id: str) -> None:
        kept, _ = self._kept.pop(session_id, (None, 0.0))
        if kept is not None:
            self._characters -= kept.characters
