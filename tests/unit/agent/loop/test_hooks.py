"""Hooks around a turn."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from beaver.agent.messages import PromptMessage
from beaver.agent.middleware import Middleware, ToolOutput, TurnContext, TurnOutput
from beaver.db.engine import Database
from beaver.errors import Unavailable
from beaver.sessions.records import NewEvent
from tests.support.engine import Tells, asks, engine, says
from tests.unit.agent.loop.scene import texts


class Remembers(Middleware):
    def __init__(self) -> None:
        self.seen: list[Any] = []

    async def before_prompt(self, context: TurnContext) -> TurnContext:
        self.seen.append([message.text for message in context.history])
        return replace(context, references=(PromptMessage("user", "a hint", "reference"),))

    async def after_prompt(self, context: TurnContext, output: TurnOutput) -> None:
        self.seen.append(output)

    async def on_tool_result(self, context: TurnContext, output: ToolOutput) -> None:
        self.seen.append(output)


class Breaks(Middleware):
    async def before_prompt(self, context: TurnContext) -> TurnContext:
        raise RuntimeError("broken")


async def test_hooks_see_the_turn_and_may_add_references_that_are_not_stored(sqlite_database: Database) -> None:
    hook = Remembers()
    built = engine(
        sqlite_database,
        [says("hello"), asks(("lookup", {})), says("done")],
        tools=[Tells()],
        middlewares=[Breaks(), hook],
    )
    await built.ask("hi")
    await built.ask("find it")
    assert hook.seen == [
        *([], TurnOutput("hello", "stop", ())),
        *(["hi", "hello"], ToolOutput("lookup", "found it", is_error=False), TurnOutput("done", "stop", ("lookup",))),
    ]
    assert texts(built.provider.requests[-1], "reference") == ["a hint"]
    assert "a hint" not in str(await built.events())


async def test_hooks_are_not_told_of_an_answer_that_never_came(sqlite_database: Database) -> None:
    hook = Remembers()
    built = engine(sqlite_database, [Unavailable("gone")], middlewares=[hook])
    await built.ask("hi")
    assert hook.seen == [[]]


class Notes(Middleware):
    def __init__(self) -> None:
        self.injected: list[str] = []

    async def before_prompt(self, context: TurnContext) -> TurnContext:
        hint = PromptMessage("user", "a hint", "reference")
        return replace(context, references=(hint,), notes=(NewEvent("looked", payload={"found": 1}),))

    async def after_prompt(self, context: TurnContext, output: TurnOutput) -> None:
        self.injected = [message.text for message in context.references]


async def test_what_a_hook_notes_is_a_hidden_event_of_the_run_and_the_answers_hook_sees_what_was_injected(
    sqlite_database: Database,
) -> None:
    hook = Notes()
    built = engine(sqlite_database, [says("hello")], middlewares=[hook])
    await built.ask("hi")
    assert await built.audit() == [("looked", {"found": 1})]
    assert hook.injected == ["a hint"]
