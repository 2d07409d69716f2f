"""A provider's fault, a bug and a bad request: what is stored, and what the user is told."""

from __future__ import annotations

from typing import Any

import pytest

from beaver.agent.messages import ProviderRequest, TextDelta
from beaver.agent.results import RunRequest
from beaver.db.engine import Database
from beaver.errors import (
    BeaverError,
    DeadlineExceeded,
    InvalidInput,
    LimitExceeded,
    PeerFault,
    Unauthenticated,
    Unavailable,
)
from beaver.sessions.listing import list_sessions
from tests.support.engine import SESSION, Listener, engine, says

FAULTS = [
    Unavailable("scripted cannot be reached"),
    DeadlineExceeded("scripted did not answer"),
    LimitExceeded("scripted limits how much may be asked"),
    Unauthenticated("scripted does not know the key"),
    InvalidInput("prompt", "was refused"),
    PeerFault("scripted answered what cannot be read"),
]


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.code)
async def test_a_providers_fault_fails_the_run_keeps_the_prompt_and_tells_the_user(
    sqlite_database: Database, fault: BeaverError
) -> None:
    built = engine(sqlite_database, [[TextDelta("I was ab"), fault], says("here I am")])
    listener = Listener()
    result = await built.loop.run(RunRequest("hello", SESSION), listener)
    assert (result.stop_reason, result.error) == ("error", fault.code)
    assert str(fault) in result.text
    assert "Answered" not in listener.kinds()
    assert await built.spoken() == [("user", "hello")]
    (run,) = await built.runs()
    assert (run.status, run.error_code, run.stop_reason) == ("failed", fault.code, "error")
    assert (await built.ask("and now?")).text == "here I am"


async def test_a_provider_that_ends_without_completing_is_at_fault(sqlite_database: Database) -> None:
    class Ends:
        name, model = "ends", "early"

        async def stream(self, request: ProviderRequest) -> Any:
            yield TextDelta("I was ab")

        async def aclose(self) -> None:
            return

    built = engine(sqlite_database, [says("never")])
    built.loop._provider = Ends()
    assert (await built.ask("hello")).error == "peer_fault"


async def test_a_bug_goes_up_and_leaves_no_run_running(sqlite_database: Database) -> None:
    built = engine(sqlite_database, [RuntimeError("a bug")])
    with pytest.raises(RuntimeError, match="a bug"):
        await built.ask("hello")
    (run,) = await built.runs()
    assert (run.status, run.error_code) == ("failed", "internal")


@pytest.mark.parametrize(
    "request_", [RunRequest(" \n"), RunRequest("hi", "../etc"), RunRequest("hi", SESSION, skills=("absent",))]
)
async def test_a_request_that_breaks_a_rule_is_refused_before_anything_is_stored(
    sqlite_database: Database, request_: RunRequest
) -> None:
    built = engine(sqlite_database, [says("never")])
    with pytest.raises(InvalidInput):
        await built.loop.run(request_)
    assert built.provider.requests == []
    async with sqlite_database.read() as tx:
        assert await list_sessions(tx) == []
