"""SQL of receipts. Both calls belong in the transaction of the write that they protect, after ensure_namespace: everybody
takes locks in that order. Without an identity they do nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sqlalchemy import ColumnElement, select, update

from beaver.db.dialect import dialect_of
from beaver.db.engine import Transaction
from beaver.errors import Conflict
from beaver.memory.idempotency.identity import RequestIdentity
from beaver.memory.tables import receipts


async def claim_receipt(
    tx: Transaction, identity: RequestIdentity | None, receipt: Mapping[str, Any], now_ms: int
) -> dict[str, Any] | None:
    """Keep the receipt of a new request and return None; return the first receipt where it was done before.

    The same request, coming meanwhile, waits until this transaction has ended. Raises Conflict when the key stands for
    another request.
    """
    if identity is None:
        return None
    kept = (
        dialect_of(tx)
        .insert(receipts)
        .values(
            principal=identity.principal,
            idempotency_key=identity.key,
            request_hash=identity.request_hash,
            receipt=dict(receipt),
            created_ms=now_ms,
        )
    )
    if (await tx.execute(kept.on_conflict_do_nothing())).rowcount:
        return None
    known = await tx.execute(select(receipts.c.request_hash, receipts.c.receipt).where(*_known_as(identity)))
    row = known.one()
    if row.request_hash != identity.request_hash:
        raise Conflict("this Idempotency-Key was used for another request")
    return dict(row.receipt)


async def amend_receipt(tx: Transaction, identity: RequestIdentity | None, receipt: Mapping[str, Any]) -> None:
    """Give a receipt that this transaction has claimed what was not known then."""
    if identity is not None:
        await tx.execute(update(receipts).where(*_known_as(identity)).values(receipt=dict(receipt)))


def _known_as(identity: RequestIdentity) -> tuple[ColumnElement[bool], ColumnElement[bool]]:
    return receipts.c.principal == identity.principal, receipts.c.idempotency_key == identity.key
