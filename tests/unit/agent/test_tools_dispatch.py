"""Whatever a model asks for wrongly, and whatever goes wrong with a tool, comes back as a result it can read."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import pytest

from beaver.agent.messages import ToolCall, ToolSpec
from beaver.agent.tools.base import ToolContext, ToolFailure
from beaver.agent.tools.dispatch import RESULT_CHARACTERS_MAX, ToolDispatch, ToolResult
from beaver.redaction import Redactor

CONTEXT = ToolContext("s", "r")
SCHEMA = {
    "type": "object",
    "properties": {
        "text": {"type": "string", "maxLength": 20},
        "mode": {"enum": ["loud", "low"]},
        "times": {"type": "integer", "minimum": 1},
    },
    "required": ["text"],
    "additionalProperties": False,
}


class Says:
    """A tool that does what it is told to by a function."""

    def __init__(self, act: Callable[[Mapping[str, Any]], Awaitable[str]], name: str = "say") -> None:
        self.spec = ToolSpec(name, "says a text", SCHEMA)
        self._act = act

    async def call(self, arguments: Mapping[str, Any], context: ToolContext) -> str:
        return await self._act(arguments)


async def echo(arguments: Mapping[str, Any]) -> str:
    return f"said {arguments['text']}"


def raising(error: Exception) -> Says:
    async def act(_arguments: Mapping[str, Any]) -> str:
        raise error

    return Says(act)


async def result_of(arguments: str, tool: Says | None = None, name: str = "say") -> ToolResult:
    dispatch = ToolDispatch([tool or Says(echo)], timeout_s=0.05, redactor=Redactor(["hunter22"]))
    return await dispatch.call(ToolCall("1", name, arguments), CONTEXT)


async def test_a_good_call_gives_the_tools_text() -> None:
    assert await result_of('{"text": "hi"}') == ToolResult("said hi", is_error=False)


async def test_an_unknown_tool_is_answered_with_the_closest_name_and_the_list() -> None:
    result = await result_of("{}", name="sai")
    assert result.is_error
    assert "Did you mean say?" in result.text
    assert "Tools: say." in result.text


@pytest.mark.parametrize("arguments", ["[1]", '"text"', "7", "null"])
async def test_arguments_that_are_no_object_are_refused(arguments: str) -> None:
    result = await result_of(arguments)
    assert result.is_error
    assert "object" in result.text


@pytest.mark.parametrize("arguments", ['{"text": ', "[" * 100_000])
async def test_arguments_that_are_no_json_are_refused(arguments: str) -> None:
    result = await result_of(arguments)
    assert result.is_error
    assert "JSON" in result.text


async def test_blank_arguments_count_as_an_empty_object() -> None:
    assert "needs text" in (await result_of("")).text


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ('{"text": 1}', "text must be of type string"),
        ('{"text": "a", "mode": "shrill"}', 'mode must be one of ["loud", "low"]'),
        ('{"text": "a", "times": 0}', "times breaks minimum 1"),
        ('{"text": "a", "volume": 1}', "does not know volume; it knows text, mode, times"),
        ('{"mode": "low"}', "needs text"),
    ],
)
async def test_a_breach_of_the_schema_names_the_path_and_the_rule(arguments: str, told: str) -> None:
    result = await result_of(arguments)
    assert result.is_error
    assert told in result.text


async def test_a_breach_never_echoes_the_value() -> None:
    result = await result_of('{"text": "' + "secret" * 1000 + '"}')
    assert "secret" not in result.text
    assert "text breaks maxLength 20" in result.text


async def test_an_expected_failure_is_told_in_the_tools_own_words() -> None:
    assert await result_of('{"text": "a"}', raising(ToolFailure("no such thing"))) == ToolResult("no such thing", True)


async def test_an_exception_is_told_as_type_and_message_without_what_is_secret() -> None:
    result = await result_of('{"text": "a"}', raising(ValueError("cannot log in with hunter22 or sk-abcdefgh1jklmnop")))
    assert result.is_error
    assert result.text.startswith("ValueError: cannot log in with [REDACTED")
    assert "hunter22" not in result.text
    assert "abcdefgh1jklmnop" not in result.text


async def test_a_tool_that_takes_too_long_is_stopped() -> None:
    stopped = asyncio.Event()

    async def hang(_arguments: Mapping[str, Any]) -> str:
        try:
            await asyncio.Event().wait()
        finally:
            stopped.set()
        return ""

    result = await result_of('{"text": "a"}', Says(hang))
    assert result == ToolResult("say did not end within 0.05 s and was stopped.", is_error=True)
    assert stopped.is_set()


async def test_a_tools_own_timeout_error_is_told_as_its_own() -> None:
    result = await result_of('{"text": "a"}', raising(TimeoutError("the shop is closed")))
    assert result.text == "TimeoutError: the shop is closed"


async def test_cancellation_passes_through() -> None:
    with pytest.raises(asyncio.CancelledError):
        await result_of('{"text": "a"}', raising(asyncio.CancelledError()))  # type: ignore[arg-type]


async def test_long_results_are_cut_with_a_note_and_stay_within_the_bound_with_a_warning_too() -> None:
    async def long(_arguments: Mapping[str, Any]) -> str:
        return "x" * 50_000

    result = await result_of('{"text": "a"}', Says(long))
    assert len(result.text) == RESULT_CHARACTERS_MAX
    assert result.text.endswith("[cut: 50000 characters in all]")
    noted = result.with_note("Warning: enough.")
    assert len(noted.text) <= RESULT_CHARACTERS_MAX
    assert noted.text.endswith("Warning: enough.")


async def test_lone_surrogates_are_replaced_both_ways() -> None:
    result = await result_of('{"text": "\\ud800"}')
    assert result.text == "said \ufffd"


def test_two_tools_of_one_name_are_a_bug() -> None:
    with pytest.raises(ValueError, match="one name"):
        ToolDispatch([Says(echo), Says(echo)])
