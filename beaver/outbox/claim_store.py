"""The SQL of claims: turns taken by a worker, and moved by it as long as its claim stands; many in one transaction.

What a row may do is decided in `states.py`; here rows are locked, the decisions asked for, and their results written. A
lock is not waited for unless the caller says so: one that is taken must not hold up the others of its group.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Row, select

from beaver.db.dialect import SqlDialect
from beaver.db.engine import Transaction
from beaver.db.tables import outbox
from beaver.outbox import states
from beaver.outbox.conditions import blocked, run_out, waits
from beaver.outbox.move_store import Moved, MoveStore, Passage
from beaver.outbox.states import Standing, State
from beaver.outbox.turns import Claim, NewTurn, Step
from beaver.sessions.store import SessionStore

HANDED_BACK: Final = "handed_back"


Sendable = Callable[[NewTurn, Mapping[int, str]], bool]
"""Whether the Gateway may be sent a turn with these texts of its events, by their ids."""


@dataclass(frozen=True)
class Taken:
    """A turn, claimed, with the texts of its events by their ids. `claim.state` says what is to be done with it."""

    claim: Claim
    texts: Mapping[int, str]


@dataclass(frozen=True)
class Move:
    """The steps that a claim takes at once."""

    claim: Claim
    steps: tuple[Step, ...]


class ClaimStore:
    """What workers write. Every method runs inside the caller's transaction; times come from the database's clock."""

    def __init__(self, dialect: SqlDialect, sessions: SessionStore) -> None:
        self._dialect = dialect
        self._sessions = sessions
        self._store = MoveStore(dialect, sessions)
        # Built once. Rows come in one order, so that two groups that wait never wait for each other.
        now = dialect.now_ms()
        several = select(outbox).where(dialect.is_one_of(outbox.c.run_id, "ids")).order_by(outbox.c.run_id)
        expired = run_out(now).label("expired")
        self._takeable = (
            several.add_columns(expired)
            .where(waits(now), ~blocked())
            .with_for_update(of=outbox, key_share=True, skip_locked=True)
        )
        columns = (outbox.c.run_id, outbox.c.session_id, outbox.c.state, outbox.c.holder, outbox.c.fence)
        standing = several.with_only_columns(*columns, expired)
        self._standing = standing.with_for_update(of=outbox, key_share=True)
        self._standing_free = standing.with_for_update(of=outbox, key_share=True, skip_locked=True)

    async def claims(
        self, tx: Transaction, run_ids: Sequence[str], holder: str, *, claim_ms: int, sendable: Sendable
    ) -> list[tuple[Moved, Taken]]:
        """Decide which turns are claimed, each with the call that is made next; the rows stay locked for `write`.

        A pending turn goes on to `adding`, an added one whose holder is gone to `flushing`; one that is not `sendable`
        stays in `claimed`. Not taken is what is not there, in other hands, at an end, or behind an earlier unfinished
        turn of its session. Of several that claim at once, exactly one gets a turn.
        """
        found = await tx.execute(self._takeable, {"ids": self._dialect.many(run_ids)})
        claimed = [(row, after) for row in found if (after := states.claim(_standing(row), holder)) is not None]
        texts = await self._texts(tx, [row for row, _ in claimed])
        return [_taken(row, after, claim_ms, _own(row, texts), sendable) for row, after in claimed]

    async def moves(self, tx: Transaction, moves: Sequence[Move], *, waiting: bool) -> list[Moved | bool | None]:
        """Decide what moves of claimed turns come to, in their order; the rows, and sessions owed an event, stay locked.

        True where it is written already, so that to repeat a move whose commit was not acknowledged is safe; False where
        the claim is lost; None where somebody else has the row or its session locked and `waiting` is not wished for.
        """
        ids = self._dialect.many([move.claim.turn.run_id for move in moves])
        found = await tx.execute(self._standing if waiting else self._standing_free, {"ids": ids})
        rows = {row.run_id: row for row in found}
        decided = [_decided(rows.get(move.claim.turn.run_id), move, waiting=waiting) for move in moves]
        owed = {each.session_id for each in decided if isinstance(each, Moved) and each.owes_audit}
        held = await self._sessions.hold(tx, owed, waiting=waiting)
        return [None if isinstance(each, Moved) and _lacks(each, held) else each for each in decided]

    async def write(self, tx: Transaction, decided: Sequence[Moved]) -> None:
        """Write decisions, with their timelines and the audit events that they owe."""
        await self._store.write(tx, decided)

    async def hand_back(self, tx: Transaction, claim: Claim, *, add_sent: bool) -> bool:
        """Let go of a turn whose next call has not been begun; it is due at once. False where it may not be let go."""
        found = await tx.execute(self._standing, {"ids": self._dialect.many([claim.turn.run_id])})
        row = found.one_or_none()
        after = None if row is None else states.hand_back(_standing(row), claim.holder, claim.fence, add_sent=add_sent)
        if row is None or after is None:
            return False
        back = Passage(State(row.state), after.state, {"reason": HANDED_BACK})
        turn = claim.turn
        moved = Moved(turn.run_id, turn.session_id, claim.attempt, claim.holder, after, (back,))
        await self.write(tx, [moved])
        return True

    async def _texts(self, tx: Transaction, rows: Sequence[Row[Any]]) -> dict[int, str]:
        ids = [event_id for row in rows for event_id in _events(row)]
        return await self._sessions.event_texts(tx, ids) if ids else {}


def _taken(
    row: Row[Any], after: Standing, claim_ms: int, texts: Mapping[int, str], sendable: Sendable
) -> tuple[Moved, Taken]:
    turn, passages = _turn(row), [Passage(State(row.state), after.state, {})]
    if after.state is State.ADDED or sendable(turn, texts):
        onward = states.about_to_call(after)
        passages.append(Passage(after.state, onward.state, {}))
        after = onward
    holder = str(after.holder)
    moved = Moved(turn.run_id, turn.session_id, row.attempt, holder, after, passages, claim_ms)
    return moved, Taken(Claim(turn, after.state, holder, after.fence, row.attempt, claim_ms), texts)


def _decided(row: Row[Any] | None, move: Move, *, waiting: bool) -> Moved | bool | None:
    """What to write; True where it is written already, False where the claim is lost, None where the row is not ours to see."""
    if row is None:
        return False if waiting else None
    claim, standing = move.claim, _standing(row)
    passages: list[Passage] = []
    for target, detail in _ahead(standing, move):
        after = states.move(standing, claim.holder, claim.fence, target)
        if after is None:
            return False
        if after != standing:
            passages.append(Passage(standing.state, target, detail))
        standing = after
    if not passages:
        return True
    turn = claim.turn
    return Moved(turn.run_id, turn.session_id, claim.attempt, claim.holder, standing, passages, claim.claim_ms)


def _ahead(standing: Standing, move: Move) -> Sequence[Step]:
    """The steps from where the row stands on: it may have been moved already, and only the acknowledgement been lost."""
    reached = [target for target, _ in move.steps]
    return move.steps[reached.index(standing.state) :] if standing.state in reached else move.steps


def _lacks(move: Moved, held: set[str]) -> bool:
    return move.owes_audit and move.session_id not in held


def _own(row: Row[Any], texts: Mapping[int, str]) -> Mapping[int, str]:
    return {event_id: texts[event_id] for event_id in _events(row) if event_id in texts}


def _events(row: Row[Any]) -> tuple[int, int]:
    return row.user_event_id, row.answer_event_id


def _standing(row: Row[Any]) -> Standing:
    return Standing(State(row.state), row.holder, row.fence, bool(row.expired))


def _turn(row: Row[Any]) -> NewTurn:
    return NewTurn(**{name: getattr(row, name) for name in NewTurn.__dataclass_fields__})
