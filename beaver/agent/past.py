"""What was said before a run: the newest turn with the run's beginning, the rest as far back as a prompt can hold."""

from __future__ import annotations

from collections.abc import Sequence

from beaver.agent.messages import PromptMessage
from beaver.agent.tokens import text_message_tokens
from beaver.agent.transcript import to_history
from beaver.db.engine import Transaction
from beaver.sessions.history import from_first_question, repair
from beaver.sessions.past import first_page, next_page
from beaver.sessions.records import HISTORY_MESSAGES_MAX, Said
from beaver.sessions.run_again import unanswered_before


class Past:
    """A history while it is read, from its newest message back. One run's own."""

    def __init__(self) -> None:
        self._said: list[Said] = []
        self._has_more = True
        self._tokens = 0

    async def read_newest_turn(self, tx: Transaction, session_id: str) -> None:
        """The newest messages, at least a whole turn: few, since the session is locked meanwhile."""
        self._add(*await first_page(tx, session_id))
        while self._goes_on and all(said.role != "user" for said in self._said):
            await self._read_page(tx, session_id)

    def drop_unanswered(self, prompt: str) -> list[int]:
        """Leave out the newest turn, if it asked `prompt` and came to no answer; the ids of its messages."""
        dropped = [said.id for said in unanswered_before(self._said[::-1], prompt)]
        self._said = self._said[len(dropped) :]
        return dropped

    def suffices(self, tokens_max: int) -> bool:
        """Whether a prompt of `tokens_max` could not hold more than is read already, or there is no more."""
        return not self._goes_on or self._tokens > tokens_max

    async def read_on(self, tx: Transaction, session_id: str, *, tokens_max: int) -> None:
        """Read back until it suffices."""
        while not self.suffices(tokens_max):
            await self._read_page(tx, session_id)

    def messages(self) -> tuple[PromptMessage, ...]:
        """As models are told it, the oldest first: whole turns, each call with its result."""
        ordered = self._said[::-1]
        return to_history(repair(from_first_question(ordered) if self._has_more else ordered))

    @property
    def _goes_on(self) -> bool:
        return self._has_more and len(self._said) < HISTORY_MESSAGES_MAX

    async def _read_page(self, tx: Transaction, session_id: str) -> None:
        self._add(*await next_page(tx, session_id, self._said[-1].id))

    def _add(self, said: Sequence[Said], has_more: bool) -> None:
        room = HISTORY_MESSAGES_MAX - len(self._said)
        self._said += said[:room]
        self._has_more = has_more or len(said) > room
        self._tokens += sum(text_message_tokens(each.content) for each in said)
