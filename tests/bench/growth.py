"""Whether a turn costs the same however many finished turns the ledger remembers."""

from __future__ import annotations

from typing import Any

from sqlalchemy import text

from beaver.db.engine import Database
from tests.bench.figures import Table, progress
from tests.bench.options import DatabaseKind, Options
from tests.bench.plot import Line, write_plot
from tests.bench.stage import Stage, rings, stages

ABOUT = "time per turn of one worker while the ledger grows to --rows finished turns"
TURNS = 1000
STEPS = (1000, 10_000, 100_000, 300_000, 1_000_000)
CHUNK = 50_000
SESSIONS = 1000

_NUMBERS = {
    "sqlite": "(WITH RECURSIVE n(i) AS (SELECT :first UNION ALL SELECT i + 1 FROM n WHERE i + 1 < :last) SELECT i FROM n) AS n",
    "postgresql": "generate_series(CAST(:first AS bigint), CAST(:last AS bigint) - 1) AS n(i)",
}
# As they stand after a delivery: the row, and the six lines of its timeline.
_FINISHED = (
    "INSERT INTO outbox (run_id, session_id, position, user_event_id, answer_event_id, user_at_ms, answer_at_ms,"
    " gateway_user_id, app_id, project_id, state, generation, attempt, holder, fence, due_ms, created_ms, updated_ms)"
    " SELECT 'old-' || i, 'old-' || (i % {sessions}), i, i, i, i + 1, i + 1, 'ada', 'default', 'default', 'flushed',"
    " 0, 1, 'bench', 1, i + 1, i + 1, i + 1 FROM {numbers}",
    "INSERT INTO outbox_timeline (run_id, at_ms, from_state, to_state, actor, attempt, detail)"
    " SELECT 'old-' || i, i + 1, 'pending', moved.to_state, 'bench', 1, '{{}}' FROM {numbers}, (SELECT 'pending' AS to_state"
    " UNION ALL SELECT 'claimed' UNION ALL SELECT 'adding' UNION ALL SELECT 'added' UNION ALL SELECT 'flushing'"
    " UNION ALL SELECT 'flushed') AS moved",
)


async def measure(options: Options) -> list[Table]:
    """One table a database; each line is one round of turns on a ledger with that many finished ones."""
    turns = options.turns or TURNS
    steps = [*(step for step in STEPS if step < options.rows), options.rows]
    tables = [await _grown(kind, turns, steps) for kind in options.databases]
    if options.plot:
        lines = [
            Line(kind, [(each["finished turns"], each["ms per turn"]) for each in table.lines])
            for kind, table in zip(options.databases, tables, strict=True)
        ]
        write_plot(
            options.plot, "Time per turn as the ledger grows", "finished turns", "ms per turn", lines, log_x=True
        )
    return tables


async def _grown(kind: DatabaseKind, turns: int, steps: list[int]) -> Table:
    async with stages(kind) as stage:
        await _sessions(stage.database)
        lines: list[dict[str, Any]] = []
        finished = 0
        for step in steps:
            await _finish(stage.database, finished, step)
            finished = step
            progress(f"growth, {kind}: {turns} turns on top of {finished}")
            cost = await _round(stage, turns) * 1000
            base = lines[0]["ms per turn"] if lines else cost
            lines.append({"finished turns": finished, "ms per turn": round(cost, 3), "×": round(cost / base, 2)})
        return Table(f"{turns} turns a round, one worker, {kind}", lines)


async def _round(stage: Stage, turns: int) -> float:
    """Seconds a turn."""
    await stage.hold(rings(await stage.fill(turns)))
    async with stage.workers(1):
        released = await stage.release()
        took = await stage.worked_off() - released
    return took / turns


async def _sessions(database: Database) -> None:
    numbers = _NUMBERS[database.dialect.name]
    statement = f"INSERT INTO sessions (id, created_ms, updated_ms) SELECT 'old-' || i, 1, 1 FROM {numbers}"
    async with database.write() as tx:
        await tx.execute(text(statement), {"first": 0, "last": SESSIONS})


async def _finish(database: Database, first: int, last: int) -> None:
    numbers = _NUMBERS[database.dialect.name]
    for start in range(first, last, CHUNK):
        progress(f"  {start} finished turns in the ledger")
        async with database.write() as tx:
            for statement in _FINISHED:
                sql = text(statement.format(numbers=numbers, sessions=SESSIONS))
                await tx.execute(sql, {"first": start, "last": min(start + CHUNK, last)})
    # As the database's own housekeeping would after a while.
    async with database.write() as tx:
        await tx.execute(text("ANALYZE"))
