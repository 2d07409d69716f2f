"""A session that is deleted: gone from the files' bytes while others work on them, and with what was remembered for it alone."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import text

from beaver.agent.policy.candidates import Candidate
from beaver.agent.policy.stores import ItemScope, NewItem
from beaver.db.tables import WORDY_TABLES
from beaver.errors import NotFound, Unavailable
from beaver.sessions.records import MESSAGE, NewEvent
from beaver.sessions.store import SessionStore
from tests.contract.local_memory.desk import OWNER, Desk

WORD = "xylophagous"


async def keep(desk: Desk, text: str, scope: ItemScope, session: str = "s1") -> None:
    await desk.store.write(replace(OWNER, session=session), NewItem("todo", text, scope, 0.9, "rules"))


async def append(desk: Desk, content: str, session: str = "s1") -> None:
    async with desk.database.write() as tx:
        message = NewEvent(MESSAGE, content, role="user")
        await SessionStore(desk.database.dialect).append(tx, session, None, message)


def bytes_below(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


async def test_what_was_remembered_for_a_session_alone_goes_with_it_and_may_be_learned_again(wide_desk: Desk) -> None:
    desk = wide_desk
    await keep(desk, "buy nails for the lodge", "session")
    await keep(desk, "the lodge is by the river", "project")
    await keep(desk, "call the carpenter tomorrow", "session", "s2")

    await desk.commands().delete_session("s1")

    assert await desk.texts() == ["call the carpenter tomorrow", "the lodge is by the river"]
    await keep(desk, "buy nails for the lodge", "session", "s2")
    assert "buy nails for the lodge" in await desk.texts()
    with pytest.raises(NotFound):
        await desk.commands().delete_session("s1")


async def test_a_turn_whose_session_is_deleted_before_its_items_are_kept_leaves_none_for_the_session(
    wide_desk: Desk,
) -> None:
    desk = wide_desk
    here = Candidate("rule", "In this chat always answer with a short list", 0.9, "rules")
    for_good = Candidate("rule", "Always run the linter before you commit", 0.9, "rules")
    await desk.keep(here)
    assert len(await desk.texts()) == 1
    await desk.commands().delete_session("s1")

    gated = await desk.keep(here, for_good)

    assert gated.accepted == 2
    assert await desk.texts() == [for_good.text]


async def test_a_session_that_was_only_switched_off_can_be_deleted(wide_desk: Desk) -> None:
    commands = wide_desk.commands()
    await commands.switch("never-spoken", "test:ada", off=True)

    await commands.delete_session("never-spoken")

    assert not await commands.is_off("never-spoken")
    with pytest.raises(NotFound):
        await commands.delete_session("never-spoken")


async def test_on_a_server_the_tables_that_held_its_words_are_vacuumed_before_it_is_said_to_be_gone(
    wide_desk: Desk,
) -> None:
    desk = wide_desk
    if desk.database.dialect.name == "sqlite":
        pytest.skip("a file's log is emptied instead")
    await append(desk, f"The {WORD} beetle")
    await desk.commands().delete_session("s1")

    async with desk.database.read() as tx:
        vacuumed = text("SELECT relname FROM pg_stat_user_tables WHERE last_vacuum IS NOT NULL")
        assert set(WORDY_TABLES) <= set(await tx.scalars(vacuumed))


async def test_no_byte_holds_a_deleted_session_though_the_databases_stay_open(desk: Desk, tmp_path: Path) -> None:
    await append(desk, f"a {WORD} secret")
    await append(desk, "ordinary words", "s2")
    await keep(desk, f"buy a {WORD} beetle", "session")
    assert WORD.encode() in bytes_below(tmp_path)

    await desk.commands().delete_session("s1")

    assert WORD.encode() not in bytes_below(tmp_path)
    assert b"ordinary" in bytes_below(tmp_path)


async def test_it_is_said_when_a_reader_keeps_the_log_from_being_emptied(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def in_use() -> bool:
        return False

    monkeypatch.setattr(desk.database, "empty_log", in_use)
    with pytest.raises(Unavailable, match="deleted, but somebody reads"):
        await desk.commands().delete_session("s1")
