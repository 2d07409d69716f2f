"""Adds that come together: they share their way to the database, and each has its own answer; on both databases."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from sqlalchemy import event
from sqlalchemy.engine import Engine

from beaver.errors import Conflict
from beaver.memory.idempotency.identity import RequestIdentity
from beaver.memory.namespace import Namespace
from beaver.memory.records import AddedTurn, NewMessage, TurnOrigin
from beaver.memory.runtime import MemoryRuntime
from tests.support.memory_engine import engine_with
from tests.support.memory_gateway import MORNING_MS

USERS = [Namespace("default", "default", f"user{number}") for number in range(6)]


@pytest.fixture
async def runtime(memory_url: str) -> AsyncIterator[MemoryRuntime]:
    async with engine_with(memory_url, *(user.user_id for user in USERS)) as opened:
        yield opened


@contextmanager
def statements() -> Iterator[list[str]]:
    """What is sent to any database meanwhile."""
    sent: list[str] = []

    def note(_connection: Any, _cursor: Any, statement: str, *_more: Any) -> None:
        sent.append(statement)

    event.listen(Engine, "before_cursor_execute", note)
    try:
        yield sent
    finally:
        event.remove(Engine, "before_cursor_execute", note)


def request(user: Namespace, key: str, body: str = "a") -> RequestIdentity:
    return RequestIdentity(f"user:{user.user_id}", key, f"hash of {body}")


async def add(
    runtime: MemoryRuntime, number: int, user: Namespace, identity: RequestIdentity | None = None, **origin: str
) -> AddedTurn:
    said = [NewMessage("user", user.user_id, MORNING_MS, f"note {number}")]
    return await runtime.add(user, f"chat:{number % 3}", said, identity=identity, origin=TurnOrigin(**origin))  # type: ignore[arg-type]


async def test_many_adds_of_many_users_take_no_more_statements_than_two_of_two(runtime: MemoryRuntime) -> None:
    async def added(count: int, key: str) -> int:
        with statements() as sent:
            await asyncio.gather(
                *(add(runtime, n, USERS[n % 6], request(USERS[n % 6], f"{key}-{n}")) for n in range(count))
            )
        return len(sent)

    await added(36, "first")  # makes namespaces and conversations
    two = await added(2, "second")
    assert await added(36, "third") <= two
    assert await added(36, "third") <= two  # the same again


async def test_a_request_that_comes_twice_at_once_is_stored_once_and_another_under_its_key_is_refused(
    runtime: MemoryRuntime,
) -> None:
    first, again, other, elsewhere = await asyncio.gather(
        add(runtime, 1, USERS[0], request(USERS[0], "k")),
        add(runtime, 1, USERS[0], request(USERS[0], "k")),
        add(runtime, 2, USERS[0], request(USERS[0], "k", "b")),
        add(runtime, 3, USERS[1], request(USERS[1], "k", "c")),
        return_exceptions=True,
    )
    assert isinstance(first, AddedTurn)
    assert again == AddedTurn(first.message_ids, duplicated=True)
    assert isinstance(other, Conflict)
    assert isinstance(elsewhere, AddedTurn)
    assert len((await runtime.list_memories(USERS[0])).memories) == 1


async def test_a_receipt_never_names_messages_that_were_not_stored(runtime: MemoryRuntime) -> None:
    stored = await add(runtime, 1, USERS[0], turn_key="t")
    known = await add(runtime, 1, USERS[0], request(USERS[0], "k"), turn_key="t")
    repeated = await add(runtime, 1, USERS[0], request(USERS[0], "k"), turn_key="t")
    assert known.message_ids == repeated.message_ids == stored.message_ids
