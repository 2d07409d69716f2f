"""What a capture rule is made of: the words that it looks for, and what they come to."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from beaver.memory.observations.records import ObservationType

Kind = Literal["remember", "rule", "preference", "decision", "profile", "task", "fix"]


@dataclass(frozen=True)
class Rule:
    """Words that make a sentence worth remembering, looked for where a clause begins, or with `opens` only where the
    sentence does: a later clause may tell of somebody else.

    A group `value` is the value of the single-valued `attribute` ("lives in"), which a group `of` narrows ("favourite
    tea"); a group `content` is what is to be remembered, the words before it only saying so.
    """

    kind: Kind
    type: ObservationType
    pattern: re.Pattern[str]
    confidence: float
    attribute: str | None = None
    opens: bool = False


@dataclass(frozen=True)
class Language:
    """How one language says it. `lead` is politeness before the matter, `clause` what stands before a clause within one,
    `setting` a beginning that belongs to the clause after it (when, where); the other patterns say that a sentence is not to be
    read (`question`, `supposed`, `attributed`, `secret`), is said doubtfully (`hedge`), or hands over a text to work on
    (`payload`); `private` asks not to be remembered; `conditional` is a supposition under which rules alone are read."""

    rules: tuple[Rule, ...]
    lead: re.Pattern[str]
    clause: re.Pattern[str]
    setting: re.Pattern[str]
    question: re.Pattern[str]
    supposed: re.Pattern[str]
    conditional: re.Pattern[str]
    attributed: re.Pattern[str]
    hedge: re.Pattern[str]
    payload: re.Pattern[str]
    private: re.Pattern[str]
    secret: re.Pattern[str]
