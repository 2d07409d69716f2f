"""What is loaded when the collector settles is never looked through again, and garbage is still found."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator

import pytest

from beaver.collector import THRESHOLDS, settle_collector


@pytest.fixture
def restored() -> Iterator[None]:
    before = gc.get_threshold()
    yield
    gc.unfreeze()
    gc.set_threshold(*before)


class Knot:
    """Refers to itself, so that only the collector can free it."""

    def __init__(self) -> None:
        self.itself = self


@pytest.mark.usefixtures("restored")
def test_what_is_loaded_is_set_aside_and_new_garbage_is_still_collected() -> None:
    settle_collector()
    assert gc.get_freeze_count() > 0
    assert gc.get_threshold() == THRESHOLDS
    knot = weakref.ref(Knot())
    gc.collect()
    assert knot() is None
