"""Asks the parts of an instance's own Memory Gateway how they stand: database, index, encoder, disk. It changes nothing."""

from __future__ import annotations

import asyncio
import shutil
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Final

from beaver.cli.part_finding import PartFinding, database_step
from beaver.clock import system_clock
from beaver.config.settings import Settings
from beaver.db.engine import Database
from beaver.db.migrate import schema_revision
from beaver.errors import BeaverError

if TYPE_CHECKING:
    from beaver.memory.upkeep.figures import Figures

DATABASE: Final = "Gateway database"
INDEX: Final = "Gateway index"
ENCODER: Final = "Gateway encoder"
DISK: Final = "Gateway disk"
FREE_BYTES_MIN: Final = 1_000_000_000
SUMMARIES_WAIT_MS: Final = 120_000
"""Within so long a running Gateway encodes a summary that has changed: once it has rested, and it looks each minute."""
_ENGINE: Final = "numpy"
"""A package that the engine needs and that a machine without the Gateway does not have."""


def has_own_gateway(settings: Settings) -> bool:
    """Whether this instance holds a Gateway's memory, or is told where one lies."""
    file = _file(settings)
    return find_spec(_ENGINE) is not None and (file is None or file.exists())


async def look_at_gateway(settings: Settings) -> list[PartFinding]:
    """One finding a part; of a database that does not serve, that alone."""
    file = _file(settings)
    if find_spec(_ENGINE) is None:
        step = "Install beaver-agent[gateway] where the Gateway is to run."
        return [PartFinding("warning", DATABASE, "the Gateway is not installed on this machine", step)]
    if file is not None and not file.exists():
        return [PartFinding("ok", DATABASE, "is not there yet; the first start makes it"), *await _encoder(settings)]
    database = Database.open(settings.gateway_url)
    try:
        return await _look(settings, database, file)
    except BeaverError as error:
        return [PartFinding("warning", DATABASE, str(error), database_step("gatewayServer.databaseUrl"))]
    finally:
        await database.close()


async def _look(settings: Settings, database: Database, file: Path | None) -> list[PartFinding]:
    from beaver.memory.migrations import HEAD, VERSION_TABLE
    from beaver.memory.upkeep.figures import read_figures

    revision = await schema_revision(database, VERSION_TABLE)
    if revision != HEAD:
        stands = "has no schema yet" if revision is None else f"has schema {revision}, and this release {HEAD}"
        step = "`beaver gateway serve` brings an older one up to date when it starts."
        return [PartFinding("warning", DATABASE, stands, step)]
    figures = await read_figures(database)
    held = ", ".join(
        _counted(figures.counts[kind], kind) for kind in ("users", "messages", "observations", "resources")
    )
    return [
        PartFinding("ok", DATABASE, f"answers, schema {revision}: {held}"),
        _index(figures),
        *await _encoder(settings, database),
        _disk(figures, file),
    ]


def _index(figures: Figures) -> PartFinding:
    passages = figures.counts["passages"]
    if figures.indexed == passages:
        return PartFinding("ok", INDEX, f"holds the words of all {passages} passages")
    message = f"holds the words of {figures.indexed} passages, and there are {passages}"
    return PartFinding("warning", INDEX, message, "Export each user and restore the exports into a fresh database.")


async def _encoder(settings: Settings, database: Database | None = None) -> list[PartFinding]:
    from beaver.memory.inference.encoders import encoder_of

    embedding = settings.gateway_server.embedding
    try:
        encoder = await asyncio.to_thread(encoder_of, embedding)
        if encoder is None:
            return [PartFinding("ok", ENCODER, "none is configured: words alone are searched by")]
        try:
            if embedding.provider == "local":
                await encoder.encode_question("check")
        finally:
            await encoder.close()
    except BeaverError as error:
        step = "Install beaver-agent[gateway], or set gatewayServer.embedding."
        return [PartFinding("warning", ENCODER, f"{error}; words alone are searched by meanwhile", step)]
    works = f"{encoder.model} {'encodes' if embedding.provider == 'local' else '(not called)'}"
    return [PartFinding("ok", ENCODER, works), *([] if database is None else await _vectors(database, encoder.model))]


async def _vectors(database: Database, model: str) -> list[PartFinding]:
    from beaver.memory.embedding.migration import coverage_of
    from beaver.memory.embedding.waiting_store import count_changed_summaries

    now = await coverage_of(database, model)
    told = f"{now.embedded} of {now.passages} passages have vectors of {model}"
    others = ", ".join(f"{count} of {other}" for other, count in sorted(now.others.items()))
    async with database.read() as tx:
        resting = await count_changed_summaries(tx, system_clock() - SUMMARIES_WAIT_MS)
    if now.passages - now.embedded <= resting and not others:
        waiting = "" if now.embedded == now.passages else "; summaries of sessions that go on have none yet"
        return [PartFinding("ok", "Gateway vectors", told + waiting)]
    step = "A running Gateway makes them one after the other; `beaver gateway reindex` does so and tells how far it is."
    return [PartFinding("warning", "Gateway vectors", told + (f"; further ones: {others}" if others else ""), step)]


def _disk(figures: Figures, file: Path | None) -> PartFinding:
    size = f"a database of {figures.database_bytes / 1e6:.1f} MB"
    if file is None:
        return PartFinding("ok", DISK, f"the database server's: {size}")
    free = shutil.disk_usage(file.parent).free
    message = f"{free / 1e9:.1f} GB are free beside {size}"
    if free < max(FREE_BYTES_MIN, figures.database_bytes):
        return PartFinding(
            "warning", DISK, message, "Make room: an export, or the next release's migration, needs some."
        )
    return PartFinding("ok", DISK, message)


def _file(settings: Settings) -> Path | None:
    """SQLite's file; None for another database."""
    sqlite = settings.gateway_url.removeprefix("sqlite:///")
    return None if sqlite == settings.gateway_url else settings.paths.root.joinpath(sqlite)


def _counted(number: int, things: str) -> str:
    return f"{number} {things if number != 1 else things.removesuffix('s')}"
