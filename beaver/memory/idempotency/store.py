"""SQL of receipts. Both calls belong in the transaction of the write that they protect; without an identity they do nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import insert, select

from beaver.db.engine import Transaction
from beaver.errors import Conflict
from beaver.memory.idempotency.identity import RequestIdentity
from beaver.memory.tables import receipts


async def find_receipt(tx: Transaction, identity: RequestIdentity | None) -> dict[str, Any] | None:
    """The receipt of the same request, if it was done before. Raises Conflict when the key stands for another request."""
    if identity is None:
        return None
    known = await tx.execute(
        select(receipts.c.request_hash, receipts.c.receipt).where(
            receipts.c.principal == identity.principal, receipts.c.idempotency_key == identity.key
        )
    )
    row = known.one_or_none()
    if row is None:
        return None
    if row.request_hash != identity.request_hash:
        raise Conflict("this Idempotency-Key was used for another request")
    return dict(row.receipt)


async def record_receipt(
    tx: Transaction, identity: RequestIdentity | None, receipt: Mapping[str, Any], now_ms: int
) -> None:
    """Keep the receipt of a request that find_receipt did not know."""
    if identity is not None:
        await tx.execute(
            insert(receipts).values(
                principal=identity.principal,
                idempotency_key=identity.key,
                request_hash=identity.request_hash,
                receipt=dict(receipt),
                created_ms=now_ms,
            )
        )
