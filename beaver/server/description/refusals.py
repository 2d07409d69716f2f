"""Which errors a route may answer, in the words of its OpenAPI document."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final


@dataclass(frozen=True)
class Refusal:
    """One status: its name among the document's responses, what it means, and the headers it brings."""

    name: str
    meaning: str
    headers: tuple[str, ...] = ()


REFUSALS: Final = {
    400: Refusal("InvalidInput", "The request breaks a rule; `param` names the field."),
    401: Refusal("Unauthenticated", "No API key, or none that is active.", ("WWW-Authenticate",)),
    403: Refusal("Forbidden", "The key lacks the scope that the path needs."),
    404: Refusal("NotFound", "What the request names does not exist."),
    409: Refusal(
        "Conflict", "The state of the thing forbids it: a taken id, a busy session, a key used for another body."
    ),
    413: Refusal("PayloadTooLarge", "The body is larger than the server reads."),
    429: Refusal("LimitExceeded", "A bound on rate or number was passed.", ("Retry-After",)),
    500: Refusal("Internal", "A fault of the server. The request is not to be sent again unchanged."),
    502: Refusal("PeerFault", "The model's provider answered with an error."),
    503: Refusal("Unavailable", "The server is shutting down, or a part that it needs is away.", ("Retry-After",)),
    504: Refusal("DeadlineExceeded", "The model's provider did not answer in time."),
}
ANYWHERE: Final = frozenset({400, 401, 403, 429, 500, 503})
"""What every path may answer that is not open to everybody."""


def refusals(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """For a route's `responses`: the errors it may answer beside those that every route may."""
    return {status: {"description": REFUSALS[status].meaning} for status in statuses}
