"""A fix is one that a tool's result bears out."""

from __future__ import annotations

import pytest

from beaver.agent.middleware import ToolOutput
from beaver.agent.policy.fixes import Attempt, verified_fix
from beaver.agent.policy.privacy import redact
from beaver.agent.policy.write_gate import CONFIDENCE_MIN

FAILED = Attempt("shell", "Traceback:\n  line 3\nModuleNotFoundError: No module named 'numpy'", failed=True)
WORKED = Attempt("shell", "12 passed", failed=False)
ANSWER = "The tests pass now. The problem was a missing package, fixed by installing numpy into the environment."


def test_success_after_a_failure_of_the_same_tool_is_a_fix() -> None:
    fix = verified_fix([FAILED, WORKED], ANSWER)

    assert fix is not None
    assert fix.type == "fix"
    assert fix.source == "tool"
    assert fix.confidence == 0.8 >= CONFIDENCE_MIN
    assert fix.text == (
        "shell failed (ModuleNotFoundError: No module named 'numpy'); "
        "The problem was a missing package, fixed by installing numpy into the environment."
    )


@pytest.mark.parametrize(
    "attempts",
    [
        [],
        [WORKED],
        [FAILED],
        [WORKED, FAILED],
        [FAILED, WORKED, FAILED],
        [FAILED, Attempt("other", "fine", failed=False)],
    ],
)
def test_anything_less_is_none(attempts: list[Attempt]) -> None:
    assert verified_fix(attempts, ANSWER) is None


def test_an_answer_that_tells_no_remedy_gives_none() -> None:
    assert verified_fix([FAILED, WORKED], "All 12 tests pass.") is None


def test_a_fix_fits_an_item_however_long_its_parts() -> None:
    failed = Attempt.of(ToolOutput("shell", "E" + "x" * 5_000, is_error=True))
    fix = verified_fix([failed, WORKED], "Fixed by " + "y" * 5_000)

    assert fix is not None
    assert len(fix.text) <= 400
    assert not redact(fix.text).refused
