"""Whether a sentence tells what was taken back."""

from __future__ import annotations

import pytest

from beaver.memory.retrieval.beside.taken_back import REPLY_MS_MAX, TakenBack, text_without
from beaver.memory.retrieval.beside.telling import tells


@pytest.mark.parametrize(
    ("sentence", "statement"),
    [
        ("You live in Paris.", "I live in Paris"),
        ("Got it, you live in Paris and love it.", "I live in Paris"),
        ("Forget that I live in Paris", "I live in Paris"),
        ("I currently live in Paris", "I live in Paris"),
        ("The user lives in Paris", "I live in Paris"),
        ("I live in Paris.", "User lives in Paris"),
        ("Your dog is called Rex", "my dog is called Rex"),
        ("I smoke.", "I smoke"),
        ("I have a dog called Rex.", "I have a dog"),
        ("I prefer tabs over spaces.", "I prefer tabs"),
        ("你住在巴黎", "我住在巴黎"),
        ("忘记我住在巴黎", "我住在巴黎"),
        ("用户住在巴黎", "我住在巴黎"),
    ],
)
def test_it_does(sentence: str, statement: str) -> None:
    assert tells(sentence, statement)


@pytest.mark.parametrize(
    ("sentence", "statement"),
    [
        ("My sister lives in Paris", "I live in Paris"),
        ("Tom lives in Paris", "I live in Paris"),
        ("She lives in Paris", "I live in Paris"),
        ("I don't live in Paris", "I live in Paris"),
        ("Tom's dog is called Rex", "my dog is called Rex"),
        ("I smoke fish for a living", "I smoke"),
        ("I prefer tabs over spaces.", "I prefer spaces"),
        ("我妹妹住在巴黎", "我住在巴黎"),
        ("我不住在巴黎", "我住在巴黎"),
    ],
)
def test_it_does_not(sentence: str, statement: str) -> None:
    assert not tells(sentence, statement)


def test_sentences_that_tell_it_go_and_others_stay() -> None:
    taken = [TakenBack(("I live in Paris",), 1000, frozenset({"m1"}))]

    def left(text: str, at_ms: int, role: str = "user", message_id: str = "m2") -> str:
        return text_without(text, taken, at_ms=at_ms, role=role, message_id=message_id)

    assert left("Hello. I live in Paris. I like tea.", 999) == "Hello. I like tea."
    assert left("I live in Paris.", 1001) == "I live in Paris."
    assert left("You live in Paris.", 1000 + REPLY_MS_MAX, "assistant") == ""
    assert left("Paris is where my flat is, I live there. I like tea.", 5, message_id="m1") == "I like tea."
    assert left("I like tea.", 5, message_id="m1") == "I like tea."
