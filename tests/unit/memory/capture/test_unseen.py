"""Rules of capture on sentences that were written without them; `pytest -s` shows the figures."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from beaver.memory.capture.rules import candidates, certain_enough
from beaver.memory.transcripts.said import SaidMessage
from tests.unit.memory.capture.unseen import LOOKED_AT, WITHHELD, Labelled

TYPES = {
    "preference": {"preference"},
    "rule": {"preference"},
    "decision": {"decision"},
    "fact": {"discovery", "event", "person", "technical"},
    "todo": {"task", "event"},
}


@dataclass(frozen=True)
class Figures:
    """`sort`: of what was rightly captured, how much as what it is."""

    precision: float
    recall: float
    sort: float


def measured(rows: Labelled) -> Figures:
    found = [
        (label, certain_enough(candidates([SaidMessage("t", "t.0", "user", "ada", text, 1)], "ada")))
        for label, text in rows
    ]
    right = [(label, one) for label, one in found if one and label in TYPES]
    sorted_right = sum(one[0].type in TYPES[label] for label, one in right)
    taken, worth = sum(bool(one) for _, one in found), sum(label in TYPES for label, _ in found)
    return Figures(len(right) / taken, len(right) / worth, sorted_right / len(right))


@pytest.mark.parametrize("language", ["English", "Chinese"])
def test_rules_fit_the_half_that_they_were_improved_on(language: str) -> None:
    figures = measured(LOOKED_AT[language])
    print(f"{language}, looked at: {figures}")
    assert figures.precision >= 0.95
    assert figures.recall >= 0.9
    assert figures.sort >= 0.95


@pytest.mark.parametrize("language", ["English", "Chinese"])
def test_of_what_no_rule_has_seen_little_is_taken_wrongly(language: str) -> None:
    figures = measured(WITHHELD[language])
    print(f"{language}, withheld: {figures}")
    assert figures.precision >= 0.8
