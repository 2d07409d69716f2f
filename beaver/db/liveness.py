"""Pooled connections to PostgreSQL that have died meanwhile are not handed out.

SQLAlchemy's own `pool_pre_ping` asks the server before every transaction, which takes asyncpg three trips. Here a connection
that asyncpg has seen closed is refused without a trip, and one is asked for its life only after it has rested for a while.
"""

from __future__ import annotations

import time
from typing import Any, Final

from sqlalchemy import event
from sqlalchemy.engine import Engine
from sqlalchemy.exc import InvalidatePoolError

RESTED_S: Final = 1.0
"""Rest after which a connection is asked. One that dies unnoticed within it fails one transaction, as it would in mid-work."""

_RETURNED: Final = "returned"


def refuse_dead_connections(engine: Engine) -> None:
    """Have the pool replace what has died, at the time of a checkout."""

    @event.listens_for(engine, "checkin")
    def _(_connection: Any, record: Any) -> None:
        record.info[_RETURNED] = time.monotonic()

    @event.listens_for(engine, "checkout")
    def _(connection: Any, record: Any, _proxy: Any) -> None:
        returned = record.info.get(_RETURNED)
        if returned is not None and not _lives(engine, connection, rested_s=time.monotonic() - returned):
            # The pool makes a new one, and lets go of the others that are as old.
            raise InvalidatePoolError


def _lives(engine: Engine, connection: Any, *, rested_s: float) -> bool:
    if connection.driver_connection.is_closed():
        return False
    if rested_s < RESTED_S:
        return True
    try:
        connection.ping()
    except (engine.dialect.loaded_dbapi.Error, OSError):
        return False
    return True
