"""SQL of users, their keys' hashes and their namespaces."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from sqlalchemy import bindparam, delete, insert, select, update

from beaver.db.dialect import dialect_of
from beaver.db.engine import Transaction
from beaver.errors import NotFound
from beaver.memory.idempotency.identity import ADMIN_PRINCIPAL, user_principal
from beaver.memory.namespace import Namespace
from beaver.memory.tables import namespaces, receipts, user_keys, users


async def user_exists(tx: Transaction, user_id: str) -> bool:
    """Whether there is such a user."""
    return await tx.scalar(select(users.c.id).where(users.c.id == user_id)) is not None


async def add_user(tx: Transaction, user_id: str, now_ms: int) -> bool:
    """Store a user; False when there is one of this id."""
    new = dialect_of(tx).insert(users).values(id=user_id, created_ms=now_ms)
    return bool((await tx.execute(new.on_conflict_do_nothing())).rowcount)


async def add_key(tx: Transaction, user_id: str, key_hash: str, now_ms: int) -> None:
    """Give a user one more key that works."""
    await tx.execute(insert(user_keys).values(user_id=user_id, key_hash=key_hash, created_ms=now_ms))


async def active_key_hashes(tx: Transaction, user_id: str) -> list[str]:
    """Hashes of the user's keys that work; none for an unknown user."""
    mine = select(user_keys.c.key_hash).where(user_keys.c.user_id == user_id, user_keys.c.revoked_ms.is_(None))
    return list((await tx.execute(mine)).scalars())


@dataclass(frozen=True)
class StoredKey:
    """A key as it is kept. Times are UTC epoch milliseconds."""

    hash: str
    created_ms: int
    revoked_ms: int | None


async def keys_of(tx: Transaction, user_id: str) -> list[StoredKey]:
    """A user's keys, the revoked ones too, the oldest first."""
    columns = user_keys.c
    mine = select(columns.key_hash, columns.created_ms, columns.revoked_ms).where(columns.user_id == user_id)
    return [StoredKey(*row) for row in await tx.execute(mine.order_by(columns.created_ms, columns.key_hash))]


async def revoke_key(tx: Transaction, user_id: str, key_hash: str, now_ms: int) -> None:
    """Have a key open nothing from now on; a revoked one stays as it is."""
    mine = (user_keys.c.user_id == user_id) & (user_keys.c.key_hash == key_hash) & user_keys.c.revoked_ms.is_(None)
    await tx.execute(update(user_keys).where(mine).values(revoked_ms=now_ms))


@dataclass(frozen=True)
class Standing:
    """A namespace's number, and how many writes it saw: where that is unchanged, so is all that is stored there."""

    id: int
    revision: int


_NAMED = (
    namespaces.c.user_id == bindparam("user"),
    namespaces.c.app_id == bindparam("app"),
    namespaces.c.project_id == bindparam("project"),
)
# Made once: to build a statement costs as much as to run it.
_STANDING = select(namespaces.c.id, namespaces.c.revision).where(*_NAMED)
_TURN_TAKEN = (
    update(namespaces)
    .where(*_NAMED)
    .values(revision=namespaces.c.revision + 1)
    .returning(namespaces.c.id, namespaces.c.revision)
)


async def find_namespace(tx: Transaction, namespace: Namespace) -> int | None:
    """The namespace's number, or None when nothing was stored in it yet."""
    found = await find_standing(tx, namespace)
    return None if found is None else found.id


async def find_standing(tx: Transaction, namespace: Namespace) -> Standing | None:
    """How the namespace stands; None when nothing was stored in it yet."""
    row = (await tx.execute(_STANDING, _names_of(namespace))).one_or_none()
    return None if row is None else Standing(*row)


async def names_of_namespaces(tx: Transaction, user_id: str) -> list[Namespace]:
    """The user's namespaces, as they are called."""
    mine = select(namespaces.c.app_id, namespaces.c.project_id, namespaces.c.user_id).where(
        namespaces.c.user_id == user_id, namespaces.c.staged_ms.is_(None)
    )
    found = await tx.execute(mine.order_by(namespaces.c.id))
    return [Namespace(*row) for row in found]


async def ensure_namespace(tx: Transaction, namespace: Namespace, now_ms: int) -> int:
    """The namespace's number, made if it is new; this transaction has its turn to write until it ends.

    Raises NotFound without its user.
    """
    return (await ensure_standing(tx, namespace, now_ms)).id


async def ensure_standing(tx: Transaction, namespace: Namespace, now_ms: int) -> Standing:
    """ensure_namespace, with the revision that this write makes. Raises NotFound without its user."""
    found = await _take_turn(tx, namespace)
    if found is not None:
        return found
    if not await user_exists(tx, namespace.user_id):
        raise NotFound("there is no such user")
    await tx.execute(
        dialect_of(tx)
        .insert(namespaces)
        .values(user_id=namespace.user_id, app_id=namespace.app_id, project_id=namespace.project_id, created_ms=now_ms)
        .on_conflict_do_nothing()
    )
    made = await _take_turn(tx, namespace)
    if made is None:
        raise NotFound("there is no such user")  # it went in this moment
    return made


async def ensure_namespaces(tx: Transaction, wanted: Collection[Namespace], now_ms: int) -> dict[Namespace, int]:
    """ensure_namespace for many in two trips, whatever their number; one without its user is left out.

    Those that are new come first, then the others in one order for everybody, so that two processes never wait for each other.
    """
    in_line = sorted(wanted, key=_place_in_line)
    found = await _find_namespaces(tx, in_line) if len(in_line) > 1 else {}
    made: dict[Namespace, int] = {}
    for namespace in in_line:
        if namespace not in found:
            with suppress(NotFound):
                made[namespace] = await ensure_namespace(tx, namespace, now_ms)
    turns = [{"namespace": found[namespace]} for namespace in in_line if namespace in found]
    if turns:
        taken = update(namespaces).where(namespaces.c.id == bindparam("namespace"))
        await tx.execute(taken.values(revision=namespaces.c.revision + 1), turns)
    return found | made


async def advance_namespace(tx: Transaction, namespace_id: int) -> int:
    """Raise the namespace's revision, and return it; this transaction has its turn to write until it ends."""
    revision: int = (await tx.execute(_RAISED, {"namespace": namespace_id})).scalar_one()
    return revision


# Made once: to build a statement costs as much as to run it.
_RAISED: Final = (
    update(namespaces)
    .where(namespaces.c.id == bindparam("namespace"))
    .values(revision=namespaces.c.revision + 1)
    .returning(namespaces.c.revision)
)


async def replace_in_namespace(tx: Transaction, namespace_id: int) -> int:
    """As `rewrite_namespace` where all passages that go are retired: it voids what a process of an older release holds in memory,
    which would keep some of their words; others read what is new. Returns the revision."""
    raised = {name: namespaces.c[name] + 1 for name in ("revision", "rewrites", "replacements")}
    mine = update(namespaces).where(namespaces.c.id == namespace_id).values(raised)
    revision: int = (await tx.execute(mine.returning(namespaces.c.revision))).scalar_one()
    return revision


async def rewrite_namespace(tx: Transaction, namespace_id: int) -> None:
    """Say that what the namespace stored is changed or removed by this transaction; it has its turn to write until it ends."""
    await tx.execute(
        update(namespaces)
        .where(namespaces.c.id == namespace_id)
        .values(revision=namespaces.c.revision + 1, rewrites=namespaces.c.rewrites + 1)
    )


async def namespaces_of(tx: Transaction, user_id: str) -> list[int]:
    """The numbers of a user's namespaces, staged ones too, in one order for everybody."""
    return list(await tx.scalars(select(namespaces.c.id).where(namespaces.c.user_id == user_id).order_by(*_IN_LINE)))


async def remove_user(tx: Transaction, user_id: str) -> bool:
    """Remove a user with keys, namespaces, all that hangs on them, and receipts, that of the user's making too; False when
    there is none."""
    made = (receipts.c.principal == ADMIN_PRINCIPAL) & (receipts.c.receipt["user_id"].as_string() == user_id)
    await tx.execute(delete(receipts).where((receipts.c.principal == user_principal(user_id)) | made))
    return bool((await tx.execute(delete(users).where(users.c.id == user_id))).rowcount)


async def _find_namespaces(tx: Transaction, wanted: Collection[Namespace]) -> dict[Namespace, int]:
    """Those that are there. Three lists for three columns name more than the wanted ones."""
    dialect, columns = dialect_of(tx), namespaces.c
    named = select(columns.app_id, columns.project_id, columns.user_id, columns.id).where(
        dialect.is_one_of(columns.user_id, "users"),
        dialect.is_one_of(columns.app_id, "apps"),
        dialect.is_one_of(columns.project_id, "projects"),
    )
    names = {
        "users": dialect.many({one.user_id for one in wanted}),
        "apps": dialect.many({one.app_id for one in wanted}),
        "projects": dialect.many({one.project_id for one in wanted}),
    }
    found = {Namespace(*name): namespace_id for *name, namespace_id in await tx.execute(named, names)}
    return {namespace: found[namespace] for namespace in wanted if namespace in found}


def _place_in_line(namespace: Namespace) -> tuple[str, str, str]:
    return namespace.user_id, namespace.app_id, namespace.project_id


_IN_LINE = (namespaces.c.staged_ms.is_not(None), namespaces.c.user_id, namespaces.c.app_id, namespaces.c.project_id)


async def _take_turn(tx: Transaction, namespace: Namespace) -> Standing | None:
    row = (await tx.execute(_TURN_TAKEN, _names_of(namespace))).one_or_none()
    return None if row is None else Standing(*row)


def _names_of(namespace: Namespace) -> dict[str, str]:
    return {"user": namespace.user_id, "app": namespace.app_id, "project": namespace.project_id}
