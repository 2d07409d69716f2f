"""Writes are not cut in half, bodies are cut off on time, and streams are closed."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from beaver.agent.interruption import closing, cut_off_when, whole
from beaver.errors import Conflict


async def test_a_cancelled_write_runs_to_its_end_and_the_cancellation_goes_on() -> None:
    begun, ended = asyncio.Event(), asyncio.Event()

    async def write() -> None:
        begun.set()
        await asyncio.sleep(0.05)
        ended.set()

    task = asyncio.create_task(whole(write()))
    await begun.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert ended.is_set()


async def test_a_writes_own_fault_is_raised() -> None:
    async def write() -> None:
        raise Conflict("no")

    with pytest.raises(Conflict):
        await whole(write())


async def waits_under(event: asyncio.Event, cut: asyncio.Event) -> None:
    async with cut_off_when(event, Conflict("lost")):
        try:
            await asyncio.Event().wait()
        finally:
            cut.set()


async def test_the_body_is_cut_off_when_the_event_comes_and_the_error_stands_in_its_place() -> None:
    event, cut = asyncio.Event(), asyncio.Event()
    asyncio.get_running_loop().call_soon(event.set)
    with pytest.raises(Conflict, match="lost"):
        await waits_under(event, cut)
    assert cut.is_set()
    await asyncio.sleep(0)  # the caller itself is not cancelled


async def test_a_body_that_ends_in_time_is_left_alone_even_if_the_event_comes_at_its_end() -> None:
    event = asyncio.Event()
    async with cut_off_when(event, Conflict("lost")):
        event.set()
    await asyncio.sleep(0.01)


async def test_a_bodys_own_timeout_and_the_callers_cancellation_pass_through() -> None:
    async def ends_late() -> None:
        async with cut_off_when(asyncio.Event(), Conflict("lost")):
            raise TimeoutError

    with pytest.raises(TimeoutError):
        await ends_late()
    task = asyncio.create_task(waits_under(asyncio.Event(), asyncio.Event()))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_a_stream_that_is_left_early_is_closed_at_once() -> None:
    closed: list[bool] = []

    async def pieces() -> AsyncIterator[int]:
        try:
            yield 1
            yield 2
        finally:
            closed.append(True)

    async with closing(pieces()) as stream:
        assert await anext(stream) == 1
    assert closed == [True]
