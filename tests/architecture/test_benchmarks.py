"""The benchmarks still fit what they measure: nobody runs them in every change, so that a renamed function would go unseen."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from beaver.memory.retrieval.order import blend
from tests.architecture.readme import README
from tests.bench.__main__ import OF_DATA, command_line, main
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


@pytest.mark.parametrize("name", ["locomo", "memory-peers", "memory-writes", "recall-policy"])
@pytest.mark.parametrize(
    ("content", "rule"),
    [
        (None, "must be a file that can be read (No such file or directory)"),
        (b"\xff", "must be a file of JSON in UTF-8"),
        (b"[", "must be a file of JSON in UTF-8"),
        (b"{}", "must be a list of LoCoMo's conversations"),
        (b'[{"qa": []}]', "must be a list of LoCoMo's conversations"),
        (b"7", "must be a list of LoCoMo's conversations"),
    ],
)
def test_a_file_that_no_benchmark_can_read_is_refused_by_its_option_and_rule(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, content: bytes | None, rule: str
) -> None:
    file = tmp_path / "data.json"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(SystemExit) as ended:
        main([name, "--data", str(file)])
    assert ended.value.code == 2
    assert f"error: --data: {rule}" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("said", "rule"),
    [
        (["locomo"], "--data: is required for locomo"),
        (["memory-peers"], "--data: is required for memory-peers"),
        (["growth", "--plot", "no-such-folder/growth.svg"], "--plot: must be in a folder that there is"),
    ],
)
def test_what_a_benchmark_needs_is_looked_at_before_it_measures(
    capsys: pytest.CaptureFixture[str], said: list[str], rule: str
) -> None:
    with pytest.raises(SystemExit):
        main(said)
    assert rule in capsys.readouterr().err


@pytest.mark.parametrize("name", SETTINGS)
async def test_what_a_setting_leaves_out_of_the_policy_is_there(name: str) -> None:
    async with policy(None, SETTINGS[name]) as made:
        assert made is not None


@pytest.mark.parametrize("name", INGREDIENTS)
def test_an_ingredient_of_the_ablation_is_weighed_in_the_blend(name: str) -> None:
    assert set(INGREDIENTS[name]) <= blend.PIECES.keys() | blend.VECTORS.keys()
