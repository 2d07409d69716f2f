"""A question asked again after a run that gave no answer takes the place of the first, instead of standing there twice."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from sqlalchemy import update

from beaver.db.dialect import SqlDialect
from beaver.db.engine import Transaction
from beaver.db.tables import events
from beaver.sessions.records import Said


def unanswered_before(history: Sequence[Said], prompt: str) -> Sequence[Said]:
    """The newest turn of a history, if it asks the same as `prompt` and has no answer; else nothing. Pure."""
    asked = max((index for index, event in enumerate(history) if event.role == "user"), default=None)
    if asked is None or history[asked].content != prompt or _is_answered(history[asked:]):
        return ()
    return history[asked:]


def _is_answered(turn: Sequence[Said]) -> bool:
    return turn[-1].role == "assistant" and not turn[-1].payload.get("tool_calls")


class AskedAgainStore:
    """Hides turns that are asked again. Stateless; every method takes the open transaction first."""

    def __init__(self, dialect: SqlDialect) -> None:
        self._dialect = dialect

    async def hide(self, tx: Transaction, event_ids: Collection[int]) -> None:
        """Take messages out of the history and the search; the audit trail keeps them."""
        if event_ids:
            wanted = update(events).where(self._dialect.is_one_of(events.c.id, "ids")).values(context_visible=False)
            await tx.execute(wanted, {"ids": self._dialect.many(event_ids)})
