"""An SQLite file that was removed or replaced under a process.

Through connections that are open it would go on writing where nobody will ever look; further ones would begin an empty database.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from sqlalchemy import event
from sqlalchemy.engine import Engine
from sqlalchemy.exc import InvalidatePoolError

from beaver.errors import Unavailable

_FILE: Final = "file"


def refuse_lost_file(engine: Engine, path: Path) -> None:
    """Have the pool replace connections to a file that is not the one at the path, and make no file anew.

    Who asks for a connection while there is none gets Unavailable.
    """

    @event.listens_for(engine, "do_connect")
    def _(*_: Any) -> None:
        if _identity(path) is None:
            raise Unavailable(
                "the database cannot serve: its file is gone: put a backup there, or restart to begin anew"
            )

    @event.listens_for(engine, "connect")
    def _(_connection: Any, record: Any) -> None:
        record.info[_FILE] = _identity(path)

    @event.listens_for(engine, "checkout")
    def _(_connection: Any, record: Any, _proxy: Any) -> None:
        if record.info[_FILE] != _identity(path):
            raise InvalidatePoolError


def _identity(path: Path) -> tuple[int, int] | None:
    """Which file lies there; None for none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino
