"""Sessions as they are listed, in SQL: each with what its person said first, for those that nobody has named."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Row, Select, select, tuple_

from beaver.db.engine import Transaction
from beaver.db.tables import sessions
from beaver.ids import validate_session_id
from beaver.sessions.openings import first_words, opening_of
from beaver.sessions.records import SessionRecord
from beaver.sessions.storable import storable_text


@dataclass(frozen=True)
class ListedSession(SessionRecord):
    """A session with the first words that its person said in it; None where nobody has said anything, or it is hidden."""

    preview: str | None = field(kw_only=True)


async def list_sessions(
    tx: Transaction, *, limit: int = 50, before: tuple[int, str] | None = None
) -> list[ListedSession]:
    """The sessions used last, newest first; `before` is (updated_ms, id) of the last one of the page before."""
    page = select(sessions).order_by(sessions.c.updated_ms.desc(), sessions.c.id.desc()).limit(limit)
    if before is not None:
        page = page.where(tuple_(sessions.c.updated_ms, sessions.c.id) < (before[0], storable_text(before[1])))
    return [_listed(row) for row in await tx.execute(_with_openings(page))]


async def find_listed(tx: Transaction, session_id: str) -> ListedSession | None:
    """One session as the list shows it, or None."""
    page = select(sessions).where(sessions.c.id == validate_session_id(session_id))
    row = (await tx.execute(_with_openings(page))).one_or_none()
    return None if row is None else _listed(row)


def _with_openings(page: Select[Any]) -> Select[Any]:
    # Around the whole page, so that no more openings are looked for than there are sessions on it.
    shown = page.subquery()
    return select(shown, opening_of(shown.c.id).label("opening")).order_by(shown.c.updated_ms.desc(), shown.c.id.desc())


def _listed(row: Row[Any]) -> ListedSession:
    stored = dict(row._mapping)
    preview = first_words(stored.pop("opening") or "") or None
    return ListedSession(**stored, preview=preview)
