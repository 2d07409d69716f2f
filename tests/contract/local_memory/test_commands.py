"""What a person does with the memory: look, pin, forget without a trace, switch off, in words and by calls."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from unittest.mock import AsyncMock

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import update

from beaver.agent.policy import commands as commands_module
from beaver.agent.policy.candidates import Candidate
from beaver.agent.policy.selecting import By, selection_of
from beaver.agent.policy.spoken import NOT_UNDERSTOOD, USAGE, spoken
from beaver.agent.policy.stores import ByUser, MemoryItem
from beaver.db.tables import distilled_outbox
from beaver.errors import InvalidInput, NotFound, Unavailable
from beaver.outbox.distilled.schedule import DistilledState
from beaver.schemas.audit import AuditEvent
from beaver.sessions.memory.tombstone_store import TombstoneStore
from beaver.sessions.store import SessionStore
from tests.contract.local_memory.desk import LINTER, OWNER, Desk

ARCHIVE = "We decided to use PostgreSQL for the archive"
ACTOR = "test:ada"


async def only_item(desk: Desk) -> MemoryItem:
    [item] = await desk.store.recent(OWNER, limit=10)
    return item


async def audit(desk: Desk, session_id: str = "s1") -> list[tuple[str, dict[str, object]]]:
    async with desk.database.read() as tx:
        events = await SessionStore(desk.database.dialect).events(tx, session_id)
    return [(event.kind, dict(event.payload)) for event in events]


async def test_forget_leaves_a_tombstone_and_an_event_and_blocks_what_is_said_again(wide_desk: Desk) -> None:
    desk = wide_desk
    await desk.say(LINTER)
    item = await only_item(desk)
    told = await desk.commands().forget(selection_of("id", item.id), "s1", ACTOR)

    assert told.ids == (item.id,)
    assert await desk.texts() == await desk.sent() == []
    assert await audit(desk) == [
        (AuditEvent.MEMORY_FORGOTTEN, {"by": "id", "count": 1, "item_ids": [item.id], "actor": ACTOR})
    ]
    async with desk.database.read() as tx:
        [stone] = await TombstoneStore(desk.database.dialect).list(tx, OWNER.tenant, OWNER.user)
    assert (stone.item_id, stone.actor) == (item.id, ACTOR)
    assert stone.at_ms > 0

    assert (await desk.say(f"From now on: {LINTER.lower()}! {LINTER}")).accepted == 0
    assert await desk.texts() == []


async def test_forgotten_words_are_in_no_byte_of_either_database(
    desk: Desk, memory_sqlite_url: str, sqlite_url: str
) -> None:
    canary = "Canaries xylophone quokka zeppelin"
    await desk.keep(Candidate("fact", f"{canary} number one", 0.9, "model", ("birds",)))
    [item] = await desk.store.recent(OWNER, limit=5)
    await desk.keep(Candidate("fact", f"{canary} do not number one", 0.9, "model", ("birds",)))
    await desk.store.pin(OWNER, item.id, pinned=True)
    assert await desk.sent()

    await desk.commands().forget(ByUser(), "s1", ACTOR)

    for url in (memory_sqlite_url, sqlite_url):
        file = Path(url.removeprefix("sqlite:///"))
        for part in file.parent.glob(f"{file.name}*"):
            held = part.read_bytes().lower()
            assert not any(word in held for word in (b"xylophone", b"quokka", b"zeppelin")), part.name


@pytest.mark.parametrize(("by", "value"), [("tag", "birds"), ("session", "s1"), ("project", ""), ("user", "")])
async def test_what_waits_to_be_sent_or_is_dead_goes_with_what_is_forgotten(
    wide_desk: Desk, by: By, value: str
) -> None:
    desk = wide_desk
    for place in ("lake", "mill", "quay"):
        await desk.keep(Candidate("fix", f"The {place} heron nests beside the weir", 0.9, "tool", ("birds",)))
    async with desk.database.write() as tx:
        for place, state in (("mill", DistilledState.DEAD), ("quay", DistilledState.SENDING)):
            told = update(distilled_outbox).where(distilled_outbox.c.content.contains(place))
            await tx.execute(told.values(state=state))
    assert len(await desk.sent()) == 3

    await desk.commands().forget(selection_of(by, value), "s2", ACTOR)

    assert await desk.sent() == []


async def test_what_breaks_off_is_not_sent_any_more_and_can_be_forgotten_again(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    await desk.say(LINTER)
    item = await only_item(desk)
    with monkeypatch.context() as broken:
        broken.setattr(desk.store, "forget", AsyncMock(side_effect=Unavailable("the disk is full")))
        with pytest.raises(Unavailable):
            await desk.commands().forget(selection_of("id", item.id), "s1", ACTOR)
    assert await desk.sent() == []
    assert await audit(desk) == []
    assert (await desk.keep(Candidate("rule", LINTER, 0.9, "rules"))).accepted == 0

    await desk.commands().forget(selection_of("id", item.id), "s1", ACTOR)
    assert await desk.texts() == []
    assert len(await audit(desk)) == 1


@pytest.mark.parametrize(("by", "value"), [("id", "m_unknown"), ("id", "no id\n"), ("tag", "none"), ("session", "s9")])
async def test_what_is_not_there_is_not_found_and_nothing_happens(desk: Desk, by: By, value: str) -> None:
    await desk.say(LINTER)
    with pytest.raises(NotFound, match="not found"):
        await desk.commands().forget(selection_of(by, value), "s1", ACTOR)
    with pytest.raises(NotFound, match="not found"):
        await desk.commands().pin("m_unknown", pinned=True)

    assert await desk.texts() == [LINTER]
    assert await audit(desk) == []


async def test_a_tag_and_a_session_select_what_is_of_them(desk: Desk) -> None:
    await desk.keep(Candidate("fact", "The heron colony lives near the lake", 0.9, "model", ("birds",)))
    await desk.say(LINTER, owner=replace(OWNER, session="s2"))
    await desk.say(ARCHIVE)

    await desk.commands().forget(selection_of("tag", "birds"), "", ACTOR)
    assert await desk.texts() == [LINTER, ARCHIVE]
    await desk.commands().forget(selection_of("session", "s2"), "", ACTOR)
    assert await desk.texts() == [ARCHIVE]
    assert [kind for kind, _ in await audit(desk, "s2")] == [AuditEvent.MEMORY_FORGOTTEN]


def test_a_tag_or_session_that_breaks_a_rule_is_named() -> None:
    with pytest.raises(InvalidInput, match="value"):
        selection_of("tag", "x" * 51)
    with pytest.raises(InvalidInput, match="value"):
        selection_of("session", "a/b")


async def test_pinned_items_and_the_sessions_own_are_active(desk: Desk) -> None:
    await desk.keep(
        Candidate("rule", LINTER, 0.9, "rules"),
        Candidate("preference", "In this chat I prefer short answers", 0.9, "rules"),
        Candidate("decision", ARCHIVE, 0.9, "rules"),
    )
    [linter] = [item for item in await desk.store.recent(OWNER, limit=5) if item.text == LINTER]
    assert (await desk.commands().pin(linter.id, pinned=True)).pinned

    here, elsewhere = await desk.commands().overview("s1"), await desk.commands().overview("s2")

    assert {item.text for item in here.active} == {LINTER, "In this chat I prefer short answers"}
    assert [item.text for item in here.recent] == [ARCHIVE]
    assert {item.text for item in elsewhere.active} == {LINTER}


async def test_another_tenants_item_is_as_one_that_never_was(desk: Desk) -> None:
    await desk.say(LINTER)
    item = await only_item(desk)
    for other in (replace(OWNER, tenant="other"), replace(OWNER, user="bob")):
        commands = desk.commands(other)
        assert (await commands.overview("s1")).recent == ()
        with pytest.raises(NotFound):
            await commands.pin(item.id, pinned=True)
        for selection in (selection_of("id", item.id), selection_of("session", "s1"), ByUser()):
            with pytest.raises(NotFound):
                await commands.forget(selection, "s1", ACTOR)

    assert await desk.texts() == [LINTER]


async def test_off_and_on_are_told_once_each(wide_desk: Desk) -> None:
    commands = wide_desk.commands()
    for off in (True, True, False):
        await commands.switch("s1", ACTOR, off=off)

    assert not await commands.is_off("s1")
    assert await audit(wide_desk) == [
        (AuditEvent.MEMORY_SWITCHED, {"off": True, "actor": ACTOR}),
        (AuditEvent.MEMORY_SWITCHED, {"off": False, "actor": ACTOR}),
    ]
    await commands.switch("not yet a session", ACTOR, off=True)
    assert await commands.is_off("not yet a session")


async def test_status_counts_all_that_is_kept_and_all_that_was_forgotten(
    wide_desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(commands_module, "LISTED_MAX", 1)
    for name in ("harbour", "lighthouse", "orchard", "windmill"):
        await wide_desk.keep(Candidate("fact", f"The {name} has a blue door and two locks", 0.9, "model", (name,)))
    for name in ("orchard", "windmill"):
        await wide_desk.commands().forget(selection_of("tag", name), "s1", ACTOR)

    told = await wide_desk.commands().status("s1")
    assert (told.items, told.forgotten) == (2, 2)
    async with wide_desk.database.read() as tx:
        stones = TombstoneStore(wide_desk.database.dialect)
        assert len(await stones.list(tx, OWNER.tenant, OWNER.user, limit=1)) == 1
        assert await stones.count(tx, OWNER.tenant, "bob") == 0


async def test_the_words_of_a_chat_do_the_same(desk: Desk) -> None:
    async def said(line: str) -> str:
        return "\n".join(await spoken(desk.commands(), line, "s1", ACTOR))

    assert await said("/memory") == "Nothing is remembered yet."
    await desk.say(LINTER)
    item = await only_item(desk)
    assert f"- {item.id} rule/project: {LINTER} (this session, " in await said("/memory")
    assert "(session s1, " in "\n".join(await spoken(desk.commands(), "/memory", "s2", ACTOR))
    assert await said(f"/memory pin {item.id}") == f"Pinned {item.id}."
    assert "Active:" in await said("/memory")
    assert await said(f"/memory unpin {item.id}") == f"Unpinned {item.id}."
    assert await said("/memory pin nobody") == await said("/memory forget nobody") == "not found"
    assert await said("/memory off") == "Memory is off in this session."
    assert (await said("/memory")).startswith("Memory is off in this session.\n")
    assert await said("/memory on") == "Memory is on in this session."
    assert "1 kept" in await said("/memory status")
    assert await said("/memory why") == "Nothing was recalled in this session yet."
    assert "If you are sure: /memory forget user yes" in await said("/memory forget user")
    assert await desk.texts() == [LINTER]
    assert await said("/memory forget user yes") == f"Forgot 1 item: {item.id}"
    assert await said("/memory help") == "\n".join(USAGE)
    assert await said("/memory OFF") == "Memory is off in this session."
    for line in ("/memory frob", "/memory pin", "/memory forget"):
        assert (await said(line)).startswith(NOT_UNDERSTOOD)


@given(line=st.text(max_size=60))
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
async def test_whatever_is_typed_is_answered_or_refused(desk: Desk, line: str) -> None:
    with suppress(InvalidInput):
        assert await spoken(desk.commands(), f"/memory {line}", "s1", ACTOR)
