"""Remembered questions: asked once, forgotten at the bound, and a failure is no answer."""

from __future__ import annotations

import pytest

from beaver.errors import Unavailable
from beaver.memory.inference.port import Encoded
from beaver.memory.inference.remembering import CHARACTERS_READ_MAX, QUESTIONS_MAX, RememberingEncoder
from tests.support.encoders import WordEncoder


class CountingEncoder(WordEncoder):
    """Counts questions; fails while told to."""

    def __init__(self) -> None:
        super().__init__()
        self.questions: list[str] = []
        self.fails = False

    async def encode_question(self, text: str) -> Encoded:
        self.questions.append(text)
        if self.fails:
            raise Unavailable("not now")
        return await super().encode_question(text)


async def test_the_same_question_is_encoded_once() -> None:
    inner = CountingEncoder()
    encoder = RememberingEncoder(inner)
    first, again = await encoder.encode_question("when?"), await encoder.encode_question("when?")
    assert first is again
    assert inner.questions == ["when?"]


async def test_the_question_asked_longest_ago_is_forgotten_at_the_bound() -> None:
    inner = CountingEncoder()
    encoder = RememberingEncoder(inner)
    for number in range(QUESTIONS_MAX):
        await encoder.encode_question(f"question {number}")
    await encoder.encode_question("question 0")
    await encoder.encode_question("one more")
    inner.questions.clear()
    await encoder.encode_question("question 0")
    await encoder.encode_question("question 1")
    assert inner.questions == ["question 1"]


async def test_a_failure_is_not_remembered() -> None:
    inner = CountingEncoder()
    encoder = RememberingEncoder(inner)
    inner.fails = True
    with pytest.raises(Unavailable):
        await encoder.encode_question("when?")
    inner.fails = False
    assert (await encoder.encode_question("when?")).vector.shape == (encoder.dimensions,)


async def test_of_a_question_as_long_as_a_book_the_beginning_is_asked_and_kept() -> None:
    inner = CountingEncoder()
    encoder = RememberingEncoder(inner)
    book = "when? " * CHARACTERS_READ_MAX
    await encoder.encode_question(book)
    await encoder.encode_question(f"{book} and then?")
    assert inner.questions == [book[:CHARACTERS_READ_MAX]]
