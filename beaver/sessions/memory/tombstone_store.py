"""What was forgotten on command, in SQL: not what it said, but an HMAC of it by which it is known when it comes again."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from sqlalchemy import ColumnElement, func, select

from beaver.db.dialect import SqlDialect
from beaver.db.engine import Transaction
from beaver.db.tables import memory_keys
from beaver.db.tables import memory_tombstones as rows
from beaver.sessions.storable import storable_text

_KEY_NAME: Final = "tombstones"
LISTED_MAX: Final = 500


@dataclass(frozen=True)
class Tombstone:
    """An item that was forgotten: by whom, and when (UTC epoch ms)."""

    item_id: str
    hmac: str
    actor: str
    at_ms: int


class TombstoneStore:
    """Every method runs inside the caller's transaction. A `digest` is the hash of an item's normalised text."""

    def __init__(self, dialect: SqlDialect) -> None:
        self._dialect = dialect

    async def bury(self, tx: Transaction, tenant: str, user: str, item_id: str, digest: str, actor: str) -> None:
        """Leave a tombstone; one that stands there stays as it is."""
        stone = self._dialect.insert(rows).values(
            tenant=tenant,
            user_id=user,
            item_id=item_id,
            hmac=await self._hmac(tx, tenant, user, digest),
            actor=storable_text(actor),
            at_ms=self._dialect.now_ms(),
        )
        await tx.execute(stone.on_conflict_do_nothing())

    async def is_buried(self, tx: Transaction, tenant: str, user: str, digest: str) -> bool:
        """Whether that was forgotten."""
        if not await tx.scalar(select(rows.c.id).where(*_of(tenant, user)).limit(1)):
            return False
        known = rows.c.hmac == await self._hmac(tx, tenant, user, digest)
        return await tx.scalar(select(rows.c.id).where(*_of(tenant, user), known)) is not None

    async def count(self, tx: Transaction, tenant: str, user: str) -> int:
        """How many tombstones a user has."""
        return await tx.scalar(select(func.count()).select_from(rows).where(*_of(tenant, user))) or 0

    async def list(self, tx: Transaction, tenant: str, user: str, *, limit: int = LISTED_MAX) -> Sequence[Tombstone]:
        """A user's tombstones, the newest first."""
        shown = select(rows.c.item_id, rows.c.hmac, rows.c.actor, rows.c.at_ms).where(*_of(tenant, user))
        return [Tombstone(*row) for row in await tx.execute(shown.order_by(rows.c.id.desc()).limit(limit))]

    async def _hmac(self, tx: Transaction, tenant: str, user: str, digest: str) -> str:
        """Of the digest and whose it is, so that the same words of two users leave different stones."""
        message = "\0".join((tenant, user, digest)).encode()
        return hmac.new((await self._key(tx)).encode(), message, hashlib.sha256).hexdigest()

    async def _key(self, tx: Transaction) -> str:
        """This database's own key, made when it is first needed; the same for every process."""
        wanted = select(memory_keys.c.value).where(memory_keys.c.name == _KEY_NAME)
        found = await tx.scalar(wanted)
        if found is None:
            made = self._dialect.insert(memory_keys).values(name=_KEY_NAME, value=secrets.token_hex(32))
            await tx.execute(made.on_conflict_do_nothing(index_elements=[memory_keys.c.name]))
            found = await tx.scalar(wanted)
        return str(found)


def _of(tenant: str, user: str) -> tuple[ColumnElement[bool], ColumnElement[bool]]:
    return rows.c.tenant == tenant, rows.c.user_id == user
