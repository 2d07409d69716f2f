"""What is loaded when the collector settles is never looked through again, and garbage is still found."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator

import pytest

from beaver.collector import THRESHOLDS, settle_collector


@pytest.fixture
def restored() -> Iterator[None]:
    """The thresholds. What was set aside stays so, as all that the test process has loaded is (`tests/conftest.py`)."""
    before = gc.get_threshold()
    yield
    gc.set_threshold(*before)


class Knot:
    """Refers to itself, so that only the collector can free it."""

    def __init__(self) -> None:
        self.itself = self


@pytest.mark.usefixtures("restored")
def test_what_is_loaded_is_set_aside_and_new_garbage_is_still_collected() -> None:
    kept = Knot()
    before = gc.get_freeze_count()
    settle_collector()
    assert gc.get_freeze_count() > before
    assert not any(each is kept for each in gc.get_objects())
    assert gc.get_threshold() == THRESHOLDS
    knot = weakref.ref(Knot())
    gc.collect()
    assert knot() is None
