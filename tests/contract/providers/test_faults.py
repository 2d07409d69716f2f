"""Refusals, broken connections and answers that cannot be read become errors of ours, without key or prompt."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable

import httpx2
import pytest

from beaver.agent.messages import TextDelta
from beaver.errors import (
    BeaverError,
    DeadlineExceeded,
    InvalidInput,
    LimitExceeded,
    PeerFault,
    Unauthenticated,
    Unavailable,
)
from tests.contract.providers.asking import DELTAS, asking, every_wire, fault_of
from tests.support.model_wires import KEY, PROMPT, Body, Server, Wire


@every_wire
@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, InvalidInput),
        (401, Unauthenticated),
        (402, LimitExceeded),
        (403, Unauthenticated),
        (404, PeerFault),
        (408, Unavailable),
        (413, InvalidInput),
        (418, PeerFault),
        (422, InvalidInput),
        (429, LimitExceeded),
        (500, Unavailable),
        (503, Unavailable),
        (529, Unavailable),
        (302, PeerFault),
    ],
)
async def test_a_refusal_becomes_an_error_of_ours_after_one_request(
    wire: Wire, status: int, kind: type[BeaverError]
) -> None:
    body = Body(json.dumps({"error": {"message": f"{KEY} {PROMPT}", "type": "x", "code": None}}).encode())
    server = Server(body, status=status)
    fault = await fault_of(wire.provider(server))
    assert type(fault) is kind
    assert str(status) in str(fault)
    assert len(server.requests) == 1
    assert body.closed.is_set()


@every_wire
@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (httpx2.ConnectError(KEY), Unavailable),
        (httpx2.ConnectTimeout(KEY), DeadlineExceeded),
        (httpx2.RemoteProtocolError(KEY), Unavailable),
    ],
)
async def test_a_connection_that_fails_is_unavailable(wire: Wire, error: Exception, kind: type[BeaverError]) -> None:
    fault = await fault_of(wire.provider(Server(Body(b""), fault=error)))
    assert type(fault) is kind
    assert fault.retryable


@every_wire
@pytest.mark.parametrize("ending", [None, httpx2.ReadError(KEY), httpx2.RemoteProtocolError(KEY)])
async def test_a_stream_cut_midway_gives_its_deltas_and_then_unavailable(wire: Wire, ending: Exception | None) -> None:
    whole = wire.answer(DELTAS)
    body = Body(whole[: whole.index("👩‍🚀".encode()) - 40], ending=ending)
    stream = wire.provider(Server(body)).stream(asking())
    seen = [await anext(stream)]
    with pytest.raises(Unavailable):
        seen += [piece async for piece in stream]
    assert all(isinstance(piece, TextDelta) for piece in seen)
    assert body.closed.is_set()


@every_wire
@pytest.mark.parametrize(
    "garbage",
    [
        b"event: message_start\ndata: {not json\n\n",
        b"event: message_start\ndata: \xff\xfe\n\n",
        b'event: message_start\ndata: "a string"\n\n',
        b'event: message_start\ndata: {"choices": 5, "type": 5}\n\n',
        b'event: x\ndata: {"type": "x", "delta": {"type": "text_delta", "text": 5}, "choices": [{"delta": {"content": 5}}]}\n\n',
    ],
)
async def test_an_answer_that_cannot_be_read_is_the_peers_fault(wire: Wire, garbage: bytes) -> None:
    body = Body(garbage)
    assert type(await fault_of(wire.provider(Server(body)))) is PeerFault
    assert body.closed.is_set()


@every_wire
async def test_a_page_in_place_of_a_stream_is_not_taken_for_an_answer(wire: Wire) -> None:
    fault = await fault_of(wire.provider(Server(Body(b"<html><body>Welcome to the proxy</body></html>"))))
    assert isinstance(fault, Unavailable | PeerFault)


@every_wire
@pytest.mark.parametrize(("said", "kind"), [("overloaded", Unavailable), ("rate", LimitExceeded), ("other", PeerFault)])
async def test_an_error_inside_the_stream_is_told_apart(wire: Wire, said: str, kind: type[BeaverError]) -> None:
    assert type(await fault_of(wire.provider(Server(Body(wire.error_event(said)))))) is kind


FAULTS: dict[str, Callable[[Wire], Server]] = {
    "401": lambda _: Server(
        Body(json.dumps({"error": {"message": f"bad key {KEY} in {PROMPT}"}}).encode()), status=401
    ),
    "400": lambda _: Server(Body(f"{KEY} {PROMPT}".encode()), status=400),
    "500": lambda _: Server(Body(f"{KEY} {PROMPT}".encode()), status=500),
    "connect": lambda _: Server(Body(b""), fault=httpx2.ConnectError(f"{KEY} {PROMPT}")),
    "cut": lambda wire: Server(Body(wire.answer([PROMPT])[:-200], ending=httpx2.ReadError(f"{KEY} {PROMPT}"))),
    "garbage": lambda _: Server(Body(f"event: message_start\ndata: {{{KEY} {PROMPT}\n\n".encode())),
    "stall": lambda _: Server(Body(b"", hangs=True)),
    "said": lambda wire: Server(Body(wire.error_event("other"))),
}


@every_wire
@pytest.mark.parametrize("fault", FAULTS)
async def test_neither_key_nor_prompt_hangs_on_an_error_or_stands_in_a_log(
    wire: Wire, fault: str, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_LOG", "debug")
    monkeypatch.setenv("ANTHROPIC_LOG", "debug")
    caplog.set_level(logging.DEBUG)
    error = await fault_of(wire.provider(FAULTS[fault](wire), timeout_s=0.1))
    assert error.__cause__ is None
    assert error.__context__ is None
    told = " ".join([str(error), repr(error), str(vars(error)), caplog.text, str([vars(r) for r in caplog.records])])
    assert KEY not in told
    assert PROMPT not in told
