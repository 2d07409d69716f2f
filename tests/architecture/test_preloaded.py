"""What processes are forked with: the standard library leaves out in silence what is not there."""

from __future__ import annotations

from importlib.util import find_spec

import pytest

from tests.support.forking import PRELOADED


@pytest.mark.parametrize("name", PRELOADED)
def test_every_module_that_is_loaded_beforehand_is_there(name: str) -> None:
    assert find_spec(name) is not None
