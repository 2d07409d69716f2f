"""`beaver keys`: a key is shown when it is made and never again."""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path

from beaver.cli.database import session_database
from beaver.sessions.key_store import KeyStore
from tests.support.command_line import ran


def _keys(root: Path, *arguments: str) -> tuple[int, str]:
    result = ran("keys", *arguments, "--root", str(root), "--json")
    return result.code, result.out


def test_a_key_is_shown_once_listed_without_itself_and_revoked(tmp_path: Path) -> None:
    made = json.loads(_keys(tmp_path, "create", "laptop", "--scope", "chat", "--days", "30")[1])

    listed = _keys(tmp_path, "list")[1]
    assert made["key"] not in listed
    assert [(key["id"], key["scopes"], key["revoked_ms"]) for key in json.loads(listed)] == [
        (made["id"], ["chat"], None)
    ]

    assert _keys(tmp_path, "revoke", made["id"])[0] == 0
    assert json.loads(_keys(tmp_path, "list")[1])[0]["revoked_ms"] is not None


def test_an_unknown_scope_and_an_unknown_id_are_refused(tmp_path: Path) -> None:
    assert _keys(tmp_path, "create", "x", "--scope", "everything")[0] == 2
    assert _keys(tmp_path, "revoke", "key_none")[0] == 3


def test_keys_are_listed_in_pages_newest_first_with_the_word_for_the_next_one(tmp_path: Path) -> None:
    made = [json.loads(_keys(tmp_path, "create", name)[1])["id"] for name in ("one", "two", "three")]

    shown = ran("keys", "list", "--limit", "2", "--root", str(tmp_path)).out
    assert [line.split()[0] for line in shown.splitlines()[1:3]] == [made[2], made[1]]
    assert shown.splitlines()[3] == f"Further keys, if any: --after {made[1]}"
    further = json.loads(_keys(tmp_path, "list", "--limit", "2", "--after", made[1])[1])
    assert [(key["id"], key["used_ms"]) for key in further] == [(made[0], None)]


def test_a_list_for_people_says_when_a_key_was_used(tmp_path: Path) -> None:
    _keys(tmp_path, "create", "laptop")
    asyncio.run(_note_use_of_all(tmp_path))

    head, row = ran("keys", "list", "--root", str(tmp_path)).out.splitlines()
    assert "used" in head.split()
    assert re.search(r" 20[0-9]{2}-[0-9]{2}-[0-9]{2} [0-9:]{8}$", row)


async def _note_use_of_all(root: Path) -> None:
    async with session_database(root) as database, database.write() as tx:
        store = KeyStore(database.dialect)
        for record in await store.list_keys(tx, limit=50):
            await store.note_use(tx, record.id, every_ms=0)
