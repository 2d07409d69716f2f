"""The write gate, pure: whether a candidate is worth keeping. Precision before recall."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

from beaver.agent.policy.candidates import NO_ATTRIBUTES, Attributes, Candidate
from beaver.agent.policy.denylist import Denylist
from beaver.agent.policy.privacy import Redacted
from beaver.agent.policy.stores import ITEM_TYPES, TEXT_CHARACTERS_MAX
from beaver.agent.providers.relevance import is_question, terms
from beaver.agent.results import StopReason
from beaver.text import has_unspaced

Rejection = Literal[
    "off",
    "not_completed",
    "low_confidence",
    "too_short",
    "too_long",
    "too_few_terms",
    "type",
    "question",
    "recalled",
    "private",
    "denied",
    "forgotten",
    "quota_turn",
    "quota_day",
    "quota_remote",
]

CONFIDENCE_MIN: Final = 0.65
CHARACTERS_MIN: Final = 12
TERMS_MIN: Final = 3
_NOT_NORMAL: Final = frozenset({"error", "interrupted", "content_filter"})
RECALLED_SHARE: Final = 0.9
"""A candidate that shares so much of its terms with one recalled passage came from it."""


def turn_rejection(stop_reason: StopReason) -> Rejection | None:
    """Why nothing of a turn is kept: its run did not come to a normal end."""
    return "not_completed" if stop_reason in _NOT_NORMAL else None


def rejection(
    candidate: Candidate,
    *,
    redacted: Redacted,
    said: str,
    recalled: Sequence[str],
    denylist: Denylist,
    project: str,
    attributes: Attributes = NO_ATTRIBUTES,
) -> Rejection | None:
    """Why a candidate is not kept; None when it may be.

    `redacted` is its text after the privacy gate, `said` what the user said in the turn, `recalled` the texts that were
    injected into its prompt. A fact that gives one of the `attributes` its value says enough, however short it is.
    """
    if candidate.type not in ITEM_TYPES:
        return "type"
    if candidate.confidence < CONFIDENCE_MIN:
        return "low_confidence"
    if redacted.refused:
        return "private"
    if denylist.blocks(candidate.text, tags=candidate.tags, project=project) is not None:
        return "denied"
    says_enough = candidate.type == "fact" and attributes.stated(redacted.text)
    return _form_rejection(redacted.text, says_enough) or (
        "recalled" if came_from_recall(redacted.text, said=said, recalled=recalled) else None
    )


def _form_rejection(text: str, says_enough: bool) -> Rejection | None:
    if len(text) < CHARACTERS_MIN and not _is_dense(text) and not says_enough:
        return "too_short"
    if len(text) > TEXT_CHARACTERS_MAX:
        return "too_long"
    if is_question(text):
        return "question"
    return "too_few_terms" if len(terms(text)) < TERMS_MIN and not says_enough else None


def _is_dense(text: str) -> bool:
    """Whether half as many characters say as much: a Chinese one stands for a syllable with a meaning of its own."""
    return has_unspaced(text) and len(text) * 2 >= CHARACTERS_MIN


def came_from_recall(text: str, *, said: str, recalled: Sequence[str]) -> bool:
    """Whether a text repeats a passage that was recalled into the prompt, and not what the user said again."""
    wanted = terms(text)
    if not wanted or _share(wanted, said) >= RECALLED_SHARE:
        return False
    return any(_share(wanted, passage) >= RECALLED_SHARE for passage in recalled)


def _share(wanted: frozenset[str], text: str) -> float:
    return len(wanted & terms(text)) / len(wanted)
