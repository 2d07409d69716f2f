"""The error tree: one root, one code a kind, and one table from code to HTTP status and exit code.

Expected outcomes are values, not errors; bugs are not BeaverErrors. No message here ever holds a
credential, a request body or conversation text: whoever raises is answerable for that.
"""

from __future__ import annotations

from typing import ClassVar, Final


class BeaverError(Exception):
    """Root of what Beaver raises on purpose. `code` is stable; `retryable` says whether the same call may work later."""

    code: ClassVar[str] = "internal"
    retryable: ClassVar[bool] = False


class InvalidInput(BeaverError):
    """The caller sent something that breaks a rule. Names the field and the rule, never the value."""

    code: ClassVar[str] = "invalid_input"

    def __init__(self, field: str, rule: str) -> None:
        super().__init__(f"{field}: {rule}")
        self.field = field
        self.rule = rule


class InvalidJson(InvalidInput):
    """The body is not JSON."""

    code: ClassVar[str] = "invalid_json"

    def __init__(self, rule: str = "must be one JSON object in UTF-8") -> None:
        super().__init__("body", rule)


class MethodNotAllowed(BeaverError):
    """The path exists, for another method."""

    code: ClassVar[str] = "method_not_allowed"


class ConfigError(InvalidInput):
    """The configuration breaks a rule; Beaver does not start."""

    code: ClassVar[str] = "config"


class Unauthenticated(BeaverError):
    """No credential, or one that is not known."""

    code: ClassVar[str] = "unauthenticated"


class Forbidden(BeaverError):
    """A known caller asks for what it may not have."""

    code: ClassVar[str] = "forbidden"


class NotFound(BeaverError):
    """The named thing does not exist (or is not the caller's to see)."""

    code: ClassVar[str] = "not_found"


class Conflict(BeaverError):
    """The state of the thing forbids the act: a lost lease, a taken key, another body under one key."""

    code: ClassVar[str] = "conflict"


class LimitExceeded(BeaverError):
    """A named bound was passed (size, count or rate)."""

    code: ClassVar[str] = "limit_exceeded"
    retryable: ClassVar[bool] = True


class PayloadTooLarge(LimitExceeded):
    """The body is larger than the server reads."""

    code: ClassVar[str] = "payload_too_large"
    retryable: ClassVar[bool] = False

    def __init__(self, bytes_max: int) -> None:
        super().__init__(f"the body must be at most {bytes_max} bytes")


class Unavailable(BeaverError):
    """A part that we need cannot be reached or cannot serve now."""

    code: ClassVar[str] = "unavailable"
    retryable: ClassVar[bool] = True


class DeadlineExceeded(Unavailable):
    """A part did not answer within its deadline."""

    code: ClassVar[str] = "deadline_exceeded"


class PeerFault(BeaverError):
    """A part answered, and the answer is an error or cannot be read."""

    code: ClassVar[str] = "peer_fault"


# code -> (HTTP status, CLI exit code)
STATUS_AND_EXIT: Final[dict[str, tuple[int, int]]] = {
    "internal": (500, 1),
    "invalid_input": (400, 2),
    "invalid_json": (400, 2),
    "method_not_allowed": (405, 2),
    "config": (500, 78),
    "unauthenticated": (401, 77),
    "forbidden": (403, 77),
    "not_found": (404, 3),
    "conflict": (409, 4),
    "limit_exceeded": (429, 5),
    "payload_too_large": (413, 5),
    "unavailable": (503, 69),
    "deadline_exceeded": (504, 69),
    "peer_fault": (502, 76),
}


def http_status(error: BeaverError) -> int:
    """HTTP status for an error."""
    return STATUS_AND_EXIT[error.code][0]


def exit_code(error: BeaverError) -> int:
    """Process exit code for an error (sysexits where one fits)."""
    return STATUS_AND_EXIT[error.code][1]
