"""The Gateway's error answers: a code and a rule, never a value of the request."""

from __future__ import annotations

from typing import ClassVar, Final

from beaver.errors import BeaverError, InvalidInput, LimitExceeded, NotFound, http_status
from beaver.schemas.problems import Problem, ProblemBody, problem_body


class InvalidJson(InvalidInput):
    """The body is not JSON."""

    code: ClassVar[str] = "invalid_json"

    def __init__(self, rule: str = "must be one JSON object in UTF-8") -> None:
        super().__init__("body", rule)


class PayloadTooLarge(LimitExceeded):
    """The body is larger than the server reads."""

    code: ClassVar[str] = "payload_too_large"
    retryable: ClassVar[bool] = False

    def __init__(self, bytes_max: int) -> None:
        super().__init__(f"the body must be at most {bytes_max} bytes")


class UnknownPath(NotFound):
    """No operation lives there."""

    def __init__(self) -> None:
        super().__init__("there is no such path")


class MethodNotAllowed(BeaverError):
    """The path exists for another method."""

    code: ClassVar[str] = "method_not_allowed"


# Codes of this server's own, or that it names as the API's documents do: code -> (code shown, HTTP status).
_SHOWN: Final[dict[str, tuple[str, int]]] = {
    "invalid_json": ("invalid_json", 400),
    "payload_too_large": ("payload_too_large", 413),
    "method_not_allowed": ("method_not_allowed", 405),
    "unauthenticated": ("unauthorized", 401),
}


def status_of(error: BeaverError) -> int:
    """HTTP status of an error's answer."""
    return _SHOWN[error.code][1] if error.code in _SHOWN else http_status(error)


def problem_of(error: BeaverError) -> ProblemBody:
    """The body of an error's answer."""
    body = problem_body(error)
    if error.code not in _SHOWN:
        return body
    code = _SHOWN[error.code][0]
    kind = body.error.type if error.code not in {"invalid_json", "payload_too_large"} else "invalid_request_error"
    return ProblemBody(error=Problem(message=str(error), type=kind, code=code, param=body.error.param))


def unexpected_problem() -> ProblemBody:
    """The body for a fault of our own: it says nothing of what was asked."""
    return ProblemBody(
        error=Problem(message="the Gateway failed to answer this", type="internal_error", code="internal")
    )
