"""Rules of capture on our own labelled sentences, and what they must never take."""

from __future__ import annotations

import pytest

from beaver.memory.capture.rules import (
    CANDIDATES_PER_MESSAGE_MAX,
    CONFIDENCE_MIN,
    SENTENCES_READ,
    candidates,
    certain_enough,
)
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


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("I moved to Oslo in May.", "lives in: Oslo"),
        ("We moved to Paris two weeks ago and love it", "lives in: Paris"),
        ("I've moved from Bergen to Rome last year", "lives in: Rome"),
        ("I relocated to Porto in early 2021", "lives in: Porto"),
        ("I've lived in Lisbon for about five years", "lives in: Lisbon"),
        ("I've lived in Oslo all my life", "lives in: Oslo"),
        ("I moved to Kyoto for work", "lives in: Kyoto"),
        ("I live in the north of Spain", "lives in: the north of Spain"),
        ("My favourite month is May", "favourite month: May"),
        ("My favourite film is The Day After Tomorrow", "favourite film: The Day After Tomorrow"),
    ],
)
def test_since_when_and_what_for_are_no_part_of_a_value(text: str, fact: str) -> None:
    assert [one.facts for one in captured(text)] == [(fact,)]


def test_where_somebody_lived_is_not_where_they_live() -> None:
    assert [(one.title, one.facts) for one in captured("I lived in Rome last year")] == [
        ("I lived in Rome last year", ())
    ]


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


def test_people_leave_apostrophes_out() -> None:
    assert [one.title for one in captured("im a nurse and i dont eat pork")] == ["im a nurse", "i dont eat pork"]


def test_traditional_characters_are_read_as_simplified_and_kept_as_said() -> None:
    (found,) = captured("我們決定把會議改到週四")
    assert (found.type, found.title) == ("decision", "我們決定把會議改到週四")


def test_a_secret_is_none_the_less_one_in_traditional_characters() -> None:
    assert captured("請記住我的密碼是abc12345。") == []


def test_what_is_told_of_a_moment_is_no_habit_but_a_decision_may_be_in_it() -> None:
    assert captured("Yesterday I was tired and I hate rain.") == []
    assert [one.type for one in captured("Yesterday we decided to sell the boat.")] == ["decision"]


def test_a_text_that_was_pasted_is_read_for_a_hundred_sentences() -> None:
    chatter = "The weather is fine. " * SENTENCES_READ
    assert captured(f"{chatter}I live in Oslo.") == []
    assert captured(f"I live in Oslo. {chatter}") != []


def test_not_to_be_kept_counts_wherever_it_is_said() -> None:
    chatter = "The weather is fine. " * SENTENCES_READ
    assert captured(f"I live in Oslo. {chatter}Please don't remember this.") == []


@pytest.mark.timeout(30)  # linear work takes a tenth of a second; what backtracks takes minutes
@pytest.mark.parametrize(
    "unit",
    [
        "a, ",
        "i really ",
        "my dog and ",
        "and i ",
        "we decided to on that ",
        "tea over ",
        "> ",
        "我，",
        "明天",
        "我的",
        "'",
    ],
)
def test_words_that_almost_fit_again_and_again_cost_no_more_than_others(unit: str) -> None:
    line = (unit * 400)[:390]
    assert len(captured(f"{line}.\n" * 84)) <= CANDIDATES_PER_MESSAGE_MAX


@pytest.mark.parametrize(
    ("said", "people"),
    [
        ("My husband Tom is a nurse.", ("Tom",)),
        ("My wife is called Anna.", ("Anna",)),
        ("My older sister Mary Ann lives in Rome.", ("Mary Ann",)),
        ("我老公叫李明。", ("李明",)),
        ("My dog is called Rex.", ()),
        ("My husband is a nurse.", ()),
    ],
)
def test_whoever_is_named_by_what_they_are_to_the_speaker_is_a_person(said: str, people: tuple[str, ...]) -> None:
    (found,) = candidates([SaidMessage("t", "t.0", "user", "ada", said, 1)], "ada")
    assert found.observation.related_people == people


@pytest.mark.parametrize(
    "said",
    [
        "I no longer live in Paris.",
        "We no longer have Biscuit.",
        "I don't work at Acme any more.",
        "I'm no longer vegan.",
        "I sold the Volvo.",
        "I gave up smoking.",
        "I stopped drinking coffee.",
    ],
)
def test_what_is_over_is_worth_remembering(said: str) -> None:
    (found,) = candidates([SaidMessage("t", "t.0", "user", "ada", said, 1)], "ada")
    assert (found.observation.title, found.observation.type) == (said.rstrip("."), "discovery")


@pytest.mark.parametrize(
    "said",
    [
        "I no longer have any idea.",
        "I stopped reading the page.",
        "I gave up trying.",
        "We got rid of the bug in the parser.",
    ],
)
def test_what_only_stopped_is_not(said: str) -> None:
    assert candidates([SaidMessage("t", "t.0", "user", "ada", said, 1)], "ada") == []
