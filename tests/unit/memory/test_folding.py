"""What says the same is answered once, and an echo never stands above what it repeats."""

from __future__ import annotations

from dataclasses import replace

import pytest

from beaver.memory.retrieval.answer.folding import fold
from beaver.memory.retrieval.echoes import echoed_share
from beaver.memory.retrieval.store import Passage

SAID = "My dog is called Biscuit. He is four."
EXTRACT = "From what is stored here:\n- My dog is called Biscuit. (from memory)\n\n(No model is configured.)"


def passage(number: int, role: str, text: str, *, at_ms: int = 0) -> Passage:
    return Passage(
        id=number,
        conversation_id=1,
        message_id=f"turn.{number}",
        document_id=None,
        observation_id=None,
        summary_id=None,
        position=0,
        observed_ms=at_ms,
        text=text,
        session_id="chat:s",
        role=role,
        speaker=role,
        uri=None,
        title=None,
        evidence=(),
    )


def answered(*ranked: Passage) -> list[tuple[int, float]]:
    """The ids in the order of the answer, each with the score that speaks for it."""
    scores = (1.0, 0.8, 0.6, 0.4)
    return [(one.passage.id, one.of) for one in fold(list(zip(ranked, scores, strict=False)))]


def test_a_source_stands_above_its_echo_and_has_its_evidence() -> None:
    echo, other = passage(2, "assistant", EXTRACT, at_ms=5), passage(3, "user", "Cats are fine too, I think.")
    assert answered(echo, other, passage(1, "user", SAID)) == [(1, 1.0), (3, 0.8), (2, 0.6)]
    assert answered(passage(1, "user", SAID), echo) == [(1, 1.0), (2, 0.8)]


def test_an_echo_that_says_little_else_is_folded_into_its_source() -> None:
    echo = passage(2, "assistant", "You said: my dog is called Biscuit.", at_ms=5)
    (kept,) = fold([(echo, 1.0), (passage(1, "user", SAID), 0.5)])
    assert (kept.passage.id, kept.of, kept.also) == (1, 1.0, ["turn.2"])


@pytest.mark.parametrize(
    ("echo", "source"),
    [
        (passage(2, "user", EXTRACT, at_ms=5), passage(1, "user", SAID)),
        (passage(2, "assistant", EXTRACT, at_ms=5), passage(1, "user", SAID, at_ms=6)),
        (passage(2, "assistant", "Biscuit? A dog.", at_ms=5), passage(1, "user", "A dog.")),
        (
            passage(2, "assistant", "Why is the sky blue? It scatters.", at_ms=5),
            passage(1, "user", "Why is the sky blue?"),
        ),
        (passage(2, "assistant", "Dogs are called many things, Biscuit too.", at_ms=5), passage(1, "user", SAID)),
    ],
    ids=["a user's", "said before", "too short", "a question", "other words"],
)
def test_what_is_no_echo_keeps_its_place(echo: Passage, source: Passage) -> None:
    assert echoed_share(echo, source) == 0
    assert answered(echo, source) == [(2, 1.0), (1, 0.8)]


def test_an_echo_in_chinese_is_known_too() -> None:
    source = passage(1, "user", "我的狗叫饼干。")
    assert echoed_share(passage(2, "assistant", "根据记忆：我的狗叫饼干。", at_ms=5), source) > 0.5


def learned(number: int, text: str, *from_messages: str) -> Passage:
    """An observation's passage."""
    told = replace(passage(number, "user", text), message_id=None, observation_id=f"obs_{number}")
    return replace(told, evidence=from_messages)


def test_the_same_words_are_answered_once_and_counted_whatever_their_case_and_signs() -> None:
    said = [passage(1, "user", "A dog, Rex!"), passage(2, "user", "a dog rex"), passage(3, "user", "a cat")]
    first, other = fold([(one, None) for one in said])
    assert (first.passage.id, first.copies, first.also) == (1, 2, ["turn.2"])
    assert (other.passage.id, other.copies, other.also) == (3, 1, [])


def test_parts_of_one_message_are_answered_once_and_are_no_copies() -> None:
    part = passage(1, "user", "the first half")
    (kept,) = fold([(part, None), (replace(part, id=2, position=1, text="the second half"), None)])
    assert (kept.passage.id, kept.copies, kept.also) == (1, 1, [])


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_what_was_learned_and_what_it_was_learned_from_are_one_answer(order: tuple[int, int]) -> None:
    both = (passage(1, "user", "I moved to Porto in May."), learned(2, "Lives in Porto", "turn.1"))
    first, second = (both[at] for at in order)
    (kept,) = fold([(first, None), (second, None)])
    assert kept.passage is first
    assert kept.also == [("turn.1", "obs_2")[order[1]]]


def test_a_document_of_the_same_words_is_an_answer_of_its_own() -> None:
    paper = replace(passage(2, "user", "A dog, Rex!"), message_id=None, document_id="doc", conversation_id=None)
    assert len(fold([(passage(1, "user", "A dog, Rex!"), None), (paper, None)])) == 2


def summary_of(number: int, text: str) -> Passage:
    """The summary of the session in which all of these speak."""
    return replace(passage(number, "user", text), message_id=None, role=None, speaker=None, summary_id=f"sum_{number}")


def test_what_a_summary_quotes_stands_for_it_in_its_place() -> None:
    told, other = summary_of(1, f"{SAID}\nNoted."), passage(2, "user", "Cats are fine too, I think.")
    assert answered(told, other, passage(3, "user", SAID)) == [(3, 1.0), (2, 0.8)]
    (kept,) = fold([(passage(3, "user", SAID), None), (told, None)])
    assert (kept.passage.id, kept.copies, kept.also) == (3, 1, ["sum_1"])


def test_several_passages_together_stand_for_a_summary() -> None:
    decided = learned(3, "We paint the kitchen green", "turn.9")
    told = summary_of(1, "Shall we paint?\nGreen it is, then, and soon.\nWe paint the kitchen green")
    asked = passage(2, "user", "Shall we paint?")
    assert answered(told, asked, decided) == [(2, 1.0), (3, 0.6)]


def test_a_summary_that_says_more_or_is_of_another_session_keeps_its_place() -> None:
    told = summary_of(1, f"{SAID}\nA long answer about the herons behind the mill and their young.")
    assert answered(told, passage(2, "user", SAID)) == [(1, 1.0), (2, 0.8)]
    elsewhere = replace(passage(2, "user", SAID), conversation_id=7)
    assert answered(summary_of(1, f"{SAID}\nNoted."), elsewhere) == [(1, 1.0), (2, 0.8)]


def test_who_said_the_same_words_last_stands_for_all() -> None:
    told = summary_of(1, "a dog rex")
    said = [
        passage(2, "user", "A dog, Rex!", at_ms=5),
        passage(3, "user", "a dog rex", at_ms=9),
        passage(4, "user", "A dog: Rex"),
    ]
    (kept,) = fold([(one, None) for one in (told, *said)])
    assert (kept.passage.id, kept.copies, kept.also) == (3, 3, ["turn.2", "turn.4", "sum_1"])


def test_a_summary_in_a_messages_words_does_not_part_it_from_what_was_learned_of_it() -> None:
    said, observed = (
        passage(3, "user", "I moved to Berlin."),
        learned(2, "I moved to Berlin\nlives in: Berlin", "turn.3"),
    )
    (kept,) = fold([(summary_of(1, "I moved to Berlin."), None), (observed, None), (said, None)])
    assert (kept.passage.id, kept.also) == (2, ["turn.3", "sum_1"])


def test_an_answer_knows_the_observations_that_it_stands_for() -> None:
    said, observed = passage(1, "user", "I moved to Porto in May."), learned(2, "Lives in Porto", "turn.1")
    for order in ((said, observed), (observed, said)):
        (kept,) = fold([(one, None) for one in order])
        assert kept.learned == ["obs_2"]
