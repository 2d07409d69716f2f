"""`beaver memory stats`: how recall and writes did, in counts, tokens and milliseconds, and never in words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from beaver.cli.options import Json, Root, instance_paths
from beaver.cli.output import print_json, print_rows

if TYPE_CHECKING:
    from beaver.agent.policy.figures import RecallFigures
    from beaver.outbox.distilled.records import DistilledDepth
    from beaver.sessions.memory.turn_store import WriteFigures

DAY_MS = 86_400_000


@dataclass(frozen=True)
class MemoryFigures:
    """All that `stats` shows."""

    recall: RecallFigures
    writes: WriteFigures
    queue: DistilledDepth


def stats(
    root: Root = None,
    as_json: Json = False,
    days: Annotated[int, typer.Option(min=1, max=3650, help="Count recalls of so many days.")] = 7,
) -> None:
    """Tell how recall and writes of distilled items did."""
    import asyncio

    found = asyncio.run(_figures(root, days))
    if as_json:
        print_json(as_object(found))
        return
    print_rows([{"figure": name, "value": value} for name, value in _rows(found)], ("figure", "value"), empty="")


def as_object(found: MemoryFigures) -> dict[str, Any]:
    """The figures for programs."""
    queue = {"depth": {str(state): count for state, count in found.queue.counts.items()}}
    recall = {**asdict(found.recall), "hit_rate": found.recall.hit_rate}
    return {"recall": recall, "writes": {**asdict(found.writes), "dedupe_ratio": _dedupe_ratio(found)}, "queue": queue}


async def _figures(root: Path | None, days: int) -> MemoryFigures:
    import os

    from beaver.agent.policy.composing import owner_of
    from beaver.agent.policy.figures import recall_figures
    from beaver.cli.database import session_database
    from beaver.clock import system_clock
    from beaver.config.loader import load_settings
    from beaver.outbox.distilled.inspection import DistilledInspection
    from beaver.sessions.memory.turn_store import MemoryTurnStore
    from beaver.sessions.recalls import recall_decisions

    owner = owner_of(load_settings(instance_paths(root), os.environ).memory)
    async with session_database(root) as database, database.read() as tx:
        return MemoryFigures(
            recall_figures(await recall_decisions(tx, since_ms=system_clock() - days * DAY_MS)),
            await MemoryTurnStore(database.dialect).figures(tx, owner.tenant, owner.user),
            await DistilledInspection(database.dialect).depth(tx),
        )


def _rows(found: MemoryFigures) -> Iterator[tuple[str, Any]]:
    recall, writes = found.recall, found.writes
    yield "turns the recall gate saw", recall.turns
    for decision, count in recall.decisions.items():
        yield f"  {decision}", count
    yield "turns with recall that were given something", _share(recall.hits, recall.recalled)
    yield "tokens added", recall.tokens
    for store, one in recall.stores.items():
        yield f"{store}: asked, hit, late, failed", f"{one.asked}, {one.hits}, {one.late}, {one.failed}"
        yield f"{store}: p50, p95", f"{_ms(one.p50_ms)}, {_ms(one.p95_ms)}"
    yield (
        "candidates, kept, merged",
        f"{writes.attempted}, {writes.accepted}, {_share(writes.deduped, writes.attempted)}",
    )
    for reason, count in writes.rejected.items():
        yield f"  rejected: {reason}", count
    for state, count in found.queue.counts.items():
        yield f"distilled queue: {state}", count


def _dedupe_ratio(found: MemoryFigures) -> float | None:
    return found.writes.deduped / found.writes.attempted if found.writes.attempted else None


def _share(part: int, whole: int) -> str:
    return f"{part} of {whole} ({100 * part / whole:.0f} %)" if whole else "none"


def _ms(value: float | None) -> str:
    return "none" if value is None else f"{value:.1f} ms"
