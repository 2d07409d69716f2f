"""API keys on both databases: only the hash is stored, and only an active key is found."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import select, update

from beaver.db.engine import Database
from beaver.db.tables import api_keys
from beaver.errors import InvalidInput
from beaver.sessions.key_store import KeyStore
from beaver.sessions.keys import KEY_PREFIX, KeyRecord, NewKey, make_key, validate_name, validate_scopes


@pytest.fixture
def store(database: Database) -> KeyStore:
    return KeyStore(database.dialect)


async def _add(database: Database, store: KeyStore, key_id: str, lifetime_ms: int | None = None) -> NewKey:
    key = make_key()
    async with database.write() as tx:
        await store.add(tx, key_id, key, name="n", scopes=frozenset({"chat"}), front_end=False, lifetime_ms=lifetime_ms)
    return key


async def test_the_key_itself_is_nowhere_in_its_row(database: Database, store: KeyStore) -> None:
    key = await _add(database, store, "k1")

    async with database.read() as tx:
        row = (await tx.execute(select(api_keys))).one()

    assert key.secret not in repr(tuple(row))
    assert row.hash == key.hash


async def test_each_of_several_active_keys_is_found(database: Database, store: KeyStore) -> None:
    keys = {key_id: await _add(database, store, key_id) for key_id in ("k1", "k2")}

    async with database.read() as tx:
        found = {key_id: await store.find(tx, key.secret) for key_id, key in keys.items()}
        count = await store.count_active(tx)

    assert {key_id: record.id for key_id, record in found.items() if record} == {"k1": "k1", "k2": "k2"}
    assert count == 2


async def test_revoked_expired_and_unknown_keys_are_not_found(database: Database, store: KeyStore) -> None:
    revoked = await _add(database, store, "k1")
    expired = await _add(database, store, "k2", lifetime_ms=0)
    async with database.write() as tx:
        assert await store.revoke(tx, "k1")
        assert not await store.revoke(tx, "nobody")

    async with database.read() as tx:
        assert [await store.find(tx, key.secret) for key in (revoked, expired, make_key())] == [None, None, None]
        assert await store.count_active(tx) == 0
        assert len(await store.list_keys(tx, limit=50)) == 2


async def test_keys_are_listed_newest_first_in_pages(database: Database, store: KeyStore) -> None:
    for key_id in ("k1", "k2", "k3", "k4", "k5"):
        await _add(database, store, key_id)

    pages: list[list[KeyRecord]] = []
    async with database.read() as tx:
        while not pages or pages[-1]:
            after = pages[-1][-1].id if pages else None
            pages.append(await store.list_keys(tx, limit=2, after=after))

    # Two keys of one millisecond are in the order of their ids.
    assert [[record.id for record in page] for page in pages] == [["k5", "k4"], ["k3", "k2"], ["k1"], []]


async def test_behind_a_key_that_is_not_there_nothing_is_listed(database: Database, store: KeyStore) -> None:
    await _add(database, store, "k1")

    async with database.read() as tx:
        assert await store.list_keys(tx, limit=2, after="nobody") == []


async def test_a_use_is_noted_once_in_a_while(database: Database, store: KeyStore) -> None:
    await _add(database, store, "k1")
    await _add(database, store, "k2")

    assert await _used(database, store) == {"k1": None, "k2": None}
    await _note(database, store, every_ms=60_000)
    first = await _used(database, store)
    assert first["k1"] is not None
    assert first["k2"] is None
    # So that a further use would be seen.
    await _set_used(database, first["k1"] - 1_000)
    await _note(database, store, every_ms=60_000)
    assert (await _used(database, store))["k1"] == first["k1"] - 1_000
    await _set_used(database, first["k1"] - 60_001)
    await _note(database, store, every_ms=60_000)
    assert (await _used(database, store))["k1"] >= first["k1"]


async def _note(database: Database, store: KeyStore, *, every_ms: int) -> None:
    async with database.write() as tx:
        await store.note_use(tx, "k1", every_ms=every_ms)


async def _set_used(database: Database, used_ms: int) -> None:
    async with database.write() as tx:
        await tx.execute(update(api_keys).where(api_keys.c.id == "k1").values(used_ms=used_ms))


async def _used(database: Database, store: KeyStore) -> dict[str, Any]:
    async with database.read() as tx:
        return {record.id: record.used_ms for record in await store.list_keys(tx, limit=50)}


def test_a_key_has_its_prefix_and_256_bits_and_hides_from_repr() -> None:
    key = make_key()

    assert key.secret.startswith(KEY_PREFIX)
    assert len(key.secret) == len(KEY_PREFIX) + 43
    assert key.secret not in repr(key)
    assert key.hash not in repr(key)


@pytest.mark.parametrize("scopes", [[], ["all"], ["chat", "root"]])
def test_unknown_scopes_are_refused_with_the_rule_and_without_the_value(scopes: list[str]) -> None:
    with pytest.raises(InvalidInput, match=r"^scopes: must be one or more of admin, chat, read$"):
        validate_scopes(scopes)


@pytest.mark.parametrize("name", ["", " ", "a\nb", "x" * 101])
def test_a_name_is_printable_and_bounded(name: str) -> None:
    with pytest.raises(InvalidInput, match=r"^name: "):
        validate_name(name)
