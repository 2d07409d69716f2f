"""What the API's description says is so: statuses, media types, schemas, keys, methods; and nothing wrong is accepted.

The default tests make the same requests each time. `uv run pytest -m soak tests/contract/api_fuzz` makes others, for half
an hour on each database; its report names the seed.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.contract.api_fuzz.fuzzer import fuzz

STEADY = "--generation-deterministic"
OPENAIS = r"^/v1/(chat|responses)"
SOAK_S = 1800
# Ten seconds of work each, most of it the fuzzer's own.
CROWDED = pytest.mark.timeout(600)


@CROWDED
@pytest.mark.parametrize("which", ["--include-path-regex", "--exclude-path-regex"], ids=["openai", "others"])
async def test_each_rule_of_the_schema_is_kept_and_its_breach_refused(
    tmp_path: Path, sqlite_url: str, which: str
) -> None:
    verdict = await fuzz(tmp_path, sqlite_url, STEADY, "--phases", "examples,coverage", which, OPENAIS)

    assert verdict.passed, verdict.report
    assert verdict.requests > 200


@CROWDED
async def test_random_requests_and_chains_of_them_are_answered_as_described(tmp_path: Path, sqlite_url: str) -> None:
    verdict = await fuzz(tmp_path, sqlite_url, STEADY, "--phases", "fuzzing,stateful", "--max-examples", "5")

    assert verdict.passed, verdict.report
    assert verdict.requests > 100


@pytest.mark.soak
@pytest.mark.timeout(SOAK_S + 600)
async def test_half_an_hour_of_other_requests(tmp_path: Path, database_url: str) -> None:
    verdict = await fuzz(tmp_path, database_url, "--max-time", str(SOAK_S))

    assert verdict.passed, verdict.report
    assert verdict.requests > 1000
