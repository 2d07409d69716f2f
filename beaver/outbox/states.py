"""The ledger's state machine, pure: which moves exist, which states are ends, and what audit event a move owes.

pending → claimed → adding → added → flushing → flushed, and the ends add_refused (surely not stored),
add_unknown, flush_failed, flush_unknown, skipped.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from beaver.schemas.audit import AuditEvent


class State(StrEnum):
    """Where a turn stands on its way to the Gateway."""

    PENDING = "pending"
    CLAIMED = "claimed"
    ADDING = "adding"
    ADDED = "added"
    FLUSHING = "flushing"
    FLUSHED = "flushed"
    ADD_REFUSED = "add_refused"
    ADD_UNKNOWN = "add_unknown"
    FLUSH_FAILED = "flush_failed"
    FLUSH_UNKNOWN = "flush_unknown"
    SKIPPED = "skipped"


UNFINISHED: Final = frozenset({State.PENDING, State.CLAIMED, State.ADDING, State.ADDED, State.FLUSHING})
ENDS: Final = frozenset(State) - UNFINISHED
SETTLED: Final = frozenset({State.FLUSHED, State.SKIPPED})
"""Ends that need nobody: of these a ledger holds millions."""

# What a worker and the sweeper may do. Operators' moves stand beside, since they need a person's decision.
MOVES: Final[Mapping[State, frozenset[State]]] = {
    State.PENDING: frozenset({State.CLAIMED, State.SKIPPED}),
    State.CLAIMED: frozenset({State.ADDING, State.PENDING, State.ADD_REFUSED}),
    # From adding back to pending, and from flushing back to added, only by the claim itself that is stopped before the
    # first byte (`hand_back`).
    State.ADDING: frozenset({State.ADDED, State.ADD_REFUSED, State.ADD_UNKNOWN, State.PENDING}),
    State.ADDED: frozenset({State.FLUSHING, State.ADDED}),
    State.FLUSHING: frozenset({State.FLUSHED, State.FLUSH_FAILED, State.FLUSH_UNKNOWN, State.ADDED}),
    # A late owner may still turn an unknown into the truth.
    State.ADD_UNKNOWN: frozenset({State.ADDED, State.ADD_REFUSED}),
    State.FLUSH_UNKNOWN: frozenset({State.FLUSHED, State.FLUSH_FAILED}),
}
OPERATOR_MOVES: Final[Mapping[State, frozenset[State]]] = {
    State.ADD_REFUSED: frozenset({State.PENDING, State.SKIPPED}),
    State.ADD_UNKNOWN: frozenset({State.PENDING, State.ADDED, State.ADD_REFUSED}),
    State.FLUSH_FAILED: frozenset({State.ADDED, State.SKIPPED}),
    State.FLUSH_UNKNOWN: frozenset({State.ADDED, State.FLUSHED, State.FLUSH_FAILED}),
}

_HAND_BACKS: Final = frozenset(
    {
        (State.CLAIMED, State.PENDING),
        (State.ADDING, State.PENDING),
        (State.ADDED, State.ADDED),
        (State.FLUSHING, State.ADDED),
    }
)

_OWED: Final[Mapping[State, AuditEvent]] = {
    State.ADDED: AuditEvent.ADD_SUCCEEDED,
    State.ADD_REFUSED: AuditEvent.ADD_FAILED,
    State.ADD_UNKNOWN: AuditEvent.ADD_FAILED,
    State.FLUSHED: AuditEvent.FLUSH_SUCCEEDED,
    State.FLUSH_FAILED: AuditEvent.FLUSH_FAILED,
    State.FLUSH_UNKNOWN: AuditEvent.FLUSH_FAILED,
    State.SKIPPED: AuditEvent.ADD_SKIPPED,
}


def may_move(source: State, target: State, *, by_operator: bool = False) -> bool:
    """Whether the machine knows this move."""
    moves = OPERATOR_MOVES if by_operator else MOVES
    return target in moves.get(source, frozenset())


def audit_owed(source: State | None, target: State) -> AuditEvent | None:
    """The audit event that must be written in the transaction that makes this move, if any.

    None for a state that is taken up again, and for an add that was told before its flush was put off.
    """
    if source is target or (source, target) == (State.FLUSHING, State.ADDED):
        return None
    return _OWED.get(target)


@dataclass(frozen=True)
class Standing:
    """All of a row that a decision about it may look at. `expired`: by the database's clock, the claim has run out."""

    state: State
    holder: str | None
    fence: int
    expired: bool


def claim(row: Standing, holder: str) -> Standing | None:
    """The row in the hands of `holder`, or None where there is nothing to take.

    A pending turn is taken whole. An added one whose holder is gone is taken for its flush alone. Every
    claim raises the fence, so that (holder, fence) names one claim and never two.
    """
    match row.state:
        case State.PENDING:
            return Standing(State.CLAIMED, holder, row.fence + 1, expired=False)
        case State.ADDED if row.expired:
            return Standing(State.ADDED, holder, row.fence + 1, expired=False)
        case _:
            return None


def about_to_call(row: Standing) -> Standing:
    """A row that a claim has just taken, about to make its next call: the add, or where that stands, the flush."""
    return replace(row, state=State.FLUSHING if row.state is State.ADDED else State.ADDING)


def move(row: Standing, holder: str, fence: int, target: State) -> Standing | None:
    """The row moved to `target` by the claim (holder, fence), or None where that claim no longer has the say.

    A row that this very claim has already brought to `target` is returned as it is: the commit had worked
    and only its acknowledgement was lost.
    """
    if (row.holder, row.fence) != (holder, fence):
        return None
    if row.state is target:
        return row
    if not may_move(row.state, target) or (row.state, target) in _HAND_BACKS:
        return None
    return Standing(target, holder, fence, expired=False)


def hand_back(row: Standing, holder: str, fence: int, *, add_sent: bool) -> Standing | None:
    """The row let go by the claim (holder, fence), whose next call has not been begun; None where it may not be let go.

    Before the add it waits anew. After it, it stands as if the claim had run out: the next one takes it for its flush. A
    row that still stands in `adding` although the add was sent stays, since what became of it could not be written.
    """
    if (row.holder, row.fence) != (holder, fence):
        return None
    match row.state:
        case State.CLAIMED | State.ADDING if not add_sent:
            return Standing(State.PENDING, None, fence, expired=False)
        case State.ADDED | State.FLUSHING:
            return Standing(State.ADDED, None, fence, expired=True)
        case _:
            return None


def operate(row: Standing, target: State) -> Standing | None:
    """The row moved to `target` by a person's decision, or None where that is no person's to decide.

    Only ends are moved, never what a claim holds. The row is nobody's after it and its fence has risen, so that a late
    owner has no say any more. An added row stands as if its claim had run out: the next claim takes it for its flush.
    """
    if not may_move(row.state, target, by_operator=True):
        return None
    return Standing(target, None, row.fence + 1, expired=target is State.ADDED)


def resolve_orphan(row: Standing) -> Standing | None:
    """Where the sweeper puts a row whose claim has run out, or None where it leaves it alone.

    What was only claimed goes back. A call that may have left is never repeated: its outcome is unknown. Holder
    and fence stay with an unknown, so that an owner who was merely slow can still tell the truth. An added
    row stays: the next claim takes it for its flush.
    """
    if not row.expired:
        return None
    match row.state:
        case State.CLAIMED:
            return Standing(State.PENDING, None, row.fence, expired=False)
        case State.ADDING:
            return Standing(State.ADD_UNKNOWN, row.holder, row.fence, expired=False)
        case State.FLUSHING:
            return Standing(State.FLUSH_UNKNOWN, row.holder, row.fence, expired=False)
        case _:
            return None
