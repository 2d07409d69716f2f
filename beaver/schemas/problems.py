"""The error body of our HTTP servers, in the shape that OpenAI's clients read."""

from __future__ import annotations

from beaver.errors import BeaverError, InvalidInput
from beaver.schemas.wire import Answered


class Problem(Answered):
    """What went wrong. `code` is one of `beaver.errors`; `param` names the field at fault, if there is one."""

    message: str
    type: str
    code: str
    param: str | None = None


class ProblemBody(Answered):
    """`{"error": {...}}`."""

    error: Problem


def problem_body(error: BeaverError) -> ProblemBody:
    """The body for an error."""
    kind = (
        "invalid_request_error" if error.code in {"invalid_input", "not_found", "conflict"} else f"{error.code}_error"
    )
    param = error.field if isinstance(error, InvalidInput) else None
    return ProblemBody(error=Problem(message=str(error), type=kind, code=error.code, param=param))
