"""Which session a request belongs to, purely: by header or body, in one order of precedence. `user` is never a session."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from beaver.errors import InvalidInput
from beaver.ids import validate_session_id
from beaver.schemas.chat import SESSION_HEADER, SessionHints

OPEN_WEBUI_HEADER: Final = "X-OpenWebUI-Chat-Id"


@dataclass(frozen=True)
class Fresh:
    """Nothing names a session."""


@dataclass(frozen=True)
class Named:
    """A session, made where it does not exist. `resends`: the client is a front end that always sends its whole history."""

    session_id: str
    resends: bool = False


@dataclass(frozen=True)
class After:
    """The session of an earlier response, right after it."""

    run_id: str


Identity = Fresh | Named | After


def identify(
    headers: Mapping[str, str], hints: SessionHints, *, front_end: bool, session_headers: Sequence[str] = ()
) -> Identity:
    """The first of: X-Beaver-Session, X-OpenWebUI-Chat-Id, `session_headers` in their order, `conversation`,
    `metadata.session_id`, `previous_response_id`; else a fresh session.

    Front ends speak for many users, so their headers count only from callers that are flagged as one. Raises InvalidInput
    for a session id that breaks a rule.
    """
    if (own := headers.get(SESSION_HEADER)) is not None:
        return Named(validate_session_id(from_header(own), SESSION_HEADER))
    for name in (OPEN_WEBUI_HEADER, *session_headers) if front_end else ():
        if (forwarded := headers.get(name)) is not None:
            return Named(validate_session_id(from_header(forwarded), name), resends=True)
    return _of_body(hints)


def _of_body(hints: SessionHints) -> Identity:
    match hints.conversation:
        case None:
            pass
        case str() as session_id:
            return Named(validate_session_id(session_id, "conversation"))
        case reference:
            return Named(validate_session_id(reference.id, "conversation.id"))
    told = (hints.metadata or {}).get("session_id")
    if told is not None:
        if not isinstance(told, str):
            raise InvalidInput("metadata.session_id", "must be a string")
        return Named(validate_session_id(told, "metadata.session_id"))
    return Fresh() if hints.previous_response_id is None else After(hints.previous_response_id)


def from_header(value: str) -> str:
    """A header's text: headers are read as Latin-1, and clients send UTF-8."""
    try:
        return value.encode("latin-1").decode("utf-8")
    except UnicodeError:
        return value


def to_header(value: str) -> str:
    """The reverse of from_header."""
    return value.encode("utf-8").decode("latin-1")
