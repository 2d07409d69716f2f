"""The error body of our HTTP servers, in the shape that OpenAI's clients read."""

from __future__ import annotations

from typing import Final

from pydantic import Field

from beaver.errors import BeaverError, InvalidInput
from beaver.schemas.wire import Answered

_CALLERS_FAULTS: Final = {"invalid_input", "invalid_json", "not_found", "conflict", "payload_too_large"}


class Problem(Answered):
    """What went wrong. `code` is one of `beaver.errors`; `param` names the field at fault, if there is one."""

    message: str
    type: str
    code: str
    param: str | None = None


class ProblemBody(Answered):
    """`{"error": {...}}`. `request_id` is that of the request's log lines."""

    error: Problem
    request_id: str | None = Field(default=None, exclude_if=lambda value: value is None)


def problem_body(error: BeaverError) -> ProblemBody:
    """The body for an error."""
    return problem_of(error.code, str(error), error.field if isinstance(error, InvalidInput) else None)


def problem_of(code: str, message: str, param: str | None = None) -> ProblemBody:
    """The body for a code of `beaver.errors` and words for people."""
    kind = "invalid_request_error" if code in _CALLERS_FAULTS else f"{code}_error"
    return ProblemBody(error=Problem(message=message, type=kind, code=code, param=param))
