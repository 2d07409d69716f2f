"""The scripted provider, from steps and from a file."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from beaver.agent.messages import Completion, PromptMessage, ProviderPiece, ProviderRequest, TextDelta, ToolCall, Usage
from beaver.agent.providers.scripted import Pause, ScriptedProvider
from beaver.errors import BeaverError, ConfigError, InvalidInput, Unavailable


def asking(text: str = "hi") -> ProviderRequest:
    return ProviderRequest((PromptMessage("user", text, "prompt"),))


async def pieces_of(provider: ScriptedProvider, request: ProviderRequest | None = None) -> list[ProviderPiece]:
    return [piece async for piece in provider.stream(request or asking())]


def plain(text: str) -> Completion:
    return Completion(text, (), Usage(), "stop")


async def test_steps_are_played_in_order_and_the_last_repeats() -> None:
    provider = ScriptedProvider([plain("one"), plain("two")])
    answers = [(await pieces_of(provider))[-1] for _ in range(3)]
    assert answers == [plain("one"), plain("two"), plain("two")]


async def test_requests_are_kept_in_order() -> None:
    provider = ScriptedProvider([plain("")])
    await pieces_of(provider, asking("a"))
    await pieces_of(provider, asking("b"))
    assert provider.requests == [asking("a"), asking("b")]


async def test_pieces_are_played_as_they_stand_and_closed_with_a_completion() -> None:
    pieces = await pieces_of(ScriptedProvider([[TextDelta("a "), Pause(0), TextDelta("b")]]))
    assert pieces == [TextDelta("a "), TextDelta("b"), plain("a b")]


async def test_an_exception_is_raised_at_its_place() -> None:
    seen: list[ProviderPiece] = []
    stream = ScriptedProvider([[TextDelta("a"), Unavailable("gone")]]).stream(asking())
    seen.append(await anext(stream))
    with pytest.raises(Unavailable, match="gone"):
        await anext(stream)
    assert seen == [TextDelta("a")]
    with pytest.raises(ValueError, match="bug"):
        await pieces_of(ScriptedProvider([ValueError("bug")]))


async def test_a_function_of_the_request_decides() -> None:
    provider = ScriptedProvider([lambda request: plain(request.messages[-1].text.upper())])
    assert (await pieces_of(provider, asking("loud")))[-1] == plain("LOUD")


async def test_the_delay_passes_before_every_piece() -> None:
    loop = asyncio.get_running_loop()
    began = loop.time()
    pieces = await pieces_of(ScriptedProvider([plain("one two three")], delay_s=0.02))
    assert loop.time() - began >= 0.02 * len(pieces)


async def test_a_script_without_steps_is_a_mistake() -> None:
    with pytest.raises(ValueError, match="step"):
        ScriptedProvider([])


def script(tmp_path: Path, steps: Any) -> ScriptedProvider:
    path = tmp_path / "script.json"
    path.write_text(steps if isinstance(steps, str) else json.dumps(steps), encoding="utf-8")
    return ScriptedProvider.from_file(path)


async def test_a_file_holds_texts_calls_and_errors(tmp_path: Path) -> None:
    provider = script(
        tmp_path,
        [
            {"text": "Ich höre zu.", "usage": {"input_tokens": 3, "output_tokens": 2}, "delay_ms": 1},
            {
                "tool_calls": [
                    {"name": "memory", "arguments": {"content": "é"}},
                    {"name": "f", "arguments": "{bad", "id": "x"},
                ]
            },
            {"error": "unavailable"},
            {"error": "invalid_input"},
            {"text": "cut", "finish": "length"},
        ],
    )
    assert (await pieces_of(provider))[-1] == Completion("Ich höre zu.", (), Usage(3, 2), "stop")
    calls = (ToolCall("call_2_1", "memory", '{"content": "é"}'), ToolCall("x", "f", "{bad"))
    assert await pieces_of(provider) == [Completion("", calls, Usage(), "tool_calls")]
    with pytest.raises(Unavailable):
        await pieces_of(provider)
    with pytest.raises(InvalidInput):
        await pieces_of(provider)
    assert [(await pieces_of(provider))[-1] for _ in range(2)] == [Completion("cut", (), Usage(), "length")] * 2


@pytest.mark.parametrize(
    "code", ["unavailable", "deadline_exceeded", "limit_exceeded", "unauthenticated", "invalid_input", "peer_fault"]
)
async def test_every_error_a_provider_may_raise_can_be_scripted(tmp_path: Path, code: str) -> None:
    with pytest.raises(BeaverError) as caught:
        await pieces_of(script(tmp_path, [{"error": code}]))
    assert caught.value.code == code


@pytest.mark.parametrize("steps", ["{", "[]", "{}", [1], [{"txt": "secret words"}], [{"error": "secret words"}]])
def test_a_file_that_is_no_script_is_named_without_its_content(tmp_path: Path, steps: Any) -> None:
    with pytest.raises(ConfigError) as caught:
        script(tmp_path, steps)
    assert caught.value.field == "provider.script"
    assert "secret words" not in str(caught.value)


def test_a_missing_file_is_a_config_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"provider\.script"):
        ScriptedProvider.from_file(tmp_path / "absent.json")
