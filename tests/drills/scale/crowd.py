"""Many conversations, and the clients that lead them: each takes up any conversation that nobody is in, for one turn."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Final

from tests.drills.scale.doors import Crashed, Doors
from tests.drills.scale.echo import SLOWLY
from tests.drills.scale.ways import (
    Answer,
    Message,
    Way,
    in_one_piece,
    started_then_followed,
    streamed,
    streamed_then_followed,
    twice_at_once,
)
from tests.drills.scene import CANARY

WAYS: Final[Sequence[Way]] = (in_one_piece, twice_at_once, streamed, streamed_then_followed, started_then_followed)
SLOW: Final = 0.2
ATTEMPTS_MAX: Final = 5


@dataclass(frozen=True)
class Attempt:
    """A message and its answer; None where its run crashed."""

    prompt: str
    way: str
    answer: Answer | None


@dataclass
class Conversation:
    """One session as its client remembers it."""

    session_id: str
    turns: int
    attempts: list[Attempt] = field(default_factory=list)

    @property
    def answered(self) -> list[Answer]:
        """The answers so far."""
        return [attempt.answer for attempt in self.attempts if attempt.answer is not None]

    @property
    def crashes(self) -> int:
        """How often the message had to be said anew."""
        return len(self.attempts) - len(self.answered)


@dataclass
class Crowd:
    """So many clients at a time over all conversations."""

    doors: Doors
    ways: Sequence[Way]
    random: Random
    conversations: Sequence[Conversation]
    clients: int

    @property
    def answered(self) -> int:
        """Turns answered so far."""
        return sum(len(each.answered) for each in self.conversations)

    async def talk(self) -> None:
        """Until every conversation has all its turns. The first client that is surprised ends it."""
        idle = list(self.conversations)
        async with asyncio.TaskGroup() as tasks:
            for _ in range(self.clients):
                tasks.create_task(self._client(idle))

    async def _client(self, idle: list[Conversation]) -> None:
        while idle:
            taken = idle.pop(self.random.randrange(len(idle)))
            await self._take_turn(taken)
            if len(taken.answered) < taken.turns:
                idle.append(taken)

    async def _take_turn(self, conversation: Conversation) -> None:
        """One turn. What crashed is said anew, as a user would: in other words, so that nothing can be taken for it."""
        number = len(conversation.answered) + 1
        for attempt in range(1, ATTEMPTS_MAX + 1):
            pace = f" {SLOWLY}" if self.random.random() < SLOW else ""
            prompt = f"{CANARY} in {conversation.session_id}, turn {number}, attempt {attempt}{pace}"
            way = self.random.choice(self.ways)
            message = Message(conversation.session_id, prompt, f"{conversation.session_id}-{number}-{attempt}")
            try:
                answer = await way(self.doors, message)
            except Crashed:
                conversation.attempts.append(Attempt(prompt, way.__name__, None))
            else:
                conversation.attempts.append(Attempt(prompt, way.__name__, answer))
                return
        raise AssertionError(f"{conversation.session_id}: turn {number} crashed {ATTEMPTS_MAX} times")
