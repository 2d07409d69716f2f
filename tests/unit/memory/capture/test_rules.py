"""Rules of capture on our own labelled sentences, and what they must never take."""

from __future__ import annotations

import pytest

from beaver.memory.capture.rules import CONFIDENCE_MIN, candidates, certain_enough
from beaver.memory.observations.records import NewObservation
from beaver.memory.transcripts.said import SaidMessage
from tests.unit.memory.capture.labelled import CHINESE, ENGLISH

PRECISION_MIN = 0.9
RECALL_MIN = 0.8


def captured(content: str, *, role: str = "user", speaker: str = "ada") -> list[NewObservation]:
    return certain_enough(candidates([SaidMessage("t", "t.0", role, speaker, content, 1)], "ada"))


@pytest.mark.parametrize("labelled", [ENGLISH, CHINESE], ids=["English", "Chinese"])
def test_what_is_captured_is_worth_it_and_little_is_missed(labelled: tuple[tuple[str | None, str], ...]) -> None:
    outcomes = [(label, captured(text)) for label, text in labelled]
    right = sum(1 for label, found in outcomes if label in {one.type for one in found})

    assert right / sum(1 for _, found in outcomes if found) >= PRECISION_MIN
    assert right / sum(1 for label, _ in outcomes if label is not None) >= RECALL_MIN


def test_each_clause_stands_for_itself() -> None:
    found = captured("My name is Ada and I live in Oslo.")
    assert [(one.title, one.facts) for one in found] == [
        ("My name is Ada", ("name: Ada",)),
        ("I live in Oslo", ("lives in: Oslo",)),
    ]


def test_an_explicit_wish_keeps_the_content_only() -> None:
    (found,) = captured("Please remember that my favourite tea is Earl Grey.")
    assert (found.title, found.type, found.facts) == (
        "my favourite tea is Earl Grey",
        "preference",
        ("favourite tea: Earl Grey",),
    )


def test_another_speaker_is_named() -> None:
    (found,) = captured("I live in Oslo.", speaker="Melanie")
    assert (found.title, found.facts, found.related_people) == (
        "Melanie: I live in Oslo",
        ("Melanie: lives in: Oslo",),
        ("Melanie",),
    )


@pytest.mark.parametrize(
    "content",
    [
        "<memory>\nI live in Oslo.\n</memory>",
        "<<<RECALLED-MEMORY x\nI live in Oslo.\nRECALLED-MEMORY x>>>",
        "<<<RECALLED-MEMORY x\nI live in Oslo.",
        "> I live in Oslo.",
        "```\nI live in Oslo.\n```",
        "Translate into French:\nI live in Oslo. I love cats.",
        "As you remember, I live in Oslo.",
    ],
)
def test_8_recalled_quoted_and_pasted_text_gives_nothing(content: str) -> None:
    assert captured(content) == []


def test_an_assistants_word_is_no_evidence() -> None:
    assert captured("I live in the cloud. We decided to use PostgreSQL.", role="assistant", speaker="beaver") == []


def test_doubt_lowers_confidence_below_the_threshold() -> None:
    (doubtful,) = candidates([SaidMessage("t", "t.0", "user", "ada", "I prefer tea, I guess.", 1)], "ada")
    assert doubtful.confidence < CONFIDENCE_MIN
