"""Finds or makes the session that a request goes on with: the named one, a fork of it, or a fresh one.

The server's stored history wins. A client's own history is only compared with it; it is taken over where the server has none.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import assert_never

from beaver.agent.messages import PromptMessage
from beaver.agent.transcript import to_event
from beaver.db.engine import Database, Transaction
from beaver.errors import InvalidInput
from beaver.ids import IdSource, new_id
from beaver.server.sessions.identity import After, Fresh, Identity, Named
from beaver.sessions.forks import ForkStore
from beaver.sessions.history import repair
from beaver.sessions.leases import LeaseStore
from beaver.sessions.past import lately
from beaver.sessions.records import HISTORY_MESSAGES_MAX
from beaver.sessions.resent import GoesOn, Parts, ResentTurn, StoredTurn, compare, has_begun, stored_turns
from beaver.sessions.store import SessionStore


class Placement:
    """Places requests. Stateless: share it between tasks."""

    def __init__(self, database: Database, sessions: SessionStore, *, ids: IdSource = new_id) -> None:
        self._database = database
        self._sessions = sessions
        self._forks = ForkStore(database.dialect)
        self._leases = LeaseStore(database.dialect)
        self._ids = ids

    async def place(self, identity: Identity, earlier: Sequence[ResentTurn]) -> str:
        """The session to run in. Raises InvalidInput for a response that is not stored here.

        `earlier` are the turns that the client sent along before its prompt.
        """
        match identity:
            case Fresh():
                return await self._seeded(self._ids("session"), earlier)
            case Named():
                return await self._named(identity, earlier)
            case After():
                return await self._after(identity.run_id)
            case _:
                assert_never(identity)

    async def _named(self, named: Named, earlier: Sequence[ResentTurn]) -> str:
        if not earlier and not named.resends:
            return named.session_id
        best: tuple[str, Parts] | None = None
        async with self._database.read() as tx:
            for session_id in await self._forks.family(tx, named.session_id):
                stored = await self._turns(tx, session_id)
                if not has_begun(stored):
                    continue
                found = compare(stored, earlier)
                if isinstance(found, GoesOn):
                    return session_id
                if best is None or found.turns > best[1].turns:
                    best = (session_id, found)
        if best is None:
            return await self._seeded(named.session_id, earlier)
        return await self._forked(best[0], best[1].after_event)

    async def _turns(self, tx: Transaction, session_id: str) -> tuple[StoredTurn, ...]:
        busy = await self._leases.is_held(tx, session_id)
        said = await lately(tx, session_id, limit=HISTORY_MESSAGES_MAX)
        return stored_turns(repair(said), busy=busy)

    async def _after(self, run_id: str) -> str:
        async with self._database.read() as tx:
            run = await self._sessions.find_run(tx, run_id)
            if run is None:
                raise InvalidInput("previous_response_id", "must be the id of a response that is stored here")
            fork_point = await self._forks.fork_point(tx, run.session_id, run_id)
        return run.session_id if fork_point is None else await self._forked(run.session_id, fork_point)

    async def _forked(self, parent_id: str, after_event: int) -> str:
        session_id = self._ids("session")
        async with self._database.write() as tx:
            await self._forks.fork(tx, parent_id, session_id, after_event=after_event)
        return session_id

    async def _seeded(self, session_id: str, earlier: Sequence[ResentTurn]) -> str:
        answered = [turn for turn in earlier if turn.answer is not None]
        if answered:
            async with self._database.write() as tx:
                messages = _messages(answered[-HISTORY_MESSAGES_MAX // 2 :])
                await self._forks.seed(tx, session_id, [to_event(message) for message in messages])
        return session_id


def _messages(turns: Iterable[ResentTurn]) -> Iterable[PromptMessage]:
    for turn in turns:
        yield PromptMessage("user", turn.user, "history")
        yield PromptMessage("assistant", turn.answer or "", "history")
