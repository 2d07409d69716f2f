"""SQL of receipts. Both calls belong in the transaction of the write that they protect, after ensure_namespace: everybody
takes locks in that order. Without an identity they do nothing."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, select, update

from beaver.db.dialect import dialect_of
from beaver.db.engine import Transaction
from beaver.errors import Conflict
from beaver.memory.idempotency.identity import RequestIdentity
from beaver.memory.tables import receipts

_Key = tuple[str, str]
"""Principal and key."""


@dataclass(frozen=True)
class Claim:
    """A request that may be new, with the receipt that it gets then. `now_ms` is UTC epoch milliseconds."""

    identity: RequestIdentity
    receipt: Mapping[str, Any]
    now_ms: int


async def claim_receipt(
    tx: Transaction, identity: RequestIdentity | None, receipt: Mapping[str, Any], now_ms: int
) -> dict[str, Any] | None:
    """Keep the receipt of a new request and return None; return the first receipt where it was done before.

    The same request, coming meanwhile, waits until this transaction has ended. Raises Conflict when the key stands for
    another request.
    """
    if identity is None:
        return None
    (known,) = await claim_receipts(tx, [Claim(identity, receipt, now_ms)])
    if isinstance(known, Conflict):
        raise known
    return known


async def claim_receipts(tx: Transaction, claims: Sequence[Claim]) -> list[dict[str, Any] | Conflict | None]:
    """claim_receipt for many at once, in order; two of them may be the same request. A Conflict is given, not raised."""
    first: dict[_Key, Claim] = {}
    for claim in claims:
        first.setdefault(_key(claim), claim)
    kept = await _keep(tx, first)
    known = await _known(tx, first.keys() - kept) | {key: (first[key].identity, first[key].receipt) for key in kept}
    return [
        None if _key(claim) in kept and first[_key(claim)] is claim else _answer(claim, *known[_key(claim)])
        for claim in claims
    ]


async def _keep(tx: Transaction, first: Mapping[_Key, Claim]) -> set[_Key]:
    """Those that nobody had claimed. In one order for everybody, so that two processes never wait for each other."""
    if not first:
        return set()
    rows = [
        {
            "principal": principal,
            "idempotency_key": key,
            "request_hash": claim.identity.request_hash,
            "receipt": dict(claim.receipt),
            "created_ms": claim.now_ms,
        }
        for (principal, key), claim in sorted(first.items(), key=lambda each: each[0])
    ]
    new = dialect_of(tx).insert(receipts).on_conflict_do_nothing()
    made = await tx.execute(new.returning(receipts.c.principal, receipts.c.idempotency_key), rows)
    return {(principal, key) for principal, key in made}


async def _known(tx: Transaction, keys: Collection[_Key]) -> dict[_Key, tuple[RequestIdentity, Mapping[str, Any]]]:
    """Who asked first under these keys, and the receipts. Two lists for two columns may name more than the wanted ones."""
    if not keys:
        return {}
    dialect, columns = dialect_of(tx), receipts.c
    named = select(columns.principal, columns.idempotency_key, columns.request_hash, columns.receipt).where(
        dialect.is_one_of(columns.principal, "principals"), dialect.is_one_of(columns.idempotency_key, "keys")
    )
    names = {
        "principals": dialect.many({principal for principal, _ in keys}),
        "keys": dialect.many({key for _, key in keys}),
    }
    return {
        (principal, key): (RequestIdentity(principal, key, request_hash), receipt)
        for principal, key, request_hash, receipt in await tx.execute(named, names)
    }


def _answer(claim: Claim, known: RequestIdentity, receipt: Mapping[str, Any]) -> dict[str, Any] | Conflict:
    if known.request_hash != claim.identity.request_hash:
        return Conflict("this Idempotency-Key was used for another request")
    return dict(receipt)


def _key(claim: Claim) -> _Key:
    return claim.identity.principal, claim.identity.key


async def amend_receipt(tx: Transaction, identity: RequestIdentity | None, receipt: Mapping[str, Any]) -> None:
    """Give a receipt that this transaction has claimed what was not known then."""
    if identity is not None:
        await tx.execute(update(receipts).where(*_known_as(identity)).values(receipt=dict(receipt)))


def _known_as(identity: RequestIdentity) -> tuple[ColumnElement[bool], ColumnElement[bool]]:
    return receipts.c.principal == identity.principal, receipts.c.idempotency_key == identity.key
