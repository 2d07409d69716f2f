"""The database's own faults told from the body's: what is unavailable, what is a bug, and texts without values."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from sqlalchemy import event
from sqlalchemy.engine import Engine, ExceptionContext
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.pool import ConnectionPoolEntry

from beaver.errors import Unavailable

_BUSY_CODES: Final = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED})
_IN_WORDS: Final = {
    "SQLITE_CORRUPT": "its file is damaged",
    "SQLITE_NOTADB": "its file is no SQLite database",
    "SQLITE_FULL": "its disk is full",
    "SQLITE_IOERR": "its disk refuses",
    "SQLITE_READONLY": "its file may not be written to",
    "SQLITE_CANTOPEN": "its file cannot be opened",
    "25006": "it takes no writes: a replica, or told not to",
    "28P01": "wrong user or password",
    "28000": "this user may not come in",
    "3D000": "there is no such database",
    "42501": "this user may not do that",
    "53100": "its disk is full",
    "53300": "it has too many connections",
    "55P03": "a lock was not to be had in its own time",
    "57014": "it stopped a statement that took too long",
    "57P03": "it starts or ends",
}
"""What an operator can do something about, by SQLite's name for it or its beginning, or PostgreSQL's SQLSTATE."""
_NO_RIGHT: Final = "42501"
_NO_WRITES: Final = "25006"
_BUG_TYPES: Final = frozenset({"IntegrityError", "ProgrammingError", "DataError"})


@contextmanager
def translated() -> Iterator[None]:
    """Turn a driver's fault into Unavailable without its statement; bugs and everything else pass through.

    An OSError is nobody's in particular here, so it passes: `speaking_to_the_database` is for those.
    """
    try:
        yield
    except DBAPIError as error:
        if is_busy(error):
            raise Unavailable("the database stayed locked") from None
        if _is_bug(error):
            raise
        raise Unavailable(f"the database cannot serve ({_reason(error)})") from None
    except PoolTimeout:
        raise Unavailable("the database has no free connection") from None


@contextmanager
def speaking_to_the_database() -> Iterator[None]:
    """For code in which an OSError (a TimeoutError is one) can only come from the way to the database."""
    try:
        yield
    except OSError as error:
        raise Unavailable(f"the database cannot be reached ({type(error).__name__})") from None


def is_busy(error: DBAPIError) -> bool:
    """Whether SQLite said that another connection holds the lock, so that waiting helps."""
    return is_busy_fault(error.orig)


def is_busy_fault(error: BaseException | None) -> bool:
    """The same of the driver's own exception."""
    code = getattr(error, "sqlite_errorcode", None)
    return code is not None and (code & 0xFF) in _BUSY_CODES


def keep_values_out_of_errors(engine: Engine) -> None:
    """Have statements raise errors that quote no value, and Unavailable where the driver raises a bare OSError."""

    @event.listens_for(engine, "handle_error")
    def _(context: ExceptionContext) -> None:
        if isinstance(context.original_exception, OSError):
            name = type(context.original_exception).__name__
            raise Unavailable(f"the database cannot be reached ({name})") from None
        if isinstance(context.sqlalchemy_exception, DBAPIError):
            context.sqlalchemy_exception.args = (_reason(context.sqlalchemy_exception),)


def leave_servers_without_writes(engine: Engine) -> None:
    """Keep no connection to a server that takes no writes, not even one that was only read by, until something was written.

    After a failover the name leads to another server, and a connection would stay where it is.
    """
    refused = False

    @event.listens_for(engine, "handle_error")
    def _(context: ExceptionContext) -> None:
        nonlocal refused
        if getattr(context.original_exception, "sqlstate", None) == _NO_WRITES:
            refused = context.is_disconnect = True

    @event.listens_for(engine, "commit")
    def _(_connection: Any) -> None:
        nonlocal refused
        refused = False

    @event.listens_for(engine, "checkin")
    def _(_connection: Any, record: ConnectionPoolEntry) -> None:
        if refused:
            record.invalidate(soft=True)


def _is_bug(error: DBAPIError) -> bool:
    if getattr(error.orig, "sqlstate", None) == _NO_RIGHT:
        return False
    # SQLITE_ERROR is what SQLite answers to wrong SQL: a table that is not there, a syntax error.
    return type(error).__name__ in _BUG_TYPES or getattr(error.orig, "sqlite_errorcode", None) == sqlite3.SQLITE_ERROR


def _reason(error: DBAPIError) -> str:
    """The kind of the fault, in the database's own code: messages quote values, codes do not."""
    code = getattr(error.orig, "sqlite_errorname", None) or getattr(error.orig, "sqlstate", None)
    name = type(error.orig).__name__
    return f"{name} {code}{_in_words(code)}" if code else name


def _in_words(code: str) -> str:
    words = next((words for known, words in _IN_WORDS.items() if code.startswith(known)), None)
    return "" if words is None else f": {words}"
