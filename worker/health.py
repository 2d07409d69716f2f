"""`python -m worker --health`: whether a worker of this host lives, for the health check of a container."""

from __future__ import annotations

import socket
from dataclasses import dataclass
from pathlib import Path

from beaver.apart import look_names_up_apart
from beaver.config.memory import gateway_of
from beaver.config.settings import Settings
from beaver.db import migrations
from beaver.db.engine import Database
from beaver.db.migrate import schema_revision
from beaver.errors import Unavailable
from beaver.outbox.heartbeats import HeartbeatStore


@dataclass(frozen=True)
class Health:
    """What was found, in words."""

    well: bool
    words: str


async def worker_health(settings: Settings) -> Health:
    """Whether a worker of this host is alive, or the plan leaves a worker nothing to do.

    Changes nothing: neither the schema nor, where it is not there yet, the file of the database.
    """
    if gateway_of(settings.memory) is None:
        return Health(well=True, words="the memory plan has no Gateway, so there is nothing to deliver")
    if _is_missing_file(settings.sessions_url):
        return Health(well=False, words="the session database is not there yet")
    look_names_up_apart()
    database = Database.open(settings.sessions_url, busy_budget_s=2, pool_size=1)
    try:
        return await _health(database)
    except Unavailable as error:
        return Health(well=False, words=str(error))
    finally:
        await database.close()


def _is_missing_file(url: str) -> bool:
    return url.startswith("sqlite:///") and not Path(url.removeprefix("sqlite:///")).exists()


async def _health(database: Database) -> Health:
    revision = await schema_revision(database)
    if revision != migrations.HEAD:
        stands = "no schema yet" if revision is None else f"schema {revision}"
        return Health(well=False, words=f"the session database has {stands}, this release {migrations.HEAD}")
    async with database.read() as tx:
        living = await HeartbeatStore(database.dialect).live_workers(tx)
    host = socket.gethostname()
    ours = sum(worker.host == host for worker in living)
    return Health(well=ours > 0, words=f"workers alive on {host}: {ours}")
