"""Tools in a run: their results, their failures, and the limits that still end in an answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from beaver.agent.loop import ANSWER_NOW, NO_ANSWER
from beaver.agent.messages import Completion, ProviderRequest, TextDelta
from beaver.agent.results import Answered, RunRequest, ToolFinished
from beaver.agent.tools.base import ToolContext, ToolFailure
from beaver.db.engine import Database
from beaver.errors import Unavailable
from tests.support.engine import SESSION, Listener, Tells, asks, engine, says


async def test_a_tools_failure_is_a_result_and_the_run_goes_on(sqlite_database: Database) -> None:
    class Fails(Tells):
        async def call(self, arguments: Mapping[str, Any], context: ToolContext) -> str:
            raise ToolFailure("nothing there")

    listener = Listener()
    built = engine(sqlite_database, [asks(("lookup", {}), ("absent", {})), says("sorry")], tools=[Fails()])
    result = await built.loop.run(RunRequest("find it", SESSION), listener)
    assert (result.text, result.error, result.tools_used) == ("sorry", None, ("lookup",))
    assert ToolFinished("lookup", ok=False) in listener.heard
    results = [event for event in await built.events() if event.role == "tool"]
    assert [event.payload["is_error"] for event in results] == [True, True]
    assert results[0].content == "nothing there"
    assert "There is no tool of that name" in results[1].content


async def test_tools_of_one_run_share_its_scratch_and_runs_do_not(sqlite_database: Database) -> None:
    class Counts(Tells):
        async def call(self, arguments: Mapping[str, Any], context: ToolContext) -> str:
            context.state["count"] = context.state.get("count", 0) + 1
            return f"{context.session_id} {context.state['count']}"

    built = engine(sqlite_database, [asks(("lookup", {}), ("lookup", {"n": 2})), says("ok")] * 2, tools=[Counts()])
    await built.ask("go")
    await built.ask("go")
    results = [text for role, text in await built.spoken() if role == "tool"]
    assert results == ["s-1 1", "s-1 2"] * 2


async def test_at_the_tool_limit_one_call_without_tools_asks_for_the_answer_and_nothing_is_lost(
    sqlite_database: Database,
) -> None:
    calls = [asks(("lookup", {"n": n})) for n in range(3)]
    built = engine(sqlite_database, [*calls, says("this is what I found")], tools=[Tells()], tool_rounds_max=3)
    result = await built.ask("dig")
    assert (result.text, result.stop_reason, result.error) == ("this is what I found", "tool_limit", None)
    last = built.provider.requests[-1]
    assert last.tools == ()
    assert last.messages[-1].text == ANSWER_NOW
    spoken = await built.spoken()
    assert [role for role, _ in spoken] == ["user", *["assistant", "tool"] * 3, "assistant"]
    assert ANSWER_NOW not in [text for _, text in spoken]
    assert (await built.runs())[0].status == "completed"


@pytest.mark.parametrize(
    "last", [Unavailable("gone"), says("  "), asks(("lookup", {}), text="one more")], ids=["error", "blank", "tools"]
)
async def test_at_the_tool_limit_a_fixed_text_stands_in_for_an_answer_that_does_not_come(
    sqlite_database: Database, last: Any
) -> None:
    built = engine(sqlite_database, [asks(("lookup", {})), last], tools=[Tells()], tool_rounds_max=1)
    listener = Listener()
    result = await built.loop.run(RunRequest("dig", SESSION), listener)
    assert (result.text, result.stop_reason, result.error) == (NO_ANSWER, "tool_limit", None)
    assert await built.spoken() == [("user", "dig"), ("assistant", ""), ("tool", "found it"), ("assistant", NO_ANSWER)]
    assert [event for event in listener.heard if isinstance(event, TextDelta | Answered)] == [
        TextDelta(NO_ANSWER),
        Answered(NO_ANSWER),
    ]


async def test_a_model_that_goes_in_circles_is_stopped_and_still_answers(sqlite_database: Database) -> None:
    def step(request: ProviderRequest) -> Completion:
        return asks(("lookup", {"q": "same"})) if request.tools else says("enough")

    tool = Tells()
    built = engine(sqlite_database, [step], tools=[tool])
    result = await built.ask("dig")
    assert (result.text, result.stop_reason, result.error) == ("enough", "loop_guard", None)
    assert len(tool.calls) == 5
    results = [text for role, text in await built.spoken() if role == "tool"]
    assert len(results) == 8
    assert "Warning" in results[1]
    assert all(text.startswith("Not run") for text in results[5:])
