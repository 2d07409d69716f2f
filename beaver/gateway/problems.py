"""The Gateway's error answers: a code and a rule, never a value of the request."""

from __future__ import annotations

from typing import Final

from beaver.errors import BeaverError
from beaver.schemas.problems import Problem, ProblemBody, problem_body

# The API's documents name this code otherwise than the rest of Beaver.
_SHOWN: Final = {"unauthenticated": "unauthorized"}


def problem_of(error: BeaverError) -> ProblemBody:
    """The body of an error's answer."""
    problem = problem_body(error).error
    return ProblemBody(error=problem.model_copy(update={"code": _SHOWN.get(problem.code, problem.code)}))


def unexpected_problem() -> ProblemBody:
    """The body for a fault of our own: it says nothing of what was asked."""
    return ProblemBody(
        error=Problem(message="the Gateway failed to answer this", type="internal_error", code="internal")
    )
