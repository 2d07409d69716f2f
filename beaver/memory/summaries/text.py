"""What a session summary says, pure: its parts, from what was said and learned; and the text by which it is found."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from beaver.memory.capture.records import clipped
from beaver.memory.capture.sentences import without_recalled
from beaver.memory.summaries.records import Summary
from beaver.redaction import Redactor

REQUEST_LENGTH_MAX: Final = 200
OUTCOME_LENGTH_MAX: Final = 300
ITEMS_MAX: Final = 10
"""Most decisions, and most open items: the newest."""


def summary_of(
    first_request: str | None,
    last_answer: str | None,
    decisions: Sequence[str],
    open_items: Sequence[str],
    observation_count: int,
) -> Summary | None:
    """The summary, or None where the session has taught nothing that still holds. Lists are oldest first."""
    if observation_count == 0:
        return None
    return Summary(
        request=_said(first_request, REQUEST_LENGTH_MAX),
        outcome=_said(last_answer, OUTCOME_LENGTH_MAX),
        decisions=_newest(decisions),
        open_items=_newest(open_items),
        observation_count=observation_count,
    )


def summary_text(summary: Summary) -> str:
    """The summary as it is read, indexed and embedded, a line for each thing that it says."""
    lines = (summary.request, summary.outcome, *summary.decisions, *summary.open_items)
    return "\n".join(line for line in lines if line)


def _said(text: str | None, length_max: int) -> str:
    return clipped(Redactor().text(without_recalled(text or "")), length_max)


def _newest(items: Sequence[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(items))[-ITEMS_MAX:]
