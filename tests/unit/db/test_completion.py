"""Work that runs to its end though its caller is cancelled."""

from __future__ import annotations

import asyncio

import pytest

from beaver.db.completion import to_its_end


async def test_a_cancelled_caller_waits_for_the_end_however_often_it_is_cancelled() -> None:
    may_end, ended = asyncio.Event(), asyncio.Event()

    async def work() -> None:
        await may_end.wait()
        ended.set()

    caller = asyncio.create_task(to_its_end(work()))
    for _ in range(3):
        await asyncio.sleep(0)
        caller.cancel()
    await asyncio.sleep(0)
    assert not caller.done()

    may_end.set()
    with pytest.raises(asyncio.CancelledError):
        await caller
    assert ended.is_set()


async def test_the_failure_of_the_work_is_raised() -> None:
    async def work() -> None:
        raise ValueError("mine")

    with pytest.raises(ValueError, match="mine"):
        await to_its_end(work())
