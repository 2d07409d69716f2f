"""Capture without a language model measured on labelled messages; `pytest -s` shows the figures, of all and by kind.

Rules alone, and with what was learned beside them: of English by an encoder, of Chinese without. The floors lie a few points
under what was measured, so that a change of the rules is free to cost one message.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Final

import pytest

from beaver.memory.capture.service import Capture
from beaver.memory.inference.local import open_local_encoder
from beaver.memory.inference.port import Encoder
from beaver.memory.observations.records import NewObservation
from beaver.memory.transcripts.said import SaidMessage
from tests.unit.memory.capture.messages import COLOURFUL, EVERYDAY, FRESH, HELD, LATER, OWN_WORDS, PLAIN, Labelled
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
MEASURED: Final = {"English": Floor(0.92, 0.7), "Chinese": Floor(0.9, 0.79)}
EVERYDAY_WORDS: Final = {"English": Floor(0.93, 0.85), "Chinese": Floor(0.93, 0.89)}
OWN: Final = {"English": Floor(0.8, 0.43, 0.8), "Chinese": Floor(0.8, 0.6, 0.8)}
HELD_BACK: Final = {"English": Floor(0.82, 0.43, 0.78), "Chinese": Floor(0.82, 0.7, 0.78)}


@pytest.fixture(scope="module")
async def encoder() -> AsyncIterator[Encoder]:
    opened = open_local_encoder()
    yield opened
    await opened.close()


async def captured(text: str, encoder: Encoder | None) -> list[NewObservation]:
    capture = Capture(encoder=encoder)
    return (await capture.capture([SaidMessage("t", "t.0", "user", "ada", text, 1)], "ada")).observations


async def assert_above(floor: Floor, rows: Labelled, name: str, encoder: Encoder | None) -> None:
    found = [(label, await captured(text, encoder)) for label, text in rows]
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
async def test_rules_fit_what_they_were_improved_on(rows: dict[str, Labelled], language: str) -> None:
    await assert_above(LOOKED_AT, rows[language], f"{language}, looked at", None)


@pytest.mark.parametrize("language", LANGUAGES)
async def test_weights_fit_what_they_were_fitted_on(language: str, encoder: Encoder) -> None:
    await assert_above(Floor(0.88, 0.47, 0.85), OWN_WORDS[language], f"{language}, own words, fitted on", encoder)


@pytest.mark.parametrize("language", LANGUAGES)
async def test_of_what_was_never_looked_at_most_is_found_and_little_taken_wrongly(
    language: str, encoder: Encoder
) -> None:
    await assert_above(MEASURED[language], FRESH[language], f"{language}, fresh", encoder)


@pytest.mark.parametrize("language", LANGUAGES)
async def test_what_is_said_in_everyday_words_is_found(language: str, encoder: Encoder) -> None:
    await assert_above(EVERYDAY_WORDS[language], PLAIN[language], f"{language}, fresh, everyday words", encoder)


@pytest.mark.parametrize("language", LANGUAGES)
async def test_what_is_said_in_a_persons_own_words_is_found_half_of_the_time(language: str, encoder: Encoder) -> None:
    await assert_above(OWN[language], COLOURFUL[language], f"{language}, fresh, own words", encoder)
    await assert_above(HELD_BACK[language], HELD[language], f"{language}, own words, held back", encoder)


async def test_english_without_an_encoder_is_found_by_rules_alone() -> None:
    await assert_above(Floor(0.92, 0.6), FRESH["English"], "English, fresh, rules alone", None)
    await assert_above(Floor(0.93, 0.78), PLAIN["English"], "English, fresh, everyday words, rules alone", None)
    await assert_above(Floor(0.7, 0.28, 0.8), COLOURFUL["English"], "English, fresh, own words, rules alone", None)
