"""What a run is asked for, what it tells while it goes on, and what it comes to."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final, Literal

from beaver.agent.messages import PromptMessage, TextDelta, Usage
from beaver.errors import BeaverError
from beaver.logs import get_logger

StopReason = Literal["stop", "length", "content_filter", "tool_limit", "loop_guard", "error", "interrupted"]
"""Why a run ended. `error` and `interrupted` (a cancelled run, which has no result) apart, these are normal completions."""


@dataclass(frozen=True)
class RunRequest:
    """One prompt. Without a session id a new session is made; `skills` are put before the model whole.

    `rules` hold for this run alone and are not stored; `output_tokens_max` may lower the configured bound of an answer.
    A `run_id` given here is that of a run that is queued in the session store already. `by_machine`: a schedule or a
    program asks, and nobody typed the prompt.
    """

    prompt: str
    session_id: str | None = None
    skills: tuple[str, ...] = ()
    on_busy: Literal["enqueue", "reject", "interrupt"] = "enqueue"
    run_id: str | None = None
    rules: tuple[str, ...] = ()
    output_tokens_max: int | None = None
    by_machine: bool = False


@dataclass(frozen=True)
class RunStarted:
    """The prompt is stored."""

    run_id: str
    session_id: str


@dataclass(frozen=True)
class ToolStarted:
    """A tool call begins."""

    name: str


@dataclass(frozen=True)
class ToolFinished:
    """A tool call came to an end; `ok` is False for an error result."""

    name: str
    ok: bool


@dataclass(frozen=True)
class Answered:
    """The answer is committed. Nothing that comes after it can take it back."""

    text: str


RunEvent = RunStarted | TextDelta | ToolStarted | ToolFinished | Answered

Emit = Callable[[RunEvent], Awaitable[None]]
"""Told of each event in order, and waited for: put it in a queue and return. One that raises is told nothing more."""


@dataclass(frozen=True)
class AgentRunResult:
    """What a run came to.

    `messages` are the run's own: the prompt, tool calls, tool results, the answer. `error` is a code of `beaver.errors`, or
    None; with an error, `text` tells the user in plain words. What becomes of the turn at the Gateway is no part of this.
    `provider` is the kind that was asked, None where a run of long ago does not say.
    """

    run_id: str
    session_id: str
    text: str
    messages: tuple[PromptMessage, ...]
    tools_used: tuple[str, ...]
    usage: Usage
    stop_reason: StopReason
    error: str | None
    provider: str | None = None


def lower(bound: int, wanted: int | None) -> int:
    """The configured bound of an answer's tokens, or what the caller wants where that is less."""
    return bound if wanted is None else min(bound, wanted)


_ADVICE: Final = {
    "limit_exceeded": "Wait a little, then ask again.",
    "unauthenticated": "Check provider.apiKey in .beaver/config.json, then start Beaver again.",
    "invalid_input": "Shorten or reword the message, or start a new session.",
    "peer_fault": "Ask again; if it stays so, check provider.baseUrl and provider.model in .beaver/config.json.",
    "conflict": "Read the session again before you ask once more: another process went on with it.",
}


def failure_text(error: BeaverError) -> str:
    """What the user reads in place of an answer: what happened and what to do next."""
    reason = str(error).rstrip(".")
    return f"I could not finish this answer: {reason}. {_ADVICE.get(error.code, 'Ask again in a moment.')}"


def forgiving(emit: Emit, run_id: str) -> Emit:
    """The same, until it raises: a listener that is gone is no reason to lose the work."""
    listening = True

    async def tell(event: RunEvent) -> None:
        nonlocal listening
        if not listening:
            return
        try:
            await emit(event)
        # An edge: the listener is the caller's, and its faults are not the run's.
        except Exception as error:
            listening = False
            get_logger().warning("run.listener_gone", run_id=run_id, exc_info=error)

    return tell


async def tell_nobody(_event: RunEvent) -> None:
    """For callers that only want the result."""
