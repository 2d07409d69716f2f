"""Connections are bounded, reused after a clean call, and closed after any other end."""

from __future__ import annotations

import asyncio
import ssl

import httpx
import pytest

from beaver.client.connections import Connections


def connections(*, calls_max: int = 10, idle_max: int = 2) -> Connections:
    return Connections(ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT), calls_max=calls_max, idle_max=idle_max, idle_s=5)


class Stop(Exception):
    """Ends a call from inside."""


async def test_a_clean_call_leaves_its_transport_to_the_next() -> None:
    opened = connections()

    async with opened.borrow() as first:
        pass
    async with opened.borrow() as second:
        pass

    assert first is second


async def test_a_broken_call_leaves_nothing_behind() -> None:
    opened = connections()

    with pytest.raises(Stop):
        async with opened.borrow() as first:
            raise Stop
    async with opened.borrow() as second:
        pass

    assert first is not second


async def test_two_calls_at_once_never_share_a_transport() -> None:
    opened = connections()

    async with opened.borrow() as first, opened.borrow() as second:
        assert first is not second


async def test_a_call_over_the_bound_waits_until_one_ends() -> None:
    opened = connections(calls_max=1)
    entered = asyncio.Event()

    async def second() -> None:
        async with opened.borrow():
            entered.set()

    async with opened.borrow():
        waiting = asyncio.create_task(second())
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.05):
                await entered.wait()
    await waiting

    assert entered.is_set()


async def test_a_wait_that_is_given_up_takes_no_place() -> None:
    opened = connections(calls_max=1)

    async with opened.borrow():
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.05), opened.borrow():
                pass
    async with asyncio.timeout(5), opened.borrow() as transport:
        assert isinstance(transport, httpx.AsyncHTTPTransport)


async def test_no_more_idle_transports_are_kept_than_allowed() -> None:
    opened = connections(idle_max=1)

    async with opened.borrow() as first, opened.borrow() as second:
        pass
    async with opened.borrow() as third, opened.borrow() as fourth:
        kept = {id(first), id(second)} & {id(third), id(fourth)}

    assert len(kept) == 1


async def test_what_is_in_use_at_the_close_is_not_kept() -> None:
    opened = connections()

    async with opened.borrow() as first:
        await opened.aclose()
    async with opened.borrow() as second:
        pass

    assert first is not second
