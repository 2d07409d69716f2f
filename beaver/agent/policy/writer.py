"""Keeps what a turn leaves behind: privacy, gate, tombstones, likeness and quotas, then the store and the way to the Gateway."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from beaver.agent.policy.candidates import NO_ATTRIBUTES, Attributes, Candidate
from beaver.agent.policy.denylist import Denylist
from beaver.agent.policy.lane import REMOTE_WRITES_MAX, DistilledLane
from beaver.agent.policy.likeness import Likeness, normalised_hash, relate
from beaver.agent.policy.privacy import redact
from beaver.agent.policy.stores import ItemStore, NewItem, Owner, Written
from beaver.agent.policy.tally import Tally, WriteMode, counts
from beaver.agent.policy.write_gate import Rejection, rejection, turn_rejection
from beaver.agent.results import StopReason
from beaver.clock import Clock, system_clock
from beaver.db.engine import Database, Transaction
from beaver.logs import get_logger
from beaver.redaction import Redactor
from beaver.sessions.memory.tombstone_store import TombstoneStore
from beaver.sessions.memory.turn_store import GatedTurn, MemoryTurnStore, Spent
from beaver.sessions.store import SessionStore

CANDIDATES_MAX: Final = 20
LIKE_MAX: Final = 10


@dataclass(frozen=True)
class FinishedTurn:
    """A turn that ended: what the user said in it, what was recalled into its prompt, and what it may leave behind."""

    owner: Owner
    run_id: str
    stop_reason: StopReason
    said: str
    recalled: tuple[str, ...]
    candidates: tuple[Candidate, ...]


class ItemWriter:
    """Writes for one process. In shadow mode everything is judged and counted, and nothing is kept or sent."""

    def __init__(
        self,
        store: ItemStore,
        database: Database,
        *,
        mode: WriteMode,
        denylist: Denylist,
        credentials: Redactor,
        attributes: Attributes = NO_ATTRIBUTES,
        lane: DistilledLane | None = None,
        clock: Clock = system_clock,
    ) -> None:
        """`credentials` knows the process's own secrets; without a `lane` nothing goes to the Gateway."""
        self._attributes = attributes
        self._store = store
        self._database = database
        self._mode = mode
        self._denylist = denylist
        self._credentials = credentials
        self._lane = lane
        self._clock = clock
        self._turns = MemoryTurnStore(database.dialect)
        self._tombstones = TombstoneStore(database.dialect)
        self._sessions = SessionStore(database.dialect)

    async def keep(self, turn: FinishedTurn) -> GatedTurn:
        """Keep what deserves it, and note what became of the rest. Raises Unavailable where a store cannot serve."""
        async with self._database.read() as tx:
            spent = await self._turns.spent(tx, turn.owner.tenant, turn.owner.user)
        tally = Tally()
        for candidate in turn.candidates[:CANDIDATES_MAX]:
            tally.attempted += 1
            reason = await self._consider(turn, candidate, tally, spent)
            if reason is not None:
                tally.rejected[reason] += 1
        return await self._note(turn, tally, spent)

    async def _consider(self, turn: FinishedTurn, candidate: Candidate, tally: Tally, spent: Spent) -> Rejection | None:
        """Keep one candidate; or the reason why it is not kept."""
        redacted = redact(candidate.text, self._credentials)
        reason = turn_rejection(turn.stop_reason) or rejection(
            candidate,
            redacted=redacted,
            said=turn.said,
            recalled=turn.recalled,
            denylist=self._denylist,
            project=turn.owner.project,
            attributes=self._attributes,
        )
        if reason is not None:
            return reason
        clean = replace(candidate, text=redacted.text)
        digest = normalised_hash(clean.text)
        if await self._is_buried(turn.owner, digest):
            return "forgotten"
        return await self._keep(turn.owner, clean, digest, tally, spent)

    async def _is_buried(self, owner: Owner, digest: str) -> bool:
        async with self._database.read() as tx:
            return await self._tombstones.is_buried(tx, owner.tenant, owner.user, digest)

    async def _keep(
        self, owner: Owner, candidate: Candidate, digest: str, tally: Tally, spent: Spent
    ) -> Rejection | None:
        """Keep a clean candidate that was not forgotten; or the reason why there is no room for it."""
        like = relate(candidate, await self._store.search(owner, candidate.text, limit=LIKE_MAX), self._attributes)
        if digest in tally.seen or (like is not None and like.relation == "same"):
            await self._mention(owner, like)
            tally.deduped += 1
            return None
        over = tally.over_quota(spent)
        if over is not None:
            return over
        tally.seen.add(digest)
        if self._mode == "shadow":
            tally.accepted += 1
            tally.superseded += like is not None
            return None
        new = candidate.item(self._clock())
        return tally.count(await self._put(owner, new, like), new)

    async def _mention(self, owner: Owner, like: Likeness | None) -> None:
        if like is not None and self._mode == "write":
            await self._store.merge(owner, like.item.id)

    async def _put(self, owner: Owner, new: NewItem, like: Likeness | None) -> Written:
        """Keep an item, in the place of what it contradicts."""
        if like is None:
            return await self._store.write(owner, new)
        return await self._store.supersede(owner, like.item.id, new)

    async def _note(self, turn: FinishedTurn, tally: Tally, spent: Spent) -> GatedTurn:
        """The turn's counts and its items for the Gateway, in one transaction; who deletes the session later sees the items."""
        async with self._database.write() as tx:
            remote = 0 if self._lane is None else await self._enter(tx, self._lane, turn, tally, spent)
            gated = tally.of(turn.owner, turn.run_id, self._mode, remote)
            await self._turns.note(tx, gated)
            is_over = not await self._sessions.hold(tx, {turn.owner.session}, waiting=True)
        if is_over and any(new.scope == "session" for new in tally.sent.values()):
            await self._store.end_session(turn.owner)
        if remote and self._lane is not None:
            await self._lane.ring()
        get_logger().info("memory.turn_gated", run_id=turn.run_id, **counts(gated))
        return gated

    async def _enter(self, tx: Transaction, lane: DistilledLane, turn: FinishedTurn, tally: Tally, spent: Spent) -> int:
        """Enter what the quota has room for; the rest is kept here all the same.

        What was forgotten meanwhile is not sent, nor what another took the place of before it was.
        """
        if tally.replaced:
            await lane.withdraw(tx, tally.replaced)
        room = max(0, REMOTE_WRITES_MAX - spent.remote)
        entered = 0
        for item_id, new in list(tally.sent.items())[:room]:
            owner, digest = turn.owner, normalised_hash(new.text)
            if not await self._tombstones.is_buried(tx, owner.tenant, owner.user, digest):
                entered += await lane.enter(tx, owner, turn.run_id, item_id, new)
        if len(tally.sent) > room:
            tally.rejected["quota_remote"] += len(tally.sent) - room
        return entered
