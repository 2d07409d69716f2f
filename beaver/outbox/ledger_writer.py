"""A worker's pen: claims and moves of all its turns, those that wait together written in one transaction."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from beaver.db.engine import Database, Transaction
from beaver.db.group_commit import GroupCommit
from beaver.outbox.claim_store import ClaimStore, Move, Sendable, Taken
from beaver.outbox.move_store import Moved
from beaver.outbox.states import ENDS
from beaver.outbox.store import OutboxStore
from beaver.outbox.turns import Claim, NewTurn, Step
from beaver.schemas.jobs import PersistJob
from beaver.sessions.store import SessionStore

GROUP_MAX: Final = 32
"""Asks in one transaction. More cost no less, but what is claimed together must be sent one after the other, and a worker that
is killed meanwhile leaves all of it unknown."""


@dataclass(frozen=True)
class Wanted:
    """A turn that is asked for."""

    run_id: str


@dataclass(frozen=True)
class Written:
    """Steps that stand in the ledger, and the ring for the session's next turn that follows from an end."""

    ring: PersistJob | None = None


_Answer = Taken | Written | bool | None


class LedgerWriter:
    """The claims of one process, `holder`, each for `claim_ms`. Share it between the process's jobs."""

    def __init__(
        self,
        database: Database,
        store: OutboxStore,
        sessions: SessionStore,
        holder: str,
        claim_ms: int,
        sendable: Sendable,
    ) -> None:
        self._database = database
        self._store = store
        self._sessions = sessions
        self._claims = ClaimStore(database.dialect, sessions)
        self.holder = holder
        self._claim_ms = claim_ms
        self._sendable = sendable
        self._group: GroupCommit[Wanted | Move, _Answer] = GroupCommit(database, self._write, at_most=GROUP_MAX)

    async def take(self, run_id: str) -> Taken | None:
        """The turn with its texts, if there is something to do and it is ours to do: `ClaimStore.claims` says how it stands.

        Raises Unavailable.
        """
        taken = await self._group.ask(Wanted(run_id))
        return taken if isinstance(taken, Taken) else None

    async def move(self, claim: Claim, *steps: Step) -> Written | None:
        """Take steps with a claim; None where it is lost. Safe to repeat after Unavailable, which it raises."""
        move = Move(claim, steps)
        written = await self._group.ask(move)
        if written is None:
            # Somebody has the row or its session in hand: wait for them, but let nobody else wait.
            async with self._database.write() as tx:
                [written] = await self._written(tx, [move], await self._claims.moves(tx, [move], waiting=True), [])
        return written if isinstance(written, Written) else None

    async def hand_back(self, claim: Claim, *, add_sent: bool) -> PersistJob | None:
        """Let go of a turn whose next call has not been begun; the ring for it, if it was let go."""
        async with self._database.write() as tx:
            handed = await self._claims.hand_back(tx, claim, add_sent=add_sent)
            return await self._store.ring_now(tx, claim.turn.run_id) if handed else None

    async def ring_now(self, run_id: str) -> PersistJob | None:
        """A fresh ring for a turn that waits. Raises Unavailable."""
        async with self._database.write() as tx:
            return await self._store.ring_now(tx, run_id)

    async def is_deleted(self, turn: NewTurn) -> bool:
        """Whether the turn's words are gone, and with them its session. Raises Unavailable."""
        async with self._database.read() as tx:
            return not await self._sessions.event_texts(tx, [turn.user_event_id, turn.answer_event_id])

    async def _write(self, tx: Transaction, asks: Sequence[Wanted | Move]) -> list[_Answer]:
        """All that is decided is written at once. An end's next turn is not claimed with it, but rung for after it."""
        moves = [ask for ask in asks if isinstance(ask, Move)]
        wanted = list({ask.run_id for ask in asks if isinstance(ask, Wanted)})
        moved = await self._claims.moves(tx, moves, waiting=False) if moves else []
        claims = await self._claimed(tx, wanted) if wanted else []
        written = iter(await self._written(tx, moves, moved, [each for each, _ in claims]))
        taken = {each.run_id: turn for each, turn in claims}
        return [next(written) if isinstance(ask, Move) else taken.pop(ask.run_id, None) for ask in asks]

    async def _claimed(self, tx: Transaction, run_ids: Sequence[str]) -> list[tuple[Moved, Taken]]:
        return await self._claims.claims(tx, run_ids, self.holder, claim_ms=self._claim_ms, sendable=self._sendable)

    async def _written(
        self, tx: Transaction, moves: Sequence[Move], moved: Sequence[Moved | bool | None], claimed: Sequence[Moved]
    ) -> list[_Answer]:
        """Write moves and claims; what the moves have come to, with the rings that follow from ends."""
        await self._claims.write(tx, [*(each for each in moved if isinstance(each, Moved)), *claimed])
        ended = {
            move.claim.turn.session_id
            for move, outcome in zip(moves, moved, strict=True)
            if outcome and move.steps[-1][0] in ENDS
        }
        rings = await self._store.ring_next(tx, ended)
        return [
            outcome if outcome is None or outcome is False else Written(rings.get(move.claim.turn.session_id))
            for move, outcome in zip(moves, moved, strict=True)
        ]
