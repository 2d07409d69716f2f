"""The guard warns a model that goes in circles, then refuses, then has the run end."""

from __future__ import annotations

from beaver.agent.messages import ToolCall
from beaver.agent.tools.dispatch import ToolResult
from beaver.agent.tools.loop_guard import LoopGuard

FAILED = ToolResult("no", is_error=True)


def call(arguments: str = "{}", name: str = "say") -> ToolCall:
    return ToolCall("1", name, arguments)


def answered(text: str) -> ToolResult:
    return ToolResult(text, is_error=False)


def test_identical_failures_are_warned_of_at_two_and_blocked_after_five() -> None:
    guard = LoopGuard()
    warnings = [guard.observe(call(), FAILED) for _ in range(4)]
    assert [warning is not None for warning in warnings] == [False, True, True, True]
    assert guard.refusal(call()) is None
    guard.observe(call(), FAILED)
    refusal = guard.refusal(call())
    assert refusal is not None
    assert refusal.is_error
    assert "answer the user" in refusal.text


def test_the_order_and_spacing_of_arguments_do_not_make_another_call() -> None:
    guard = LoopGuard()
    guard.observe(call('{"a": 1, "b": 2}'), FAILED)
    assert guard.observe(call('{"b":2,"a":1}'), FAILED) is not None


def test_different_failures_of_one_tool_are_warned_of_at_three_and_blocked_after_eight() -> None:
    guard = LoopGuard()
    warned = [guard.observe(call(f'{{"n": {n}}}'), FAILED) is not None for n in range(8)]
    assert warned == [False, False, *[True] * 6]
    assert guard.refusal(call('{"n": 99}')) is not None
    assert guard.refusal(call(name="other")) is None


def test_a_success_forgives_the_failures_of_its_tool() -> None:
    guard = LoopGuard()
    for n in range(7):
        guard.observe(call(f'{{"n": {n}}}'), FAILED)
    guard.observe(call('{"n": 7}'), answered("well"))
    assert guard.observe(call('{"n": 8}'), FAILED) is None


def test_the_same_result_of_the_same_call_is_warned_of_at_two_and_blocked_after_five() -> None:
    guard = LoopGuard()
    warned = [guard.observe(call(), answered("same")) is not None for _ in range(5)]
    assert warned == [False, True, True, True, True]
    assert guard.refusal(call()) is not None


def test_the_same_call_with_new_results_is_progress() -> None:
    guard = LoopGuard()
    assert [guard.observe(call(), answered(str(n))) for n in range(20)] == [None] * 20
    assert guard.refusal(call()) is None


def test_adding_and_removing_one_thing_for_ever_is_a_circle_though_each_call_succeeds() -> None:
    guard = LoopGuard()
    add, remove = call('{"action": "add"}', "memory"), call('{"action": "remove"}', "memory")
    rounds = 0
    while guard.refusal(add) is None:
        guard.observe(add, answered("1 entry"))
        guard.observe(remove, answered("0 entries"))
        rounds += 1
    assert rounds == 5


def test_after_three_refusals_the_run_should_end() -> None:
    guard = LoopGuard()
    for _ in range(5):
        guard.observe(call(), FAILED)
    for _ in range(3):
        assert not guard.exhausted
        guard.refusal(call())
    assert guard.exhausted
