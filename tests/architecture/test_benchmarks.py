"""The benchmarks still fit what they measure: nobody runs them in every change, so that a renamed function would go unseen."""

from __future__ import annotations

import re

import pytest

from beaver.memory.retrieval import blend
from tests.architecture.readme import README
from tests.bench.__main__ import OF_DATA, command_line
from tests.bench.locomo import INGREDIENTS
from tests.bench.options import chosen_options
from tests.bench.recall_stage import SETTINGS, policy

DOCUMENTED = sorted(
    set(re.findall(r"`uv run [^`|]*?python -m tests\.bench ([^`|]+)`", README.read_text(encoding="utf-8")))
)


def test_benchmarks_are_documented() -> None:
    assert len(DOCUMENTED) > 10
    assert {name.split()[0] for name in DOCUMENTED} >= OF_DATA


@pytest.mark.parametrize("said", DOCUMENTED)
def test_every_documented_benchmark_takes_its_options(said: str) -> None:
    assert chosen_options(command_line().parse_args(said.split()))


@pytest.mark.parametrize("name", SETTINGS)
async def test_what_a_setting_leaves_out_of_the_policy_is_there(name: str) -> None:
    async with policy(None, SETTINGS[name]) as made:
        assert made is not None


@pytest.mark.parametrize("name", INGREDIENTS)
def test_an_ingredient_of_the_ablation_is_weighed_in_the_blend(name: str) -> None:
    assert set(INGREDIENTS[name]) <= blend.PIECES.keys() | blend.VECTORS.keys()
