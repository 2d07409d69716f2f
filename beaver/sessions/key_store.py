"""API keys in SQL: the hash is stored, never the key."""

from __future__ import annotations

import hmac
from typing import Any

from sqlalchemy import and_, func, insert, or_, select, update

from beaver.db.dialect import SqlDialect
from beaver.db.engine import Transaction
from beaver.db.tables import api_keys
from beaver.sessions.keys import KeyRecord, NewKey, hash_key


class KeyStore:
    """Keys. Stateless; every method takes the open transaction first."""

    def __init__(self, dialect: SqlDialect) -> None:
        self._dialect = dialect

    async def add(
        self,
        tx: Transaction,
        key_id: str,
        key: NewKey,
        *,
        name: str,
        scopes: frozenset[str],
        front_end: bool,
        lifetime_ms: int | None,
    ) -> None:
        """Store what may be kept of a new key; it ends `lifetime_ms` from now, or never."""
        now = self._dialect.now_ms()
        await tx.execute(
            insert(api_keys).values(
                id=key_id,
                name=name,
                prefix=key.prefix,
                hash=key.hash,
                scopes=sorted(scopes),
                front_end=front_end,
                created_ms=now,
                expires_ms=None if lifetime_ms is None else now + lifetime_ms,
            )
        )

    async def find(self, tx: Transaction, secret: str) -> KeyRecord | None:
        """The active key with this secret, or None: unknown, revoked and expired look the same."""
        wanted = hash_key(secret)
        row = (await tx.execute(select(api_keys).where(api_keys.c.hash == wanted, self._active()))).one_or_none()
        if row is None or not hmac.compare_digest(row.hash, wanted):
            return None
        return _record(row)

    async def list_keys(self, tx: Transaction, *, limit: int, after: str | None = None) -> list[KeyRecord]:
        """Keys, revoked and expired ones too, the newest first; `after` is the id of the last key of the page before."""
        query = select(api_keys).order_by(api_keys.c.created_ms.desc(), api_keys.c.id.desc()).limit(limit)
        if after is not None:
            last = select(api_keys.c.created_ms).where(api_keys.c.id == after).scalar_subquery()
            query = query.where(
                or_(api_keys.c.created_ms < last, and_(api_keys.c.created_ms == last, api_keys.c.id < after))
            )
        return [_record(row) for row in await tx.execute(query)]

    async def note_use(self, tx: Transaction, key_id: str, *, every_ms: int) -> None:
        """The key was used now; nothing is written when that was noted less than `every_ms` ago."""
        now = self._dialect.now_ms()
        due = or_(api_keys.c.used_ms.is_(None), api_keys.c.used_ms <= now - every_ms)
        await tx.execute(update(api_keys).where(api_keys.c.id == key_id, due).values(used_ms=now))

    async def active_hashes(self, tx: Transaction) -> frozenset[str]:
        """The hashes of all keys that open the server now."""
        return frozenset(await tx.scalars(select(api_keys.c.hash).where(self._active())))

    async def count_active(self, tx: Transaction) -> int:
        """How many keys open the server now."""
        return await tx.scalar(select(func.count()).select_from(api_keys).where(self._active())) or 0

    async def revoke(self, tx: Transaction, key_id: str) -> bool:
        """End a key at once; False when there is none of this id. Revoking again changes nothing."""
        moment = func.coalesce(api_keys.c.revoked_ms, self._dialect.now_ms())
        done = await tx.execute(update(api_keys).where(api_keys.c.id == key_id).values(revoked_ms=moment))
        return done.rowcount == 1

    def _active(self) -> Any:
        now = self._dialect.now_ms()
        return api_keys.c.revoked_ms.is_(None) & or_(api_keys.c.expires_ms.is_(None), api_keys.c.expires_ms > now)


def _record(row: Any) -> KeyRecord:
    values = {name: getattr(row, name) for name in KeyRecord.__dataclass_fields__}
    return KeyRecord(**{**values, "scopes": frozenset(row.scopes)})
