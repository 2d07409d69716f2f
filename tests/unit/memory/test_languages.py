"""Without a model, what somebody told in Chinese, Japanese, Korean or German is found by what they ask of it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from beaver.memory.retrieval.asking.asked import read_question
from beaver.memory.retrieval.asking.query import ForTerms, plan_query
from beaver.memory.retrieval.index.growing import Growing
from beaver.memory.retrieval.index.index_store import MESSAGE, PassageRow
from beaver.memory.retrieval.index.snapshot import Snapshot
from beaver.memory.retrieval.order import scoring
from beaver.memory.retrieval.signature import sign
from tests.unit.memory.languages.asking import Topic
from tests.unit.memory.languages.chinese import CHINESE
from tests.unit.memory.languages.german import GERMAN
from tests.unit.memory.languages.japanese import JAPANESE
from tests.unit.memory.languages.korean import KOREAN

NOW_MS = 1_684_300_000_000
DAY_MS = 86_400_000
EVERY = {"Chinese": CHINESE, "Japanese": JAPANESE, "Korean": KOREAN, "German": GERMAN}
FIRST = 5
HITS_MIN = 0.95


def told(topics: Sequence[Topic]) -> list[str]:
    """Every message, of all topics in turn."""
    return [text for topic in topics for text in [*(answer for _, answer in topic.asked), *topic.besides]]


def memory(texts: Sequence[str]) -> Snapshot:
    """A conversation of its own for each text, a day apart."""
    growing = Growing(frozenset({"ada"}))
    days = [NOW_MS - DAY_MS * number for number in range(len(texts))]
    growing.add_passages(
        [
            PassageRow(number + 1, number, None, MESSAGE, 0, at_ms, sign(text, at_ms), "ada", None)
            for number, (text, at_ms) in enumerate(zip(texts, days, strict=True))
        ]
    )
    return growing.snapshot


def first(snapshot: Snapshot, texts: Sequence[str], question: str) -> list[str]:
    """What is found first."""
    plan = plan_query(question)
    if not isinstance(plan, ForTerms):
        return []
    asked = read_question(question, plan.terms, snapshot.speaker_stems, NOW_MS)
    matched = scoring.match(snapshot, asked, np.ones(snapshot.rows, bool))
    return [texts[row] for row in scoring.rank(snapshot, matched, None, NOW_MS).rows[:FIRST]]


def missed(topics: Sequence[Topic], texts: Sequence[str]) -> list[str]:
    """The questions whose answer is not among the first."""
    snapshot = memory(texts)
    asked = [pair for topic in topics for pair in topic.asked]
    return [question for question, answer in asked if answer not in first(snapshot, texts, question)]


@pytest.mark.parametrize("language", EVERY)
def test_an_answer_is_among_the_first_five_of_a_memory_of_the_same_topics(language: str) -> None:
    topics = EVERY[language]
    missing = missed(topics, told(topics))
    assert len(missing) <= (1 - HITS_MIN) * sum(len(topic.asked) for topic in topics), missing


def test_an_answer_is_among_the_first_five_of_a_memory_in_four_languages() -> None:
    texts = [text for topics in EVERY.values() for text in told(topics)]
    missing = [question for topics in EVERY.values() for question in missed(topics, texts)]
    assert len(missing) <= (1 - HITS_MIN) * 100, missing


@pytest.mark.parametrize(
    ("language", "question"),
    [
        ("Chinese", "量子力学的基本原理有哪些？"),
        ("Japanese", "量子力学の基本原理を説明して"),
        ("Korean", "양자역학의 기본 원리를 설명해 줘"),
        ("German", "Erkläre die Grundlagen der Quantenmechanik"),
    ],
)
def test_a_question_about_something_else_finds_nothing(language: str, question: str) -> None:
    texts = told(EVERY[language])
    assert first(memory(texts), texts, question) == []
