"""Stems: the same for a word whoever asks for it, and when."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from beaver.memory.retrieval.stems import stem_word

WORDS = [
    f"{root}{ending}"
    for root in ("reason", "vibrat", "motor", "condition", "relat", "trouble", "magnif")
    for ending in ("ational", "ousness", "iveness", "ability", "ing", "ed", "s", "ization", "icate")
]


@pytest.fixture
def many_switches() -> Iterator[None]:
    """Threads take turns as often as they can."""
    usual = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(usual)


@pytest.mark.usefixtures("many_switches")
def test_many_threads_at_once_get_the_stems_that_one_gets() -> None:
    uncached = stem_word.__wrapped__
    alone = [uncached(word) for word in WORDS]
    with ThreadPoolExecutor(4) as threads:
        together = list(threads.map(lambda _: [uncached(word) for word in WORDS], range(24)))
    assert all(stems == alone for stems in together)
