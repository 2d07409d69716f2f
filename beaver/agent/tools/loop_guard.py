"""Notices a model that goes in circles: warns it, then refuses the call, then has the run answer with what it has.

A success is no progress when the same call gave the same result before, wherever in the run: so adding and removing
one thing for ever is a circle too.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from dataclasses import dataclass
from typing import Final

from beaver.agent.messages import ToolCall
from beaver.agent.tools.dispatch import ToolResult


@dataclass(frozen=True)
class Bound:
    """How often until the model is warned, and until the call is refused."""

    warn: int
    block: int


IDENTICAL_FAILURES: Final = Bound(warn=2, block=5)
FAILURES_OF_ONE_TOOL: Final = Bound(warn=3, block=8)
SAME_RESULTS: Final = Bound(warn=2, block=5)
REFUSALS_MAX: Final = 3

_ADVICE: Final = "Do something else, or answer the user with what you have."


class LoopGuard:
    """The memory of one run's calls."""

    def __init__(self) -> None:
        self._identical_failures: Counter[str] = Counter()
        self._tool_failures: Counter[str] = Counter()
        self._same_results: Counter[tuple[str, str]] = Counter()
        self._most_same: Counter[str] = Counter()
        self._refusals = 0

    @property
    def exhausted(self) -> bool:
        """Whether so much was refused that the run should end with an answer."""
        return self._refusals >= REFUSALS_MAX

    def refusal(self, call: ToolCall) -> ToolResult | None:
        """The result in place of running the call, or None where it may run. Counts what it refuses."""
        reason = self._reason_to_block(call)
        if reason is None:
            return None
        self._refusals += 1
        return ToolResult(f"Not run: {reason}. {_ADVICE}", is_error=True)

    def observe(self, call: ToolCall, result: ToolResult) -> str | None:
        """Remember what a call came to; returns a warning for the model, or None."""
        return self._observe_failure(call) if result.is_error else self._observe_success(call, result)

    def _reason_to_block(self, call: ToolCall) -> str | None:
        key = _key(call)
        if self._identical_failures[key] >= IDENTICAL_FAILURES.block:
            return "this very call has failed again and again"
        if self._tool_failures[call.name] >= FAILURES_OF_ONE_TOOL.block:
            return "this tool has failed again and again"
        if self._most_same[key] >= SAME_RESULTS.block:
            return "this very call has given the same result again and again"
        return None

    def _observe_failure(self, call: ToolCall) -> str | None:
        key = _key(call)
        self._identical_failures[key] += 1
        self._tool_failures[call.name] += 1
        if self._identical_failures[key] >= IDENTICAL_FAILURES.warn:
            return f"Warning: this very call has failed {self._identical_failures[key]} times. {_ADVICE}"
        if self._tool_failures[call.name] >= FAILURES_OF_ONE_TOOL.warn:
            return f"Warning: this tool has failed {self._tool_failures[call.name]} times in a row. {_ADVICE}"
        return None

    def _observe_success(self, call: ToolCall, result: ToolResult) -> str | None:
        key = _key(call)
        del self._identical_failures[key], self._tool_failures[call.name]
        same = (key, hashlib.sha256(result.text.encode()).hexdigest())
        self._same_results[same] += 1
        self._most_same[key] = max(self._most_same[key], self._same_results[same])
        if self._same_results[same] >= SAME_RESULTS.warn:
            return f"Warning: this very call has given the same result {self._same_results[same]} times. {_ADVICE}"
        return None


def _key(call: ToolCall) -> str:
    """Name and arguments, whatever the order and spacing of the JSON."""
    try:
        arguments = json.dumps(json.loads(call.arguments), sort_keys=True)
    except (ValueError, RecursionError):
        arguments = call.arguments
    return f"{call.name} {arguments}"
