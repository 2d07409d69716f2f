"""What is found by likeness to labelled messages: what must never be judged, and an encoder that cannot be asked."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from beaver.memory.capture.learned.judging import is_unlikely, kind_of
from beaver.memory.capture.learned.marks import marks_of
from beaver.memory.capture.learned.weights import KINDS, weights_of
from beaver.memory.capture.rules import SENTENCES_LEARNED
from beaver.memory.capture.service import SENTENCES_ENCODED_MAX, Capture
from beaver.memory.inference.local import LOCAL_MODEL, open_local_encoder
from beaver.memory.inference.port import Encoder
from beaver.memory.observations.records import NewObservation
from beaver.memory.transcripts.said import SaidMessage
from tests.support.encoders import TestedEncoder

DIMENSIONS = 384
SAID = "I push papers at the tax office"
"""A sentence that no rule takes and the weights were fitted on."""
CHINESE = "我家有只二哈，今年三岁"


@pytest.fixture(scope="module")
async def encoder() -> AsyncIterator[Encoder]:
    opened = open_local_encoder()
    yield opened
    await opened.close()


async def captured(encoder: Encoder | None, *contents: str, role: str = "user") -> list[NewObservation]:
    messages = [SaidMessage("t", f"t.{number}", role, "ada", content, 1) for number, content in enumerate(contents)]
    return (await Capture(encoder=encoder).capture(messages, "ada")).observations


async def test_an_encoder_finds_what_no_rule_takes(encoder: Encoder) -> None:
    (found,) = await captured(encoder, f"{SAID}.")
    assert (found.title, found.type, found.tags, found.facts) == (SAID, "discovery", ("profile",), ())
    assert await captured(None, f"{SAID}.") == []


async def test_chinese_needs_no_encoder() -> None:
    assert [one.title for one in await captured(None, f"{CHINESE}。")] == [CHINESE]


async def test_what_is_found_stands_in_the_order_in_which_it_was_said(encoder: Encoder) -> None:
    found = await captured(encoder, "I live in Oslo.", SAID, "We decided to use PostgreSQL.")
    assert [one.title for one in found] == ["I live in Oslo", SAID, "We decided to use PostgreSQL"]


async def test_a_broken_encoder_costs_what_it_would_have_found_and_no_more() -> None:
    broken = TestedEncoder(LOCAL_MODEL, DIMENSIONS)
    broken.broken = True
    assert [one.title for one in await captured(broken, "I live in Oslo.", SAID)] == ["I live in Oslo"]
    assert broken.asked == [[SAID]]


async def test_an_encoder_of_other_vectors_is_not_asked() -> None:
    other = TestedEncoder("another", DIMENSIONS)
    assert await captured(other, SAID) == []
    assert other.asked == []


@pytest.mark.parametrize(
    "content",
    [
        f"{SAID}?",
        f"If only {SAID}",
        f"Maybe {SAID}, who knows",
        f"My neighbour says {SAID}",
        f'She said "{SAID}"',
        f"> {SAID}",
        f"```\n{SAID}\n```",
        f"Translate into French:\n{SAID}.",
        f"{SAID}. Please don't remember this.",
        f"{SAID}, my password is hunter22",
        f"<memory>\n{SAID}\n</memory>",
        f"{SAID}. " + "The weather is fine. " * SENTENCES_LEARNED,
    ],
)
async def test_what_is_left_alone_is_not_even_encoded(content: str) -> None:
    asked = TestedEncoder(LOCAL_MODEL, DIMENSIONS)
    assert await captured(asked, content) == []
    assert all(SAID not in text for texts in asked.asked for text in texts)


async def test_of_an_import_only_the_first_sentences_are_encoded() -> None:
    asked = TestedEncoder(LOCAL_MODEL, DIMENSIONS)
    await captured(asked, *[SAID] * (SENTENCES_ENCODED_MAX + 1))
    assert [len(texts) for texts in asked.asked] == [SENTENCES_ENCODED_MAX]


async def test_an_assistants_word_is_not_encoded() -> None:
    asked = TestedEncoder(LOCAL_MODEL, DIMENSIONS)
    assert await captured(asked, SAID, role="assistant") == []
    assert asked.asked == []


async def test_a_sentence_that_leans_on_the_one_before_is_left_alone() -> None:
    asked = TestedEncoder(LOCAL_MODEL, DIMENSIONS)
    await captured(asked, "Fifty people came to the fair. And he collects old radios. The bass player cooks.")
    assert asked.asked == [["Fifty people came to the fair.", "The bass player cooks."]]


@pytest.mark.parametrize(("language", "dimensions"), [("english", DIMENSIONS), ("chinese", 0)])
def test_weights_fit_what_they_are_for(language: str, dimensions: int) -> None:
    weights = weights_of(language)
    assert len(weights.vector) == dimensions
    assert (weights.model == LOCAL_MODEL) == bool(dimensions)
    assert {len(row) for row in (*weights.marks.values(), *weights.vector, weights.bias)} == {1 + len(KINDS)}


def test_marks_are_words_and_characters_with_their_neighbours() -> None:
    assert marks_of("I own 3 Looms.") == {"i", "own", "0", "looms", "< i", "i own", "own 0", "0 looms", "looms >"}
    assert marks_of("我戒烟12年。") == {*"我戒烟0年", "<我", "我戒", "戒烟", "烟0", "0年", "年>"}


@pytest.mark.parametrize(
    "content", ["Ich trinke meinen Kaffee schwarz", "Je suis infirmier de nuit", "Vivo en un barco"]
)
async def test_another_language_is_left_alone(encoder: Encoder, content: str) -> None:
    assert await captured(encoder, content) == []


def test_a_sentence_of_few_known_marks_is_not_kept() -> None:
    assert kind_of("嗯", weights_of("chinese")) is None


@pytest.mark.parametrize(("content", "unlikely"), [("我登不上", True), ("我在剧团拉二胡", False)])
async def test_a_broad_rule_is_overruled_by_what_was_learned(content: str, unlikely: bool) -> None:
    assert is_unlikely(content, weights_of("chinese")) == unlikely
    assert bool(await captured(None, content)) != unlikely
