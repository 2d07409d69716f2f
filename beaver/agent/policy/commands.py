"""What a person may do with the host's memory, the same in chat, page, API and CLI: look, pin, forget, switch, ask why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from beaver.agent.policy.attribution import Why, why
from beaver.agent.policy.likeness import normalised_hash
from beaver.agent.policy.selecting import SAID_NOT_FOUND, By, known_form, word_for
from beaver.agent.policy.stores import BySession, ByUser, ItemStore, MemoryItem, Owner, Selection
from beaver.db.engine import Database, Transaction
from beaver.db.tables import WORDY_TABLES
from beaver.db.vacuuming import Vacuuming
from beaver.errors import NotFound, Unavailable
from beaver.ids import validate_session_id
from beaver.logs import get_logger
from beaver.outbox.distilled.inspection import DistilledInspection
from beaver.outbox.distilled.records import DistilledDepth
from beaver.outbox.distilled.store import DistilledStore
from beaver.schemas.audit import AuditEvent
from beaver.sessions.memory.switch_store import SwitchStore
from beaver.sessions.memory.tombstone_store import TombstoneStore
from beaver.sessions.memory.turn_store import MemoryTurnStore, WriteFigures
from beaver.sessions.records import HiddenEvent
from beaver.sessions.store import SessionStore

RECENT: Final = 10
LISTED_MAX: Final = 200


@dataclass(frozen=True)
class Overview:
    """What `/memory` shows: pinned items and the session's own, then the newest of the others.

    `off`: in this session. `keeps`: whether there is a local store at all.
    """

    off: bool
    active: tuple[MemoryItem, ...]
    recent: tuple[MemoryItem, ...]
    keeps: bool = True


@dataclass(frozen=True)
class Forgotten:
    """What was forgotten: how it was selected, and the items' ids."""

    by: By
    ids: tuple[str, ...]


@dataclass(frozen=True)
class MemoryStatus:
    """How the memory stands: whether it is off in this session, kept at all, and what became of writes so far."""

    off: bool
    keeps: bool
    items: int
    forgotten: int
    writes: WriteFigures
    queue: DistilledDepth


class MemoryCommands:
    """Over one owner's memory. Every method may raise Unavailable; an id that is not the owner's is NotFound, with no effect."""

    def __init__(self, database: Database, items: ItemStore | None, owner: Owner) -> None:
        """`owner` without its session: each command names that. Without a store there is nothing to list or forget."""
        self._database = database
        self._items = items
        self._owner = owner
        self._sessions = SessionStore(database.dialect)
        self._switches = SwitchStore(database.dialect)
        self._tombstones = TombstoneStore(database.dialect)
        self._distilled = DistilledStore(database.dialect)
        self._vacuuming = Vacuuming(database, WORDY_TABLES)

    async def overview(self, session_id: str) -> Overview:
        """Active items and the ten newest others."""
        owner = self._of(session_id)
        found = () if self._items is None else await self._items.recent(owner, limit=LISTED_MAX)
        heard = [item for item in found if item.scope != "session" or item.session == session_id]
        active = tuple(item for item in heard if item.pinned or item.scope == "session")
        recent = tuple(item for item in heard if item not in active)[:RECENT]
        return Overview(await self.is_off(session_id), active, recent, self._items is not None)

    async def pin(self, item_id: str, *, pinned: bool) -> MemoryItem:
        """Pin an item, or unpin it. Raises NotFound."""
        item = await self._store().pin(self._of(""), known_form(item_id), pinned=pinned)
        if item is None:
            raise NotFound(SAID_NOT_FOUND)
        return item

    async def forget(self, selection: Selection, session_id: str, actor: str) -> Forgotten:
        """Erase items everywhere; what was forgotten is not captured again. Raises NotFound where nothing is selected.

        Returns once the bytes hold nothing of them. `session_id` is the one in which the command was given ("": none).
        """
        store, owner = self._store(), self._of(session_id)
        selected = await store.select(owner, selection)
        if not selected:
            raise NotFound(SAID_NOT_FOUND)
        # First what keeps it from being sent and learned again: where this breaks off, the items are there to be named once more.
        async with self._database.write() as tx:
            await self._let_go(tx, selection, selected, actor)
        forgotten = await store.forget(owner, selection)
        told = Forgotten(word_for(selection), tuple(item.id for item in forgotten))
        async with self._database.write() as tx:
            await self._let_go(tx, selection, forgotten, actor)
            await self._tell(tx, _concerned(forgotten, session_id), AuditEvent.MEMORY_FORGOTTEN, actor, _payload(told))
        await self._erased("forgotten")
        return told

    async def delete_session(self, session_id: str) -> None:
        """Delete a session with everything of it, and what is remembered for it alone; other items stay.

        Returns once the bytes hold nothing of it. Raises NotFound where there is none.
        """
        owner = self._of(validate_session_id(session_id))
        async with self._database.write() as tx:
            was_there = await self._sessions.delete_session(tx, session_id)
        # Behind it, since a turn may have kept something meanwhile; and in any case, since this may have broken off before.
        if self._items is not None:
            await self._items.end_session(owner)
        if not was_there:
            raise NotFound("there is no such session")
        await self._erased("deleted")

    async def switch(self, session_id: str, actor: str, *, off: bool) -> None:
        """Switch a session's memory off or on, for every process. Raises InvalidInput for an id that breaks a rule."""
        async with self._database.write() as tx:
            before = await self._switches.read(tx, session_id)
            after = await self._switches.switch(tx, session_id, actor, off=off)
            if after != before:
                await self._tell(tx, {session_id}, AuditEvent.MEMORY_SWITCHED, actor, {"off": off})

    async def is_off(self, session_id: str) -> bool:
        """Whether a session's memory is off."""
        async with self._database.read() as tx:
            return (await self._switches.read(tx, session_id)).off

    async def status(self, session_id: str) -> MemoryStatus:
        """Figures; no content."""
        items = 0 if self._items is None else await self._items.count(self._of(session_id))
        async with self._database.read() as tx:
            return MemoryStatus(
                off=(await self._switches.read(tx, session_id)).off,
                keeps=self._items is not None,
                items=items,
                forgotten=await self._tombstones.count(tx, self._owner.tenant, self._owner.user),
                writes=await MemoryTurnStore(self._database.dialect).figures(tx, self._owner.tenant, self._owner.user),
                queue=await DistilledInspection(self._database.dialect).depth(tx),
            )

    async def why(self, session_id: str) -> Why | None:
        """What was recalled for the session's last answer, and from where; None where nothing was yet."""
        return await why(self._database, self._items, self._of(session_id))

    def _of(self, session_id: str) -> Owner:
        return replace(self._owner, session=session_id)

    def _store(self) -> ItemStore:
        if self._items is None:
            raise NotFound(SAID_NOT_FOUND)
        return self._items

    async def _erased(self, done: str) -> None:
        if self._items is not None:
            await self._items.erased()
        if not await self._database.empty_log():
            raise Unavailable(f"it is {done}, but somebody reads the session database: its log still holds old pages")
        try:
            await self._vacuuming.clear()
        except Unavailable:
            # It is gone for every reader; PostgreSQL's own vacuum comes to it later.
            get_logger().warning("sessions.vacuum_postponed")

    async def _let_go(self, tx: Transaction, selection: Selection, items: Sequence[MemoryItem], actor: str) -> None:
        """Leave tombstones, and take what waits to be sent, also what was said before these items took its place."""
        tenant, user = self._owner.tenant, self._owner.user
        for item in items:
            await self._tombstones.bury(tx, tenant, user, item.id, normalised_hash(item.text), actor)
        await self._distilled.erase(tx, [item.id for item in items])
        match selection:
            case BySession(session=session):
                await self._distilled.erase_of(tx, tenant, user, session_id=session)
            case ByUser():
                await self._distilled.erase_of(tx, tenant, user)
            case _:
                pass

    async def _tell(
        self, tx: Transaction, session_ids: set[str], kind: AuditEvent, actor: str, payload: dict[str, Any]
    ) -> None:
        """A hidden event in each of the sessions that exist."""
        held = await self._sessions.hold(tx, session_ids, waiting=True)
        told = [HiddenEvent(session_id, None, kind.value, {**payload, "actor": actor}) for session_id in sorted(held)]
        await self._sessions.append_hidden(tx, told)


def _concerned(forgotten: Sequence[MemoryItem], session_id: str) -> set[str]:
    return {item.session for item in forgotten if item.session} | ({session_id} if session_id else set())


def _payload(told: Forgotten) -> dict[str, Any]:
    return {"by": told.by, "count": len(told.ids), "item_ids": list(told.ids)}
