"""What all four providers keep."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import aclosing
from typing import Any, cast

import pytest

from beaver.agent.messages import Completion, PromptMessage, ProviderRequest, TextDelta, Usage
from beaver.agent.providers.base import Provider
from beaver.agent.providers.offline import OfflineProvider
from beaver.agent.providers.scripted import ScriptedProvider
from tests.contract.providers.asking import DELTAS, TEXT, asking, completion_of, pieces_of
from tests.support.model_wires import KEY, AnthropicWire, Body, OpenAIWire, Server

SCRIPTED = Completion(TEXT, (), Usage(11, 7), "stop")
FOUR: dict[str, Callable[[], Provider]] = {
    "offline": OfflineProvider,
    "scripted": lambda: ScriptedProvider([SCRIPTED]),
    "openai": lambda: OpenAIWire().provider(Server(Body(OpenAIWire().answer(DELTAS)))),
    "anthropic": lambda: AnthropicWire().provider(Server(Body(AnthropicWire().answer(DELTAS)))),
}


@pytest.fixture(params=FOUR)
async def any_provider(request: pytest.FixtureRequest) -> AsyncIterator[Provider]:
    provider = FOUR[request.param]()
    yield provider
    await provider.aclose()


async def test_deltas_join_to_the_text_of_one_completion_that_comes_last(any_provider: Provider) -> None:
    pieces = await pieces_of(any_provider)
    *deltas, last = pieces
    assert isinstance(last, Completion)
    assert all(isinstance(delta, TextDelta) and delta.text for delta in deltas)
    assert "".join(cast(TextDelta, delta).text for delta in deltas) == last.text != ""
    assert len(deltas) > 1
    assert last.finish == "stop"


async def test_a_provider_answers_again_and_names_itself(any_provider: Provider) -> None:
    assert await pieces_of(any_provider) == await pieces_of(any_provider)
    assert any_provider.name
    assert any_provider.model


async def test_closing_twice_is_fine(any_provider: Provider) -> None:
    await any_provider.aclose()
    await any_provider.aclose()


async def test_lone_surrogates_in_a_prompt_break_nothing(any_provider: Provider) -> None:
    half = "half an emoji \ud83d here"
    said = (
        PromptMessage("system", half, "curated_memory"),
        PromptMessage("user", half, "history"),
        *asking(half).messages,
    )
    assert (await completion_of(any_provider, ProviderRequest(said))).text.encode()


async def test_an_answer_that_is_left_early_can_be_closed(any_provider: Provider) -> None:
    async with aclosing(cast(Any, any_provider.stream(asking()))) as pieces:
        first = await anext(pieces)
    assert isinstance(first, TextDelta)


async def test_a_provider_does_not_show_its_key(any_provider: Provider) -> None:
    assert KEY not in repr(any_provider)
    assert KEY not in str(vars(any_provider))
