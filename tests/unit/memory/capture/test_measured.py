"""Rules of capture measured on labelled messages; `pytest -s` shows the figures, of all and by kind.

The floors lie a few points under what was measured, so that a change of the rules is free to cost one message.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Final

import pytest

from beaver.memory.capture.rules import candidates, certain_enough
from beaver.memory.observations.records import NewObservation
from beaver.memory.transcripts.said import SaidMessage
from tests.unit.memory.capture.messages import COLOURFUL, EVERYDAY, FRESH, LATER, PLAIN, Labelled
from tests.unit.memory.capture.unseen import UNSEEN

LANGUAGES: Final = ("English", "Chinese")
TYPES: Final = {
    "preference": {"preference"},
    "rule": {"preference"},
    "decision": {"decision"},
    "fact": {"discovery", "event", "person", "technical"},
    "fix": {"discovery"},
    "todo": {"task", "event"},
    "explicit": {"discovery", "preference", "task"},
}
"""The labels of what is worth remembering, with the types that fit; every other label must give nothing."""


@dataclass(frozen=True)
class Floor:
    """`sort`: of what was rightly captured, how much as what it is."""

    precision: float
    recall: float
    sort: float = 0.88


LOOKED_AT: Final = Floor(0.95, 0.9)
MEASURED: Final = {"English": Floor(0.92, 0.6), "Chinese": Floor(0.88, 0.7)}


def captured(text: str) -> list[NewObservation]:
    return certain_enough(candidates([SaidMessage("t", "t.0", "user", "ada", text, 1)], "ada"))


def assert_above(floor: Floor, rows: Labelled, name: str) -> None:
    found = [(label, captured(text)) for label, text in rows]
    right = [(label, one) for label, one in found if one and label in TYPES]
    precision = len(right) / sum(bool(one) for _, one in found)
    recall = len(right) / sum(label in TYPES for label, _ in found)
    sort = sum(one[0].type in TYPES[label] for label, one in right) / len(right)
    of, hit = Counter(label for label, _ in found), Counter(label for label, one in found if one)
    print(f"\n{name}: {len(rows)} messages, precision {precision:.3f}, recall {recall:.3f}, sort {sort:.3f}")
    print("  captured:", ", ".join(f"{label} {hit[label]}/{of[label]}" for label in of))
    assert precision >= floor.precision
    assert recall >= floor.recall
    assert sort >= floor.sort


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("rows", [UNSEEN, EVERYDAY, LATER], ids=["unseen", "everyday", "later"])
def test_rules_fit_what_they_were_improved_on(rows: dict[str, Labelled], language: str) -> None:
    assert_above(LOOKED_AT, rows[language], f"{language}, looked at")


@pytest.mark.parametrize("language", LANGUAGES)
def test_of_what_no_rule_has_met_most_is_found_and_little_taken_wrongly(language: str) -> None:
    assert_above(MEASURED[language], FRESH[language], f"{language}, fresh")


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_said_in_everyday_words_is_found(language: str) -> None:
    assert_above(Floor(0.93, 0.78), PLAIN[language], f"{language}, fresh, everyday words")


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_said_in_a_persons_own_words_is_found_less_often(language: str) -> None:
    assert_above(Floor(0.7, 0.28, 0.8), COLOURFUL[language], f"{language}, fresh, own words")
