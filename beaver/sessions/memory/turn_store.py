"""What the write gate did, turn by turn, in SQL: counts, no content and no session's id. The quotas are counted from it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from sqlalchemy import Text, cast, func, literal, select, update

from beaver.db.dialect import SqlDialect
from beaver.db.engine import Transaction
from beaver.db.tables import memory_turns as rows
from beaver.db.tables import runs

DAY_MS: Final = 86_400_000
WINDOW_TURNS: Final = 100
"""A quota of remote writes counts the newest so many turns."""
SUMMED_TURNS_MAX: Final = 10_000
_DELETED: Final = "deleted_"
"""Before a row's own number: the name of a run that is deleted."""


@dataclass(frozen=True)
class GatedTurn:
    """A turn that the write gate looked at. `rejected`: how many candidates for each reason."""

    run_id: str
    tenant: str
    user: str
    mode: str
    attempted: int
    accepted: int
    deduped: int
    superseded: int
    remote: int
    rejected: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Spent:
    """What of a user's quotas is used up: items kept within a day, items sent within the last 100 turns."""

    today: int
    remote: int


@dataclass(frozen=True)
class WriteFigures:
    """Sums over a user's newest turns."""

    turns: int
    attempted: int
    accepted: int
    deduped: int
    superseded: int
    remote: int
    rejected: Mapping[str, int]


class MemoryTurnStore:
    """Every method runs inside the caller's transaction."""

    def __init__(self, dialect: SqlDialect) -> None:
        self._dialect = dialect

    async def note(self, tx: Transaction, turn: GatedTurn) -> None:
        """Write down what became of a turn's candidates, once a run."""
        values = {**vars(turn), "user_id": turn.user, "rejected": dict(turn.rejected), "at_ms": self._dialect.now_ms()}
        values |= {"session_id": ""}
        del values["user"]
        noted = self._dialect.insert(rows).values(**values)
        await tx.execute(noted.on_conflict_do_nothing(index_elements=[rows.c.run_id]))

    async def forget_session(self, tx: Transaction, session_id: str) -> None:
        """Take away what leads from a session's turns to it, which must still have its runs; what they spent stays spent."""
        its_runs = select(runs.c.id).where(runs.c.session_id == session_id)
        nameless = {"session_id": "", "run_id": literal(_DELETED) + cast(rows.c.id, Text)}
        await tx.execute(update(rows).where(rows.c.run_id.in_(its_runs)).values(**nameless))

    async def spent(self, tx: Transaction, tenant: str, user: str) -> Spent:
        """How far a user's quotas are used up. A turn in shadow mode keeps and sends nothing."""
        theirs = (rows.c.tenant == tenant, rows.c.user_id == user, rows.c.mode == "write")
        lately = select(func.coalesce(func.sum(rows.c.accepted), 0)).where(
            *theirs, rows.c.at_ms > self._dialect.begun_ms() - DAY_MS
        )
        # The turn to come is one of the hundred.
        newest = select(rows.c.remote).where(*theirs).order_by(rows.c.id.desc()).limit(WINDOW_TURNS - 1).subquery()
        remote = select(func.coalesce(func.sum(newest.c.remote), 0))
        return Spent(int(await tx.scalar(lately) or 0), int(await tx.scalar(remote) or 0))

    async def figures(self, tx: Transaction, tenant: str, user: str) -> WriteFigures:
        """Sums over a user's newest 10,000 turns."""
        theirs = select(rows).where(rows.c.tenant == tenant, rows.c.user_id == user)
        found = (await tx.execute(theirs.order_by(rows.c.id.desc()).limit(SUMMED_TURNS_MAX))).all()
        rejected: Counter[str] = Counter()
        for row in found:
            rejected.update(row.rejected)
        names = ("attempted", "accepted", "deduped", "superseded", "remote")
        sums = {name: sum(getattr(row, name) for row in found) for name in names}
        return WriteFigures(turns=len(found), **sums, rejected=dict(rejected))
