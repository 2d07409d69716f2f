"""Verified fixes, pure: a tool that failed, and then did what it had failed to do."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from beaver.agent.middleware import ToolOutput
from beaver.agent.policy.candidates import Candidate
from beaver.agent.policy.stores import TEXT_CHARACTERS_MAX

FIX_CONFIDENCE: Final = 0.8
SYMPTOM_CHARACTERS_MAX: Final = 160
# What an answer says of how it was done.
_REMEDY: Final = re.compile(
    r"\b(?:fix(?:ed)?|solved|resolved|cause[ds]?|because|the problem was|works now|had to|needed to|was missing|"
    r"by (?:setting|adding|removing|changing|installing|using|running|upgrading|restarting))\b|原因|解决|修复|修好|通过",
    re.IGNORECASE,
)
_SENTENCE_END: Final = re.compile(r"(?<=[.!?])\s+|(?<=[。！？])|\n+")
_NOISE: Final = re.compile(r"^\W+|\s+")


@dataclass(frozen=True)
class Attempt:
    """A tool's result: which tool, what it said, whether it failed."""

    tool: str
    text: str
    failed: bool

    @classmethod
    def of(cls, output: ToolOutput) -> Attempt:
        """From what a hook is told."""
        return cls(output.name, output.text, output.is_error)


def verified_fix(attempts: Sequence[Attempt], answer: str) -> Candidate | None:
    """What mended a failure, as the answer tells it; None unless the tool that failed last also succeeded after that.

    The sentence is the answer's: it counts here, and nowhere else, because a result bears it out.
    """
    failure = _mended(attempts)
    remedy = _remedy(answer)
    if failure is None or remedy is None:
        return None
    symptom = _clip(_symptom(failure.text), SYMPTOM_CHARACTERS_MAX)
    text = _clip(f"{failure.tool} failed ({symptom}); {remedy}", TEXT_CHARACTERS_MAX)
    return Candidate("fix", text, FIX_CONFIDENCE, "tool")


def _mended(attempts: Sequence[Attempt]) -> Attempt | None:
    """The last failure after which the same tool succeeded, and did not fail again."""
    state: dict[str, Attempt] = {}
    mended: Attempt | None = None
    for attempt in attempts:
        if attempt.failed:
            state[attempt.tool] = attempt
            mended = None if mended is not None and mended.tool == attempt.tool else mended
        elif attempt.tool in state:
            mended = state.pop(attempt.tool)
    return mended


def _symptom(text: str) -> str:
    """The last line of a failure that says something: tracebacks and compilers end with it."""
    lines = [line for line in text.splitlines() if any(character.isalpha() for character in line)]
    return lines[-1] if lines else "no message"


def _remedy(answer: str) -> str | None:
    return next((sentence for sentence in _SENTENCE_END.split(answer) if _REMEDY.search(sentence)), None)


def _clip(text: str, characters_max: int) -> str:
    line = _NOISE.sub(" ", text).strip()
    return line if len(line) <= characters_max else line[: characters_max - 1].rstrip() + "…"
