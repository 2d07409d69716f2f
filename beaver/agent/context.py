"""Builds a prompt, purely: fixed order, history bounded to what fits, nothing read and nothing written.

The system part holds no clock, id or counter, and the reference message is the same bytes for all calls of a run,
so that a provider's prompt cache holds from call to call.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from beaver.agent.messages import Label, PromptMessage, ToolSpec


@dataclass(frozen=True)
class PromptParts:
    """What a run's prompts are made of. A part that is None or blank gives no message."""

    identity: str
    prompt: str
    curated_memory: str | None = None
    curated_user: str | None = None
    skills_catalogue: str | None = None
    untrusted_rule: str | None = None
    forget_rule: str | None = None
    run_rules: tuple[str, ...] = ()
    activated_skills: tuple[PromptMessage, ...] = ()
    references: tuple[PromptMessage, ...] = ()
    history: tuple[PromptMessage, ...] = ()


def build_messages(
    parts: PromptParts, added: Sequence[PromptMessage] = (), *, tokens_max: int
) -> tuple[PromptMessage, ...]:
    """The prompt: system, activated skills, references, history, the user's prompt, then what this run has `added`.

    The oldest whole turns of the history are left out until the estimate is within `tokens_max`; nothing else is ever cut.
    """
    before = (*_system(parts), *parts.activated_skills, *parts.references)
    after = (PromptMessage("user", parts.prompt, "prompt"), *added)
    room = tokens_max - sum(message.tokens for message in (*before, *after))
    return (*before, *_newest_turns(parts.history, room), *after)


def history_budget(context_tokens_max: int, output_tokens_max: int, tools: Sequence[ToolSpec]) -> int:
    """Tokens that messages may take: the context less the answer and the tools, yet never under a quarter of it."""
    left = context_tokens_max - output_tokens_max - sum(tool.tokens for tool in tools)
    return max(left, context_tokens_max // 4)


def _system(parts: PromptParts) -> tuple[PromptMessage, ...]:
    sections: tuple[tuple[Label, str | None], ...] = (
        ("identity", parts.identity),
        ("curated_memory", parts.curated_memory),
        ("curated_user", parts.curated_user),
        ("skills", parts.skills_catalogue),
        ("rule", parts.untrusted_rule),
        ("rule", parts.forget_rule),
        # Last, so that what is the same for all runs stays one prefix for the provider's cache.
        *(("rule", rule) for rule in parts.run_rules),
    )
    return tuple(PromptMessage("system", text, label) for label, text in sections if text and text.strip())


def _newest_turns(history: Sequence[PromptMessage], room: int) -> tuple[PromptMessage, ...]:
    """As many whole turns as there is room for: a turn is a user's message and all that follows it up to the next one.

    So a call is never parted from its result.
    """
    kept = len(history)
    for index in range(len(history) - 1, -1, -1):
        room -= history[index].tokens
        if room < 0:
            break
        if index == 0 or history[index].role == "user":
            kept = index
    return tuple(history[kept:])
