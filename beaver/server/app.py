"""The chat server's application over one loaded engine."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from fastapi import FastAPI

from beaver.agent.loader import EngineLoadResult
from beaver.server import health, metrics
from beaver.server.guard.access_log import AccessLog
from beaver.server.guard.auth import KeyCheck
from beaver.server.guard.limits import BodyLimit
from beaver.server.guard.security import LOOPBACK_HOSTS, HostCheck, SecurityHeaders
from beaver.server.openai import chat, models, responses
from beaver.server.page import routes as page
from beaver.server.problems import add_problem_handlers
from beaver.server.runs import api as run_api
from beaver.server.runs.asides import Asides
from beaver.server.runs.idempotency import OnDisconnect, RunStarter
from beaver.server.runs.journal import RunJournal
from beaver.server.runs.registry import DRAIN_S, RunRegistry
from beaver.server.runs.stored import StoredRuns
from beaver.server.runs.upkeep import Upkeep
from beaver.server.sessions import api as session_api
from beaver.server.sessions.placement import Placement
from beaver.sessions.leases import LeasePolicy


def create_app(
    engine: EngineLoadResult,
    *,
    drain_s: float = DRAIN_S,
    session_headers: Sequence[str] = (),
    busy_policy: LeasePolicy = "enqueue",
    on_disconnect: OnDisconnect = "continue",
    require_keys: bool = False,
    hosts: frozenset[str] | None = LOOPBACK_HOSTS,
) -> FastAPI:
    """The application. Its shutdown drains the runs; the engine is the caller's to close after that.

    `session_headers` name sessions beside the documented ones, the first before the others. Without
    `require_keys` everybody who reaches the server may do everything. `hosts` are those that requests may name.
    """
    journal = RunJournal(engine.database)
    runs = RunRegistry(engine.loop, journal=journal, drain_s=drain_s, busy_policy=busy_policy)
    starter = RunStarter(engine.database, runs, on_disconnect)
    upkeep = Upkeep(engine.database, runs)
    asides = Asides(engine.aside)

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        upkeep.start()
        yield
        await runs.drain()
        await upkeep.aclose()
        await starter.aclose()
        await asides.aclose()

    app = FastAPI(title="Beaver", lifespan=lifespan, redirect_slashes=False)
    app.state.engine = engine
    app.state.runs = runs
    app.state.starter = starter
    app.state.stored_runs = StoredRuns(engine.database)
    app.state.asides = asides
    app.state.session_headers = tuple(session_headers)
    app.state.placement = Placement(engine.database, engine.sessions)
    # The last one added is the first to see a request.
    app.add_middleware(BodyLimit)
    app.add_middleware(KeyCheck, database=engine.database, required=require_keys)
    app.add_middleware(HostCheck, hosts=hosts)
    app.add_middleware(AccessLog)
    app.add_middleware(SecurityHeaders)
    add_problem_handlers(app)
    for router in (health.router, metrics.router, models.router, chat.router, responses.router, session_api.router):
        app.include_router(router)
    app.include_router(run_api.router)
    app.include_router(page.router)
    return app
