"""Streams over a network: any cut of the bytes gives the same answer, and every end closes the connection."""

from __future__ import annotations

import asyncio
import gc
from contextlib import aclosing
from typing import Any, cast

import pytest

from beaver.agent.messages import Completion, TextDelta, Usage
from beaver.errors import DeadlineExceeded, PeerFault
from tests.contract.providers.asking import CALLS, DELTAS, TEXT, asking, completion_of, every_wire, fault_of, pieces_of
from tests.support.model_wires import Body, Server, Wire


@every_wire
@pytest.mark.parametrize("size", [1, 2, 3, 7, 64])
async def test_bytes_may_be_cut_anywhere(wire: Wire, size: int) -> None:
    provider = wire.provider(Server(Body(wire.answer(DELTAS, CALLS, "tool_calls"), size=size)))
    assert await completion_of(provider) == Completion(TEXT, CALLS, Usage(11, 7), "tool_calls")


@every_wire
async def test_carriage_returns_may_end_the_lines(wire: Wire) -> None:
    provider = wire.provider(Server(Body(wire.answer(DELTAS).replace(b"\n", b"\r\n"))))
    assert (await completion_of(provider)).text == TEXT


@every_wire
async def test_each_delta_is_given_on_as_it_comes(wire: Wire) -> None:
    pieces = await pieces_of(wire.provider(Server(Body(wire.answer(DELTAS)))))
    assert pieces[:-1] == [TextDelta(delta) for delta in DELTAS]


@every_wire
async def test_an_emoji_whose_escapes_are_cut_in_two_deltas_arrives_whole(wire: Wire) -> None:
    data = wire.answer(["a", "FIRST", "SECOND", "THIRD"])
    data = data.replace(b"FIRST", rb"\ud83e").replace(b"SECOND", rb"\uddab").replace(b"THIRD", rb"b\ud83e")
    pieces = await pieces_of(wire.provider(Server(Body(data))))
    assert pieces[:-1] == [TextDelta(text) for text in ("a", "🦫", "b", "\ufffd")]


@every_wire
async def test_an_answer_cut_by_the_token_limit_says_so(wire: Wire) -> None:
    assert (await completion_of(wire.provider(Server(Body(wire.answer(DELTAS, finish="length")))))).finish == "length"


@every_wire
async def test_a_filtered_answer_says_so(wire: Wire) -> None:
    provider = wire.provider(Server(Body(wire.answer([], finish="content_filter"))))
    assert await completion_of(provider) == Completion("", (), Usage(11, 7), "content_filter")


@every_wire
async def test_tool_calls_beside_the_reason_stop_are_still_tool_calls(wire: Wire) -> None:
    completion = await completion_of(wire.provider(Server(Body(wire.answer([], CALLS, "stop")))))
    assert completion.finish == "tool_calls"
    assert completion.tool_calls == CALLS


@every_wire
async def test_an_endless_answer_is_cut(wire: Wire, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("beaver.agent.providers.draft.ANSWER_CHARACTERS_MAX", 8)
    assert type(await fault_of(wire.provider(Server(Body(wire.answer(DELTAS)))))) is PeerFault


@every_wire
async def test_a_stream_that_stalls_ends_at_the_idle_timeout_and_is_closed(wire: Wire) -> None:
    whole = wire.answer(DELTAS)
    body = Body(whole[: whole.index("小黑".encode()) - 80], hangs=True)
    assert type(await fault_of(wire.provider(Server(body), timeout_s=0.1))) is DeadlineExceeded
    assert body.closed.is_set()


@every_wire
async def test_a_cancelled_answer_closes_its_connection(wire: Wire) -> None:
    body = Body(wire.answer(DELTAS)[:-60], hangs=True)
    began = asyncio.Event()

    async def read() -> None:
        async for _ in wire.provider(Server(body)).stream(asking()):
            began.set()

    task = asyncio.create_task(read())
    await began.wait()
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert body.closed.is_set()


@every_wire
async def test_an_answer_left_early_closes_its_connection(wire: Wire) -> None:
    body = Body(wire.answer(DELTAS), hangs=True)
    async with aclosing(cast(Any, wire.provider(Server(body)).stream(asking()))) as pieces:
        await anext(pieces)
    assert body.closed.is_set()


@every_wire
async def test_the_streams_leave_no_generator_to_the_garbage_collector(wire: Wire) -> None:
    gc.collect()  # what earlier tests left
    complaints: list[dict[str, Any]] = []
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(lambda _, context: complaints.append(context))
    try:
        await pieces_of(wire.provider(Server(Body(wire.answer(DELTAS)))))
        await fault_of(wire.provider(Server(Body(b"", hangs=True)), timeout_s=0.05))
        gc.collect()
        await asyncio.sleep(0)
    finally:
        loop.set_exception_handler(None)
    assert complaints == []
