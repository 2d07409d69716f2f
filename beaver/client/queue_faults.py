"""What is wrong with the queue server, in words an operator can act on; never a password, never a job."""

from __future__ import annotations

import re
import socket
import ssl
from collections.abc import Iterator
from typing import Final

from redis.asyncio.sentinel import MasterNotFoundError
from redis.exceptions import (
    AuthenticationError,
    BusyLoadingError,
    InvalidResponse,
    MaxConnectionsError,
    NoPermissionError,
    OutOfMemoryError,
    ReadOnlyError,
    RedisError,
    ResponseError,
)
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import TimeoutError as RedisTimeoutError

from beaver.errors import Unavailable

WORLD: Final = (RedisError, OSError, Unavailable)
"""What a queue server, or the way to it, can be the cause of. Everything else is a bug."""

_COMMAND: Final = re.compile(r"'([a-z|]{1,40})' command")
_NOT_REDIS: Final = "what answers there does not speak the Redis protocol (a TLS port needs rediss://)"
_KINDS: Final[dict[type[Exception], str]] = {
    InvalidResponse: _NOT_REDIS,
    ReadOnlyError: "is a replica and takes no writes",
    OutOfMemoryError: "is out of memory and refuses writes",
    BusyLoadingError: "is still loading its data",
    MaxConnectionsError: "takes no further connection",
}
_RESPONSES: Final = {
    "max number of clients": "takes no further connection",
    "MOVED": "is a Redis Cluster, which arq cannot use: take a single server or Sentinel",
    "CROSSSLOT": "is a Redis Cluster, which arq cannot use: take a single server or Sentinel",
    "CLUSTERDOWN": "is a Redis Cluster, which arq cannot use: take a single server or Sentinel",
    "MISCONF": "cannot save to its disk and refuses writes",
    "WRONGTYPE": "holds keys of another program under our names (beaver:persist*): remove those, or use another database",
    "DB index is out of range": "has no database of that number",
    "unknown command 'SENTINEL'": "is no Sentinel: write the URL of a single server as redis://",
    "unknown command": "does not know a command that arq needs: is it a Sentinel's port, or an old server?",
}


def no_answer(place: str) -> str:
    """The words for a timeout of the queue at this place."""
    asked_with_tls = " (a port without TLS does not answer rediss://)" if place.startswith("rediss:") else ""
    return f"timeout: no answer in time{asked_with_tls}"


def fault_words(error: BaseException, place: str) -> str:
    """Why a call to the queue at this place failed.

    The server's own text is matched, not repeated: it may quote a job.
    """
    if isinstance(error, RedisTimeoutError | TimeoutError):
        return no_answer(place)
    chain = list(_chain(error))
    for words in map(_of_connection, chain):
        if words is not None:
            return words
    return _of_answer(error)


def _of_connection(error: BaseException) -> str | None:
    match error:
        case ssl.SSLCertVerificationError():
            return f"its TLS certificate is not accepted: {error.verify_message[:120]}"
        case ssl.SSLError():
            return "TLS fails: is this the TLS port, and does the server want a client's certificate?"
        case socket.gaierror():
            return "its name cannot be resolved"
        case ConnectionRefusedError():
            return "connection refused: nothing listens there"
        case FileNotFoundError():
            return "its socket is not there"
        case PermissionError():
            return "its socket may not be opened by this user"
        case _:
            return None


def _of_answer(error: BaseException) -> str:
    match error:
        case Unavailable():
            return str(error)
        case MasterNotFoundError():
            return _of_sentinel(str(error))
        case AuthenticationError():
            return _of_login(str(error))
        case NoPermissionError():
            return _of_permission(str(error))
    known = next((words for kind, words in _KINDS.items() if isinstance(error, kind)), None)
    if known is not None:
        return known
    return _of_response(str(error)) if isinstance(error, ResponseError) else _of_loss(error)


def _of_login(text: str) -> str:
    if "required" in text.lower():
        return "asks for a password, and the URL holds none (NOAUTH)"
    if "without any password" in text:
        return "has no password set, and the URL holds one"
    return "does not accept the user or the password of the URL (WRONGPASS)"


def _of_permission(text: str) -> str:
    command = _COMMAND.search(text)
    if command:
        return f"does not allow this user the command {command[1].upper()} (NOPERM): see `ACL SETUSER` in the README"
    return "does not allow this user the keys arq:*, beaver:persist* and beaver:limits* (NOPERM): see `ACL SETUSER` in the README"


def _of_sentinel(text: str) -> str:
    if "Authentic" in text or "invalid username-password" in text:
        return "the Sentinels do not accept us: set sentinel_password (and sentinel_username) in the URL's query"
    if " - " in text:
        return "no Sentinel that answers knows a master"
    return "the Sentinels know no master of that name that is up"


def _of_response(text: str) -> str:
    if "NOAUTH" in text or "WRONGPASS" in text:
        return _of_login(text)
    return next((words for sign, words in _RESPONSES.items() if sign in text), "answers with an error")


def _of_loss(error: BaseException) -> str:
    text = str(error)
    if isinstance(error, RedisConnectionError) and "Protocol error" in text:
        return _NOT_REDIS
    if "losed" in text or "reset" in text.lower():
        return "closed the connection without an answer (a TLS port needs rediss://)"
    if isinstance(error, RedisConnectionError | OSError):
        return "the connection was lost or could not be made: does the server run, and is there a way to it?"
    return type(error).__name__


def _chain(error: BaseException) -> Iterator[BaseException]:
    seen: BaseException | None = error
    for _ in range(8):
        if seen is None:
            return
        yield seen
        seen = seen.__cause__ or seen.__context__
