"""Calls that hang hold up nothing but those who wait for them, and not the end of the process."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from beaver.apart import apart, look_names_up_apart
from tests.support.names import SilentNames, silent_names

MORE_THAN_ASYNCIO_HAS_THREADS = 40


@pytest.fixture
def names(monkeypatch: pytest.MonkeyPatch) -> Iterator[SilentNames]:
    with silent_names(monkeypatch) as names:
        yield names


def in_a_thread(work: Any) -> threading.Thread:
    thread = threading.Thread(target=asyncio.run, args=(work(),), daemon=True)
    thread.start()
    return thread


async def test_a_call_gives_what_it_returns_and_raises() -> None:
    assert await apart(lambda: 7) == 7
    with pytest.raises(ZeroDivisionError):
        await apart(lambda: 1 // 0)


async def test_names_that_nobody_resolves_keep_no_other_name_and_no_file_waiting(names: SilentNames) -> None:
    look_names_up_apart()
    loop = asyncio.get_running_loop()
    hanging = [asyncio.create_task(loop.getaddrinfo(names.host(n), 80)) for n in range(MORE_THAN_ASYNCIO_HAS_THREADS)]
    await names.are_asked_for(MORE_THAN_ASYNCIO_HAS_THREADS)
    assert await asyncio.wait_for(loop.getaddrinfo("localhost", 80, type=socket.SOCK_STREAM), 30)
    assert await asyncio.wait_for(asyncio.to_thread(lambda: "read"), 30) == "read"
    names.refuse()
    for each in hanging:
        with pytest.raises(socket.gaierror):
            await each


async def test_who_asks_for_a_name_that_is_being_looked_up_waits_for_the_same_lookup(names: SilentNames) -> None:
    look_names_up_apart()
    loop = asyncio.get_running_loop()
    given_up = asyncio.create_task(loop.getaddrinfo(names.host(), 80))
    await names.are_asked_for(1)
    other = asyncio.create_task(loop.getaddrinfo(names.host(), 80))
    await asyncio.sleep(0)
    given_up.cancel()
    with pytest.raises(asyncio.CancelledError):
        await given_up
    names.refuse()
    with pytest.raises(socket.gaierror):
        await other
    assert names.asked == 1
    with pytest.raises(socket.gaierror):
        await loop.getaddrinfo(names.host(), 80)
    assert names.asked == 2


def test_a_lookup_that_hangs_does_not_keep_the_loop_from_its_end(names: SilentNames) -> None:
    async def give_up() -> None:
        look_names_up_apart()
        look_names_up_apart()
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.01):
                await asyncio.get_running_loop().getaddrinfo(names.host(), 80)

    thread = in_a_thread(give_up)
    thread.join(30)
    assert not thread.is_alive()
