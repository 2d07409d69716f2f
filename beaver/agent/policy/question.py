"""A turn that may recall, as the gate and the topic see it, pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from beaver.agent.middleware import TurnContext
from beaver.agent.policy.gate import Reuse, Run
from beaver.agent.policy.stores import Owner
from beaver.agent.policy.topic import Terms, TopicWindow, Vector, is_shift
from beaver.agent.providers.relevance import terms

HEARD_MAX: Final = 20
"""Earlier prompts of the session that tell how rare a word is."""
HEARD_CHARACTERS_MAX: Final = 2_000
"""How much of a prompt is looked at for its terms."""


@dataclass(frozen=True)
class Question:
    """One turn that may recall. `key` is None where the local store cannot say in which state it is.

    `waited_s`: how long the turn has waited for the local store and its encoder already.
    """

    owner: Owner
    context: TurnContext
    terms: Terms
    meaning: Vector | None
    generation: str
    key: str | None
    waited_s: float

    def leaves(self, window: TopicWindow) -> bool:
        """Whether the turn leaves the window's topic."""
        earlier = [message.text for message in self.context.history if message.role == "user"]
        heard = [terms_of(prompt) for prompt in earlier[-HEARD_MAX:]]
        return is_shift(self.context.prompt, self.terms, window, heard, self.meaning)

    def window_after(self, decision: Run | Reuse, window: TopicWindow | None) -> TopicWindow | None:
        """A search opens a window, a turn that reuses one ages it."""
        if isinstance(decision, Reuse):
            return None if window is None else window.with_turn(self.terms, self.meaning)
        if self.key is None:
            return None
        return TopicWindow(self.key, self.generation, 1, self.terms, self.meaning)


def terms_of(prompt: str) -> Terms:
    """The content terms of the part of a prompt that is looked at."""
    return terms(prompt[:HEARD_CHARACTERS_MAX])
