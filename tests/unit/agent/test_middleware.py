"""Hooks run in order, and no fault of theirs reaches the run."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from importlib.metadata import EntryPoint
from typing import ClassVar

from beaver.agent.messages import PromptMessage
from beaver.agent.middleware import (
    ENTRY_POINTS,
    Middleware,
    MiddlewareChain,
    ToolOutput,
    TurnContext,
    TurnOutput,
    installed_middlewares,
)

CONTEXT = TurnContext("s", "r", "hello", ())


class Adds(Middleware):
    def __init__(self, text: str, seen: list[str] | None = None) -> None:
        self.text = text
        self.seen = [] if seen is None else seen

    async def before_prompt(self, context: TurnContext) -> TurnContext:
        return replace(context, references=(*context.references, PromptMessage("user", self.text, "reference")))

    async def after_prompt(self, context: TurnContext, output: TurnOutput) -> None:
        self.seen.append(f"{self.text} {output.text}")

    async def on_tool_result(self, context: TurnContext, output: ToolOutput) -> None:
        self.seen.append(f"{self.text} {output.name}")


class Breaks(Middleware):
    async def before_prompt(self, context: TurnContext) -> TurnContext:
        raise RuntimeError("broken")

    async def after_prompt(self, context: TurnContext, output: TurnOutput) -> None:
        raise RuntimeError("broken")

    async def on_tool_result(self, context: TurnContext, output: ToolOutput) -> None:
        raise RuntimeError("broken")


class Hangs(Middleware):
    async def before_prompt(self, context: TurnContext) -> TurnContext:
        await asyncio.Event().wait()
        return context


async def test_each_hook_sees_what_the_one_before_it_made() -> None:
    context = await MiddlewareChain([Adds("first"), Adds("second")]).before_prompt(CONTEXT)
    assert [message.text for message in context.references] == ["first", "second"]


async def test_a_hook_that_raises_or_hangs_is_passed_over() -> None:
    chain = MiddlewareChain([Adds("first"), Breaks(), Hangs(), Adds("last")], timeout_s=0.05)
    context = await chain.before_prompt(CONTEXT)
    assert [message.text for message in context.references] == ["first", "last"]


async def test_every_hook_hears_of_tool_results_and_of_the_answer() -> None:
    seen: list[str] = []
    chain = MiddlewareChain([Adds("a", seen), Breaks(), Adds("b", seen)])
    await chain.on_tool_result(CONTEXT, ToolOutput("sums", "3", is_error=False))
    await chain.after_prompt(CONTEXT, TurnOutput("bye", "stop", ()))
    assert seen == ["a sums", "b sums", "a bye", "b bye"]


async def test_hooks_that_override_nothing_change_nothing() -> None:
    chain = MiddlewareChain([Middleware()])
    assert await chain.before_prompt(CONTEXT) == CONTEXT


class Early(Adds):
    order: ClassVar[int] = -10

    def __init__(self) -> None:
        super().__init__("early")


class Closes(Middleware):
    def __init__(self, name: str, closed: list[str]) -> None:
        self.name = name
        self.closed = closed

    async def aclose(self) -> None:
        self.closed.append(self.name)
        raise RuntimeError("broken")


class NoMiddleware:
    pass


async def test_the_lowest_order_comes_first_whatever_was_given_first() -> None:
    context = await MiddlewareChain([Adds("first"), Early(), Adds("second")]).before_prompt(CONTEXT)
    assert [message.text for message in context.references] == ["early", "first", "second"]


async def test_all_are_closed_the_last_first_though_one_of_them_fails_at_it() -> None:
    closed: list[str] = []
    await MiddlewareChain([Closes("a", closed), Closes("b", closed)]).aclose()
    assert closed == ["b", "a"]


def test_other_packages_add_theirs_by_an_entry_point() -> None:
    middlewares, warnings = installed_middlewares([_point("early", "Early")])
    assert [type(one) for one in middlewares] == [Early]
    assert warnings == ()


def test_an_entry_point_that_cannot_be_used_is_told_and_left_out() -> None:
    points = [_point("a-missing", "Missing"), _point("b-early", "Early"), _point("c-other", "NoMiddleware")]
    middlewares, warnings = installed_middlewares(points)
    assert [type(one) for one in middlewares] == [Early]
    assert [warning.split()[2] for warning in warnings] == ["a-missing", "c-other"]


def _point(name: str, attribute: str) -> EntryPoint:
    return EntryPoint(name, f"{__name__}:{attribute}", ENTRY_POINTS)
