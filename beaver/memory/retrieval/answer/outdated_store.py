"""SQL of what is outdated: which messages told something that has been superseded since, and by what."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from sqlalchemy import Select, bindparam, select

from beaver.db.dialect import SqlDialect, dialect_of
from beaver.db.engine import Transaction
from beaver.memory.retrieval.answer.outdated import Replacement
from beaver.memory.tables import is_in, observation_archive, observation_evidence, observations

STEPS_MAX: Final = 8
"""How often something is looked up that was itself superseded later; what lies behind that is left untold."""
TAKEN_BACK: Final = "something that was taken back since"
"""What is told in the place of what holds no longer either, by a user's wish."""
_PASSED_ON: Final = frozenset({"superseded", "compressed"})


@dataclass(frozen=True)
class _Row:
    """An observation, in the archive or not; `next_id`: what stands in its place now, None for the last one."""

    title: str
    hash: str
    evidence: frozenset[str]
    next_id: str | None
    is_taken_back: bool


async def read_replacements(
    tx: Transaction, namespace_id: int, message_ids: Sequence[str]
) -> dict[str, list[Replacement]]:
    """For each of the messages that told what holds no longer: what holds instead, by the time at which it took its place.

    What was said again later, or put right in the same message, holds. What was forgotten replaces nothing.
    """
    if not message_ids:
        return {}
    dialect = dialect_of(tx)
    asked = {"namespace_id": namespace_id, "message_ids": dialect.many(message_ids)}
    ended = (await tx.execute(_superseded(dialect), asked)).all()
    rows = await _followed(tx, namespace_id, {row.successor_id for row in ended})
    found: dict[str, list[Replacement]] = {}
    for row in ended:
        last_id, last = _last(rows, row.successor_id)
        if last is not None and last.hash != row.hash and row.message_id not in last.evidence:
            evidence = frozenset[str]() if last.is_taken_back else last.evidence
            title = TAKEN_BACK if last.is_taken_back else last.title
            replacement = Replacement((row.title, *row.facts), last_id, title, row.ended_ms, evidence)
            found.setdefault(row.message_id, []).append(replacement)
    return found


async def _followed(tx: Transaction, namespace_id: int, wanted: set[str]) -> dict[str, _Row]:
    """These observations, and what stands in their place, as far as it is there."""
    rows: dict[str, _Row] = {}
    for _ in range(STEPS_MAX):
        if not wanted:
            break
        rows |= await _rows(tx, namespace_id, wanted)
        wanted = {row.next_id for row in rows.values() if row.next_id is not None} - rows.keys()
    return rows


async def _rows(tx: Transaction, namespace_id: int, wanted: set[str]) -> dict[str, _Row]:
    dialect = dialect_of(tx)
    asked = {"namespace_id": namespace_id, "ids": dialect.many(sorted(wanted))}
    live = {row["id"]: _row(row) for row in (await tx.execute(_by_ids(dialect), asked)).mappings()}
    if wanted <= live.keys():
        return live
    archived = (await tx.execute(_archived(dialect), asked)).mappings()
    return {row["id"]: _row({**row["observation"], **row}) for row in archived} | live


def _row(row: Mapping[str, Any]) -> _Row:
    evidence = frozenset(one["message_id"] for one in row["evidence"])
    next_id = row["successor_id"] if row["end_reason"] in _PASSED_ON else None
    return _Row(row["title"], row["hash"], evidence, next_id, row["end_reason"] == "deleted")


def _last(rows: Mapping[str, _Row], observation_id: str) -> tuple[str, _Row | None]:
    """What stands there at the end; None where that is gone."""
    for _ in range(STEPS_MAX):
        row = rows.get(observation_id)
        if row is None or row.next_id is None:
            return observation_id, row
        observation_id = row.next_id
    return observation_id, None


@cache
def _superseded(dialect: SqlDialect) -> Select[Any]:
    """Made once a dialect: to build such a statement costs more than to run it."""
    return (
        select(
            observation_evidence.c.message_id,
            observations.c.title,
            observations.c.facts,
            observations.c.hash,
            observations.c.ended_ms,
            observations.c.successor_id,
        )
        .join(observations, observations.c.id == observation_evidence.c.observation_id)
        .where(
            observation_evidence.c.namespace_id == bindparam("namespace_id"),
            dialect.is_one_of(observation_evidence.c.message_id, "message_ids"),
            observations.c.end_reason == "superseded",
            observations.c.successor_id.is_not(None),
        )
        .order_by(observations.c.ended_ms, observations.c.id)
    )


@cache
def _by_ids(dialect: SqlDialect) -> Select[Any]:
    names = ("id", "title", "hash", "evidence", "end_reason", "successor_id")
    return select(*(observations.c[name] for name in names)).where(
        dialect.is_one_of(observations.c.id, "ids"), is_in(observations, bindparam("namespace_id"))
    )


@cache
def _archived(dialect: SqlDialect) -> Select[Any]:
    archive = observation_archive.c
    return select(archive.observation_id.label("id"), archive.hash, archive.observation).where(
        dialect.is_one_of(archive.observation_id, "ids"), is_in(observation_archive, bindparam("namespace_id"))
    )
