"""`beaver memory …`: the host's own memory from the command line."""

from __future__ import annotations

import asyncio
from dataclasses import asdict

import pytest

from beaver.agent.policy.spoken import NOTHING_HERE, NOTHING_YET
from beaver.agent.policy.stores import NewItem, Owner
from beaver.cli.local_memory.opening import open_local_store
from beaver.config.loader import load_settings
from beaver.config.paths import InstancePaths
from beaver.db.engine import Database
from beaver.db.migrate import ensure_schema
from beaver.outbox.distilled.records import NewDistilled
from beaver.outbox.distilled.schedule import Fault, GivenUp
from beaver.outbox.distilled.store import DistilledStore
from beaver.sessions.store import SessionStore
from tests.unit.cli.conftest import CommandLine

OWNER = Owner("default", "default", "local", "s-1")
LINTER = NewItem("rule", "Always run the linter before you commit", "project", 0.9, "person", ("style",))


@pytest.fixture
def instance(beaver: CommandLine) -> CommandLine:
    beaver.configure({"memory": {"mode": "curated", "policy": {"localStore": True}}})
    return beaver


def remember(instance: CommandLine, item: NewItem = LINTER) -> str:
    """Write an item as a chat would; its id."""

    async def write() -> str:
        local = await open_local_store(load_settings(InstancePaths.at(instance.root), {}))
        assert local is not None
        written = await local.items.write(OWNER, item)
        await local.items.close()
        assert written.item_id is not None
        return written.item_id

    return asyncio.run(write())


def give_up_an_item(instance: CommandLine) -> str:
    """An item whose delivery died; its key."""
    new = NewDistilled("k" * 64, "default", "default", "ada", "s-1", "run_1", "m_1", "Canary words")

    async def die() -> None:
        database = Database.open(load_settings(InstancePaths.at(instance.root), {}).sessions_url)
        await ensure_schema(database, "beaver.db.migrations")
        store = DistilledStore(database.dialect)
        async with database.write() as tx:
            await SessionStore(database.dialect).ensure_session(tx, "s-1")
            await store.insert(tx, new)
            # Enough of them need not wait.
            for number in range(19):
                await store.insert(tx, NewDistilled(**{**asdict(new), "key": f"{number:064}", "content": "more"}))
            batch = await store.claim(tx, "me", "b", claim_ms=1_000)
            assert batch is not None
            await store.failed(tx, batch, "me", Fault("http_status", 422), GivenUp())
        await database.close()

    asyncio.run(die())
    return new.key


def test_what_is_remembered_is_listed_pinned_and_forgotten(instance: CommandLine) -> None:
    assert instance("memory", "list").out == "Nothing is remembered yet.\n"
    item_id = remember(instance)
    assert LINTER.text in instance("memory", "list").out

    assert instance("memory", "pin", item_id).out == f"Pinned {item_id}.\n"
    [active] = instance("memory", "list", "--json").json["active"]
    assert (active["id"], active["pinned"], active["tags"]) == (item_id, True, ["style"])
    assert instance("memory", "unpin", item_id, "--json").json["pinned"] is False

    assert instance("memory", "forget", item_id, "--json").json == {"by": "id", "ids": [item_id]}
    assert instance("memory", "list", "--json").json == {
        "off": False,
        "active": [],
        "recent": [],
        "keeps": True,
    }
    assert instance("memory", "status", "--json").json["forgotten"] == 1
    assert "in this session" not in instance("memory", "status").out


def test_an_unknown_id_is_not_found_and_has_no_effect(instance: CommandLine) -> None:
    remember(instance)
    for command in (("pin", "m_none"), ("unpin", "m_none"), ("forget", "m_none"), ("forget", "--tag", "none")):
        outcome = instance("memory", *command, "--json")
        assert (outcome.code != 0, outcome.error["code"], outcome.error["message"]) == (True, "not_found", "not found")
    assert len(instance("memory", "list", "--json").json["recent"]) == 1


def test_forget_takes_one_selection_and_asks_before_it_erases_all(instance: CommandLine) -> None:
    remember(instance)
    for arguments in ((), ("m_1", "--tag", "style"), ("--project", "--user")):
        assert instance("memory", "forget", *arguments, "--json").error["code"] == "invalid_input"
    assert instance("memory", "forget", "--user", stdin="n\n").code != 0
    assert len(instance("memory", "list", "--json").json["recent"]) == 1
    assert instance("memory", "forget", "--tag", "style").code == 0
    remember(instance, NewItem("rule", "Never deploy on Friday afternoons", "project", 0.9, "person"))
    assert len(instance("memory", "forget", "--user", "--yes", "--json").json["ids"]) == 1


def test_without_a_local_store_the_list_says_where_to_look(beaver: CommandLine) -> None:
    beaver.configure({"memory": {"mode": "curated"}})
    assert beaver("memory", "list").out == f"{NOTHING_YET}\n{NOTHING_HERE}\n"


def test_a_sessions_memory_is_switched_off_and_on_and_explains_itself(instance: CommandLine) -> None:
    assert instance("memory", "off", "s-1").out == "Memory is off in session s-1.\n"
    assert instance("memory", "status", "--session", "s-1", "--json").json["off"] is True
    assert instance("memory", "on", "s-1", "--json").json == {"session": "s-1", "off": False}
    assert instance("memory", "why", "s-1").out == "Nothing was recalled in this session yet.\n"
    assert instance("memory", "why", "s-1", "--json").json is None
    assert instance("memory", "off", "a/b", "--json").error["code"] == "invalid_input"


def test_items_that_died_on_their_way_are_listed_without_words_and_sent_anew(instance: CommandLine) -> None:
    assert instance("memory", "dead").out == "No item was given up.\n"
    key = give_up_an_item(instance)
    listed = instance("memory", "dead", "--json")
    assert "Canary" not in listed.out
    assert len(listed.json) == 20
    assert key[:16] in instance("memory", "dead").out

    assert instance("memory", "requeue", key[:16], "--json").json == {"requeued": 1}
    assert instance("memory", "requeue", key[:16], "--json").error["code"] == "not_found"
    assert instance("memory", "requeue", "--json").error["code"] == "invalid_input"
    assert instance("memory", "requeue", "--all", "--json").json == {"requeued": 19}
    assert instance("memory", "requeue", "--all").out == "Sending 0 anew.\n"
    assert instance("memory", "status", "--json").json["queue"]["counts"]["pending"] == 20


def test_items_that_died_on_their_way_say_for_whom_they_were_and_are_dropped_once_confirmed(
    instance: CommandLine,
) -> None:
    key = give_up_an_item(instance)
    assert {row["user_id"] for row in instance("memory", "dead", "--json").json} == {"ada"}
    assert instance("memory", "drop", key[:16], stdin="n\n").code == 1
    assert len(instance("memory", "dead", "--json").json) == 20
    assert instance("memory", "drop", key[:16], "--yes", "--json").json == {"dropped": 1}
    assert instance("memory", "drop", key[:16], "--yes", "--json").error["code"] == "not_found"
    assert instance("memory", "drop", "--json").error["code"] == "invalid_input"
    assert instance("memory", "drop", "--all", "--yes").out == "Dropped 19.\n"
    assert instance("memory", "dead").out == "No item was given up.\n"
