"""A search loads nothing of numpy's on the event loop that it can do without."""

from __future__ import annotations

import subprocess
import sys
from typing import Final

ASKED: Final = """
import sys
import numpy as np
from beaver.memory.retrieval.order.maxsim import rows_to_read
from tests.unit.memory.test_languages import first, memory

told = ["I bought a bicycle.", "We went to sea.", "Tea."]
assert first(memory(told), told, "What did I buy when I was going to the sea?")
assert not len(rows_to_read(memory(told), np.array([0, 2, 0])))
sys.exit("numpy.ma" in sys.modules)
"""


def test_masked_arrays_are_never_loaded() -> None:
    assert subprocess.run([sys.executable, "-c", ASKED], check=False).returncode == 0
