"""The budget gate, pure: how many tokens one store's items may take, and which of them fit."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, TypeVar

HISTORY_GIVES_WAY_TO: Final = 0.25
"""The share of the context that counts as left in any case: a prompt drops its oldest turns before its references."""

_T = TypeVar("_T")


def allowance(*, context_tokens: int, used_tokens: int, tokens_max: int, share: float) -> int:
    """Tokens for one store: a share of what is left of the context, and never more than `tokens_max`."""
    left = max(context_tokens - used_tokens, int(context_tokens * HISTORY_GIVES_WAY_TO))
    return min(tokens_max, int(left * share))


def fitting(lines: Sequence[_T], tokens_of: Callable[[_T], int], allowed: int) -> tuple[_T, ...]:
    """The lines that fit, in their order; one that does not is skipped, and a shorter one behind it may."""
    kept: list[_T] = []
    for line in lines:
        tokens = tokens_of(line)
        if tokens <= allowed:
            kept.append(line)
            allowed -= tokens
    return tuple(kept)
