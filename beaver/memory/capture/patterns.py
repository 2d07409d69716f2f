"""What a capture rule is made of: the words that it looks for, and what they come to."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Final, Literal

from beaver.memory.capture.expressions import Expression
from beaver.memory.observations.records import ObservationType

Kind = Literal["remember", "rule", "preference", "decision", "profile", "task", "fix"]

CONFIDENCE: Final[Mapping[Kind, float]] = {
    "remember": 0.95,
    "rule": 0.72,
    "preference": 0.72,
    "decision": 0.68,
    "profile": 0.78,
    "task": 0.80,
    "fix": 0.80,
}
"""How sure a statement of each sort is worth keeping: the figures of the host's write gate, whose rules these are too."""
TYPES: Final[Mapping[Kind, ObservationType]] = {
    "remember": "discovery",
    "rule": "preference",
    "preference": "preference",
    "decision": "decision",
    "profile": "discovery",
    "task": "task",
    "fix": "discovery",
}
"""What an observation of each sort is, where a rule says nothing else."""

_GROUP_NAME: Final = re.compile(r"\(\?P<\w+>")


@dataclass(frozen=True)
class Rule:
    """Words that make a sentence worth remembering, looked for where a clause begins, or with `opens` only where the
    sentence does: a later clause may tell of somebody else.

    A group `value` is the value of the single-valued `attribute` ("lives in"), which a group `of` narrows ("favourite
    tea"); a group `content` is what is to be remembered, the words around it only saying so. A rule that is `broad` takes
    whatever is not known to pass: what was learned may overrule it.
    """

    kind: Kind
    type: ObservationType
    pattern: Expression
    attribute: str | None = None
    opens: bool = False
    broad: bool = False


@dataclass(frozen=True)
class Table:
    """Rules of one kind that look in the same places, and a guard: where it does not fit, none of them does."""

    rules: tuple[Rule, ...]
    guard: Expression

    @property
    def kind(self) -> Kind:
        return self.rules[0].kind

    @property
    def opens(self) -> bool:
        return self.rules[0].opens


def tables(*rules: Rule) -> tuple[Table, ...]:
    """The rules in their order, those of a table together: one call of the regular expression engine instead of many."""
    return tuple(_table(tuple(alike)) for _, alike in groupby(rules, key=lambda one: (one.kind, one.opens)))


def _table(alike: tuple[Rule, ...]) -> Table:
    any_of = "|".join(_GROUP_NAME.sub("(?:", one.pattern.pattern) for one in alike)
    return Table(alike, Expression(any_of, alike[0].pattern.flags))


def any_of(words: str) -> str:
    """A pattern of any of the words, themselves patterns, that white space sets apart; `_` is the space within one."""
    return f"(?:{'|'.join(words.split())})".replace("_", " ")


def rule(
    kind: Kind,
    pattern: Expression,
    attribute: str | None = None,
    *,
    observed: ObservationType | None = None,
    opens: bool = False,
    broad: bool = False,
) -> Rule:
    """A rule whose observation is of the type that its kind has by default, or of the type `observed`."""
    return Rule(kind, observed or TYPES[kind], pattern, attribute, opens, broad)
