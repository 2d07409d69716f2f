"""What was said before a run: the newest turn with the run's beginning, the rest as far back as a prompt can hold."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, repeat

from beaver.agent.kept import KeptHistory, SaidTurn
from beaver.agent.messages import PromptMessage
from beaver.db.engine import Transaction
from beaver.schemas.wire import INTEGER_MAX
from beaver.sessions.past import FEW_MESSAGES, FIRST_PAGE_MESSAGES, PAGE_MESSAGES, page_back
from beaver.sessions.records import HISTORY_MESSAGES_MAX, Said
from beaver.sessions.run_again import unanswered_before


class Past:
    """A history while it is read, from its newest message back. One run's own.

    What was read for an earlier run is not read again: see `KeptHistory`.
    """

    def __init__(self, kept: KeptHistory | None = None) -> None:
        self._kept = kept
        self._sizes = chain((FEW_MESSAGES,) if kept else (), (FIRST_PAGE_MESSAGES,), repeat(PAGE_MESSAGES))
        # Both the newest first. The second: those messages of a turn that were read before its question is.
        self._turns: list[SaidTurn] = []
        self._loose: list[Said] = []
        self._oldest_id = INTEGER_MAX
        self._count = 0
        self._tokens = 0
        self._has_more = True
        self._is_full = False

    async def read_newest_turn(self, tx: Transaction, session_id: str) -> None:
        """The newest messages, at least a whole turn: few, since the session is locked meanwhile."""
        while self._goes_on and not self._turns:
            await self._read_page(tx, session_id)

    def drop_unanswered(self, prompt: str) -> list[int]:
        """Leave out the newest turn, if it asked `prompt` and came to no answer; the ids of its messages."""
        if not self._turns or not unanswered_before(self._turns[0].said, prompt):
            return []
        dropped = self._turns.pop(0)
        self._count -= len(dropped.said)
        self._tokens -= dropped.tokens
        self._is_full = False
        return [said.id for said in dropped.said]

    def suffices(self, tokens_max: int) -> bool:
        """Whether a prompt of `tokens_max` could not hold more than is read already, or there is no more."""
        return not self._goes_on or self._tokens > tokens_max

    async def read_on(self, tx: Transaction, session_id: str, *, tokens_max: int) -> None:
        """Read back until it suffices."""
        while not self.suffices(tokens_max):
            await self._read_page(tx, session_id)

    def messages(self) -> tuple[PromptMessage, ...]:
        """As models are told it, the oldest first: whole turns, each call with its result."""
        # A cut history begins with a question: providers want that first, and half a turn says little.
        begun = () if self._turns and self._has_more else SaidTurn.of(self._loose[::-1]).messages
        return (*begun, *chain.from_iterable(turn.messages for turn in reversed(self._turns)))

    def keep(self, *, tokens_max: int) -> KeptHistory:
        """What the session's next run need not read: no more than a prompt of `tokens_max` may hold."""
        turns: list[SaidTurn] = []
        tokens = 0
        for turn in self._turns:
            if tokens > tokens_max:
                break
            turns.append(turn)
            tokens += turn.tokens
        is_whole = len(turns) == len(self._turns) and not self._loose
        return KeptHistory(tuple(turns), has_more=self._has_more or not is_whole)

    @property
    def _goes_on(self) -> bool:
        return self._has_more and not self._is_full

    async def _read_page(self, tx: Transaction, session_id: str) -> None:
        self._add(*await page_back(tx, session_id, next(self._sizes), before_id=self._oldest_id))

    def _add(self, page: Sequence[Said], has_more: bool) -> None:
        for said in page:
            if self._joins(said):
                return
            if self._count == HISTORY_MESSAGES_MAX:
                self._is_full = True
                return
            self._add_message(said)
        self._has_more = has_more

    def _add_message(self, said: Said) -> None:
        self._loose.append(said)
        self._oldest_id = said.id
        self._count += 1
        if said.role == "user":
            turn = SaidTurn.of(self._loose[::-1])
            self._turns.append(turn)
            self._loose = []
            self._tokens += turn.tokens

    def _joins(self, said: Said) -> bool:
        """Whether a turn that is kept ends with this message, the newest that was read before it begins a later one."""
        if self._kept is None or self._loose:
            return False
        turns = self._kept.until(said)
        if not turns:
            return False
        self._is_full = not all(map(self._takes, turns))
        self._has_more = self._kept.has_more or self._is_full
        return True

    def _takes(self, turn: SaidTurn) -> bool:
        """Add a turn, unless it makes more messages than the most."""
        if self._count + len(turn.said) > HISTORY_MESSAGES_MAX:
            return False
        self._turns.append(turn)
        self._oldest_id = turn.said[0].id
        self._count += len(turn.said)
        self._tokens += turn.tokens
        return True
