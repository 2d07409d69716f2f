"""A provider's calls are told with how they ended, and are otherwise what they were."""

from __future__ import annotations

import asyncio

import pytest

from beaver.agent.interruption import closing
from beaver.agent.messages import Completion, PromptMessage, ProviderPiece, ProviderRequest, TextDelta, Usage
from beaver.agent.observer import ObservedProvider, Recall
from beaver.agent.providers.scripted import Pause, ScriptedProvider, Step
from beaver.errors import LimitExceeded

REQUEST = ProviderRequest((PromptMessage("user", "Hello", "prompt"),), output_tokens_max=10)
ANSWER = Completion("Beavers build dams.", (), Usage(7, 3), "stop")
STUCK = (TextDelta("Beavers "), Pause(600))


class Heard:
    """An observer that keeps what it is told."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, bool]] = []

    def provider_called(self, seconds: float, outcome: str) -> None:
        self.calls.append((outcome, seconds >= 0))

    def recalled(self, seconds: float, found: Recall) -> None:
        raise AssertionError("nobody recalled")

    def rang(self, *, queued: bool) -> None:
        raise AssertionError("nobody rang")


def observed(step: Step) -> tuple[ObservedProvider, Heard]:
    heard = Heard()
    return ObservedProvider(ScriptedProvider([step]), heard), heard


async def test_a_call_that_is_read_to_its_end_is_completed_and_gives_the_same_pieces() -> None:
    provider, heard = observed(ANSWER)
    pieces = [piece async for piece in provider.stream(REQUEST)]
    plain = [piece async for piece in ScriptedProvider([ANSWER]).stream(REQUEST)]
    assert pieces == plain
    assert heard.calls == [("completed", True)]


async def test_a_call_that_is_closed_at_its_completion_is_completed() -> None:
    provider, heard = observed(ANSWER)
    async with closing(provider.stream(REQUEST)) as pieces:
        async for piece in pieces:
            if isinstance(piece, Completion):
                break
    assert heard.calls == [("completed", True)]


async def test_a_call_that_is_closed_before_its_completion_is_cancelled() -> None:
    provider, heard = observed(ANSWER)
    async with closing(provider.stream(REQUEST)) as pieces:
        await anext(pieces)
    assert heard.calls == [("cancelled", True)]


async def test_a_call_whose_task_is_cancelled_is_cancelled() -> None:
    provider, heard = observed(STUCK)
    spoken = asyncio.Event()

    async def read() -> list[ProviderPiece]:
        pieces = []
        async for piece in provider.stream(REQUEST):
            pieces.append(piece)
            spoken.set()
        return pieces

    reading = asyncio.create_task(read())
    await spoken.wait()
    reading.cancel()
    await asyncio.wait({reading})
    assert reading.cancelled()
    assert heard.calls == [("cancelled", True)]


@pytest.mark.parametrize(
    ("fault", "outcome"), [(LimitExceeded("the quota"), "limit_exceeded"), (ZeroDivisionError(), "internal")]
)
async def test_a_call_that_fails_is_told_by_its_code(fault: Exception, outcome: str) -> None:
    provider, heard = observed(fault)
    with pytest.raises(type(fault)):
        [piece async for piece in provider.stream(REQUEST)]
    assert heard.calls == [(outcome, True)]


async def test_a_call_that_ends_without_a_completion_is_the_peers_fault() -> None:
    class Mute(ScriptedProvider):
        async def stream(self, request: ProviderRequest):  # type: ignore[no-untyped-def]
            yield TextDelta("Beavers ")

    heard = Heard()
    pieces = [piece async for piece in ObservedProvider(Mute([ANSWER]), heard).stream(REQUEST)]
    assert pieces == [TextDelta("Beavers ")]
    assert heard.calls == [("peer_fault", True)]
