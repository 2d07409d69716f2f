"""Whether something new says that what was known is over."""

from __future__ import annotations

import pytest

from beaver.memory.observations.saying import ends, is_ending


@pytest.mark.parametrize(
    ("new", "statement"),
    [
        ("I no longer live in Paris", "I live in Paris"),
        ("I no longer live in Paris", "lives in: Paris"),
        ("I'm no longer vegan", "I am vegan"),
        ("I don't work at Acme any more", "I work at Acme"),
        ("We don't have the cat anymore", "We have a cat"),
        ("We no longer have Biscuit", "We have a dog called Biscuit"),
        ("We no longer have Biscuit", "name of dog: Biscuit"),
        ("I sold the Volvo", "I have a Volvo"),
        ("I sold my Volvo last week", "I drive a Volvo"),
        ("I gave up smoking", "I smoke"),
        ("I stopped drinking coffee", "I drink coffee every morning"),
    ],
)
def test_it_is(new: str, statement: str) -> None:
    assert is_ending(new)
    assert ends(new, statement)


@pytest.mark.parametrize(
    ("new", "statement"),
    [
        ("I no longer live in Paris", "I live in Rome"),
        ("I no longer live in Paris", "My sister lives in Paris"),
        ("I no longer own a boat", "Tom owns a boat"),
        ("I sold the Volvo", "I love Volvo engines"),
        ("We no longer have Biscuit", "I like biscuit cake"),
        ("I live in Paris", "I no longer live in Paris"),
        ("I stopped drinking coffee", "I drink tea"),
    ],
)
def test_it_is_not(new: str, statement: str) -> None:
    assert not ends(new, statement)
