"""The memory engine's capture rules as the host's write gate uses them: the same rules, other types, the host's confidence."""

from __future__ import annotations

from typing import Final

from beaver.agent.policy.candidates import Candidate
from beaver.agent.policy.stores import ItemType
from beaver.memory.capture.patterns import Kind
from beaver.memory.capture.rules import CONFIDENCE_MIN, candidates
from beaver.memory.observations.records import ObservationType
from beaver.memory.transcripts.said import SaidMessage

# How sure each sort of statement is that it is worth keeping. A task has no figure of its own: an explicit wish it is.
_CONFIDENCE: Final[dict[Kind, float]] = {
    "remember": 0.95,
    "profile": 0.78,
    "rule": 0.72,
    "preference": 0.72,
    "decision": 0.68,
    "task": 0.80,
    "fix": 0.80,
}
_TYPES: Final[dict[Kind, ItemType]] = {
    "profile": "fact",
    "rule": "rule",
    "preference": "preference",
    "decision": "decision",
    "task": "todo",
}
_TYPES_OF_OBSERVATIONS: Final[dict[ObservationType, ItemType]] = {
    "preference": "preference",
    "decision": "decision",
    "task": "todo",
}
_USER: Final = "user"


def rule_capture(said: str) -> list[Candidate]:
    """What one message of the user holds that may be kept, in order. A fix is left out: a tool's result must bear it out."""
    message = SaidMessage("", "", "user", _USER, said, 0)
    kept: list[Candidate] = []
    for found in candidates([message], _USER):
        [kind] = (name for name in _CONFIDENCE if name in found.observation.tags)
        if kind == "fix" or found.confidence < CONFIDENCE_MIN:
            continue
        observed = _TYPES_OF_OBSERVATIONS.get(found.observation.type, "fact")
        text = found.observation.narrative if len(found.observation.title) < 12 else found.observation.title
        kept.append(
            Candidate(
                type=_TYPES.get(kind, observed),
                text=text or found.observation.title,
                confidence=min(_CONFIDENCE[kind], found.confidence),
                source="rules",
            )
        )
    return kept
