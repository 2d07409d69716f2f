"""Edited and regenerated histories fork a session and never change it; each branch goes on from its own end."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from beaver.agent.messages import Completion, ProviderRequest, TextDelta, Usage
from beaver.agent.providers.scripted import Pause
from beaver.db.engine import Database
from beaver.errors import NotFound
from beaver.sessions.forks import ForkStore
from beaver.sessions.records import MESSAGE, NewEvent
from beaver.sessions.store import SessionStore
from tests.support.chat_server import RunningChatServer, Streamed, running_chat_server
from tests.support.waiting import wait_until

Said = list[tuple[str, str]]


def echo(request: ProviderRequest) -> Completion:
    """Each question has an answer of its own."""
    return Completion(f"answer {len(request.messages)} to {request.messages[-1].text}", (), Usage(1, 1), "stop")


@pytest.fixture
async def server(tmp_path: Path) -> AsyncIterator[RunningChatServer]:
    async with running_chat_server(tmp_path, [echo]) as running:
        yield running


@dataclass
class FrontEnd:
    """A chat as a front end keeps it: its own history, sent whole each time, under one chat id for good."""

    server: RunningChatServer
    header: str = "X-OpenWebUI-Chat-Id"
    history: Said = field(default_factory=list)
    session: str = ""

    async def say(self, text: str) -> str:
        """Send a message; keeps the answer, gives the session it went to."""
        self.history.append(("user", text))
        messages = [{"role": role, "content": content} for role, content in self.history]
        body = {"messages": messages, "stream": True}
        response = await self.server.client.post("/v1/chat/completions", json=body, headers={self.header: "chat"})
        self.history.append(("assistant", Streamed(response, response.text).content))
        self.session = response.headers["X-Beaver-Session"]
        return self.session

    async def edit(self, turn: int, text: str) -> str:
        """Change a question: what came after it is gone."""
        del self.history[turn * 2 :]
        return await self.say(text)


async def stored(server: RunningChatServer, session: str) -> Said:
    found = (await server.client.get(f"/v1/sessions/{session}/messages")).json()["data"]
    return [(message["role"], message["content"]) for message in found]


@pytest.mark.parametrize("header", ["X-OpenWebUI-Chat-Id", "X-Beaver-Session"])
class TestFrontEnds:
    async def test_an_unchanged_history_goes_on_in_its_session(self, server: RunningChatServer, header: str) -> None:
        chat = FrontEnd(server, header)
        sessions = {await chat.say(text) for text in ("one", "two", "three")}

        assert sessions == {"chat"}
        assert await stored(server, "chat") == chat.history

    async def test_an_edited_question_forks_and_the_session_stays_as_it_was(
        self, server: RunningChatServer, header: str
    ) -> None:
        chat = FrontEnd(server, header)
        for text in ("one", "two", "three"):
            await chat.say(text)
        before = list(chat.history)

        fork = await chat.edit(1, "two, edited")

        assert fork != "chat"
        assert await stored(server, "chat") == before
        assert await stored(server, fork) == chat.history
        assert chat.history[:2] == before[:2]

    async def test_a_fork_goes_on_under_the_same_chat_id_and_so_does_the_old_branch(
        self, server: RunningChatServer, header: str
    ) -> None:
        chat = FrontEnd(server, header)
        for text in ("one", "two"):
            await chat.say(text)
        old = list(chat.history)
        fork = await chat.edit(1, "two, edited")

        assert await chat.say("three") == fork
        assert await stored(server, fork) == chat.history
        chat.history = old
        assert await chat.say("three, on the old branch") == "chat"
        assert await stored(server, "chat") == chat.history

    async def test_a_regenerated_answer_forks(self, server: RunningChatServer, header: str) -> None:
        chat = FrontEnd(server, header)
        for text in ("one", "two"):
            await chat.say(text)

        fork = await chat.edit(1, "two")

        assert fork != "chat"
        assert await stored(server, fork) == chat.history

    async def test_a_forged_history_is_not_taken_over(self, server: RunningChatServer, header: str) -> None:
        chat = FrontEnd(server, header)
        await chat.say("one")
        chat.history = [("user", "forged"), ("assistant", "forged too")]

        fork = await chat.say("two")

        assert (await stored(server, fork))[0] == ("user", "two")
        assert len(await stored(server, "chat")) == 2

    async def test_a_client_that_leaves_old_turns_out_goes_on(self, server: RunningChatServer, header: str) -> None:
        chat = FrontEnd(server, header)
        for text in ("one", "two", "three"):
            await chat.say(text)
        del chat.history[:4]

        assert await chat.say("four") == "chat"
        assert len(await stored(server, "chat")) == 8


async def test_a_first_question_asked_again_forks_a_front_ends_chat(server: RunningChatServer) -> None:
    chat = FrontEnd(server)
    await chat.say("one")

    fork = await chat.edit(0, "one, edited")

    assert fork != "chat"
    assert await stored(server, fork) == chat.history


async def test_a_client_that_sends_its_new_message_alone_goes_on(server: RunningChatServer) -> None:
    for text in ("one", "two"):
        response = await server.say(text, "s-1")
        assert response.headers["X-Beaver-Session"] == "s-1"

    assert len(await stored(server, "s-1")) == 4


async def test_a_message_behind_a_run_that_its_client_does_not_know_of_forks(tmp_path: Path) -> None:
    slow = (TextDelta("Slowly "), Pause(0.5), TextDelta("done."))
    async with running_chat_server(tmp_path, [echo, slow, echo]) as server:
        chat = FrontEnd(server)
        await chat.say("one")
        known = list(chat.history)
        running = asyncio.create_task(chat.say("two"))

        async def asked() -> bool:
            return ("user", "two") in await stored(server, "chat")

        await wait_until(asked, what="the stored question")
        other = FrontEnd(server, history=known)

        fork = await other.say("another two")
        await running

        assert fork != "chat"
        assert await stored(server, "chat") == chat.history
        assert await stored(server, fork) == other.history


class TestPreviousResponses:
    async def test_to_go_on_from_an_older_response_forks_after_it(self, server: RunningChatServer) -> None:
        first = (await respond(server, "one")).json()
        await respond(server, "two", first["id"])

        branch = await respond(server, "two, again", first["id"])

        session = branch.headers["X-Beaver-Session"]
        assert session != first["conversation"]["id"]
        assert [text for role, text in await stored(server, session) if role == "user"] == ["one", "two, again"]
        assert len(await stored(server, first["conversation"]["id"])) == 4

    async def test_a_branch_goes_on_from_its_own_response(self, server: RunningChatServer) -> None:
        first = (await respond(server, "one")).json()
        await respond(server, "two", first["id"])
        branch = (await respond(server, "two, again", first["id"])).json()

        third = (await respond(server, "three", branch["id"])).json()

        assert third["conversation"] == branch["conversation"]


async def respond(server: RunningChatServer, text: str, previous: str | None = None) -> Any:
    return await server.client.post("/v1/responses", json={"input": text, "previous_response_id": previous})


class TestStore:
    async def test_a_fork_copies_the_visible_messages_up_to_its_point_and_knows_its_parent(
        self, database: Database
    ) -> None:
        sessions, forks = SessionStore(database.dialect), ForkStore(database.dialect)
        async with database.write() as tx:
            await sessions.ensure_session(tx, "s-1", title="Dams")
            ids = [await sessions.append(tx, "s-1", "r-1", message(text), at_ms=7) for text in ("a", "b", "c")]
            await sessions.append(tx, "s-1", "r-1", NewEvent("audit", context_visible=False))
            await forks.fork(tx, "s-1", "s-2", after_event=ids[1])

        async with database.read() as tx:
            copies = await sessions.events(tx, "s-2")
            record = await sessions.find_session(tx, "s-2")
        assert [(event.content, event.run_id, event.created_ms) for event in copies] == [("a", None, 7), ("b", None, 7)]
        assert record is not None
        assert (record.title, record.parent_id, record.forked_after_event) == ("Dams", "s-1", ids[1])

    async def test_a_family_is_a_session_with_its_forks_and_theirs_and_nobody_else(self, database: Database) -> None:
        sessions, forks = SessionStore(database.dialect), ForkStore(database.dialect)
        async with database.write() as tx:
            for root in ("s-1", "stranger"):
                await sessions.ensure_session(tx, root)
            for parent, child in (("s-1", "s-2"), ("s-2", "s-3"), ("s-1", "s-4"), ("stranger", "s-5")):
                await forks.fork(tx, parent, child, after_event=0)

        async with database.read() as tx:
            assert set(await forks.family(tx, "s-1")) == {"s-1", "s-2", "s-3", "s-4"}
            assert set(await forks.family(tx, "s-2")) == {"s-2", "s-3"}
            assert await forks.family(tx, "nobody") == []

    async def test_an_unknown_parent_is_not_found(self, database: Database) -> None:
        with pytest.raises(NotFound):
            async with database.write() as tx:
                await ForkStore(database.dialect).fork(tx, "nobody", "s-2", after_event=0)

    async def test_a_session_is_seeded_once(self, database: Database) -> None:
        sessions, forks = SessionStore(database.dialect), ForkStore(database.dialect)
        async with database.write() as tx:
            assert await forks.seed(tx, "s-1", [message("a")])
        async with database.write() as tx:
            assert not await forks.seed(tx, "s-1", [message("b")])
            assert [event.content for event in await sessions.history(tx, "s-1")] == ["a"]


def message(text: str) -> NewEvent:
    return NewEvent(MESSAGE, text, "user")
