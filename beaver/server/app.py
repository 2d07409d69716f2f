"""The chat server's application over one loaded engine."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Final

from fastapi import APIRouter, FastAPI
from fastapi.telemetry import TelemetryConfig
from starlette.middleware.cors import CORSMiddleware

from beaver.agent.loader import EngineLoadResult
from beaver.server import health, metrics
from beaver.server.description import routes as description
from beaver.server.guard.access_log import AccessLog
from beaver.server.guard.auth import KeyCheck
from beaver.server.guard.key_use import KeyUse
from beaver.server.guard.limits import BodyLimit
from beaver.server.guard.origins import CrossSiteCheck, cors
from beaver.server.guard.quotas import Quotas
from beaver.server.guard.rate_check import RateCheck
from beaver.server.guard.security import LOOPBACK_HOSTS, HostCheck, SecurityHeaders
from beaver.server.guard.templates import RouteTemplates
from beaver.server.memory import api as memory_api
from beaver.server.openai import chat, models, responses
from beaver.server.page import routes as page
from beaver.server.problems import add_problem_handlers
from beaver.server.runs import api as run_api
from beaver.server.runs.asides import Asides
from beaver.server.runs.idempotency import OnDisconnect, RunStarter
from beaver.server.runs.journal import RunJournal
from beaver.server.runs.registry import DRAIN_S, RUNS_MAX, RunRegistry
from beaver.server.runs.stored import StoredRuns
from beaver.server.runs.upkeep import Upkeep
from beaver.server.sessions import api as session_api
from beaver.server.sessions.placement import Placement
from beaver.server.telemetry.registry import Telemetry
from beaver.server.telemetry.runs import MeasuredLoop
from beaver.sessions.holding import LeasePolicy

ROUTERS: Final[Sequence[tuple[APIRouter, tuple[str, ...]]]] = (
    (models.router, ("chat",)),
    (chat.router, ("chat",)),
    (responses.router, ("responses",)),
    (session_api.router, ("sessions",)),
    (run_api.router, ("runs",)),
    (memory_api.router, ("memory",)),
    (health.router, ("operation",)),
    (metrics.router, ("operation",)),
    (page.router, ()),
    (description.router, ()),
)
"""In the order of the routing, each with its tags in the description."""

SILENT: Final[TelemetryConfig] = {
    "tracing": False,
    "metrics": False,
    "logs": False,
    "operation_spans": False,
    "auto_configure": False,
}


def create_app(
    engine: EngineLoadResult,
    *,
    drain_s: float = DRAIN_S,
    runs_max: int = RUNS_MAX,
    session_headers: Sequence[str] = (),
    busy_policy: LeasePolicy = "enqueue",
    on_disconnect: OnDisconnect = "continue",
    require_keys: bool = False,
    hosts: frozenset[str] | None = LOOPBACK_HOSTS,
    cors_origins: Sequence[str] = (),
    quotas: Quotas | None = None,
    telemetry: Telemetry | None = None,
) -> FastAPI:
    """The application. Its shutdown drains the runs; the engine is the caller's to close after that.

    `session_headers` name sessions beside the documented ones, the first before the others. Without
    `require_keys` everybody who reaches the server may do everything. `hosts` are those that requests may name,
    `cors_origins` the sites whose pages may ask. `quotas` are closed with the application; without them nothing is bounded.
    `telemetry` is the one that observes the engine; without it what the engine asks of others is not counted.
    """
    counts = telemetry or Telemetry()
    journal = RunJournal(engine.database)
    runs = RunRegistry(
        MeasuredLoop(engine.loop, counts.runs),
        journal=journal,
        runs_max=runs_max,
        drain_s=drain_s,
        busy_policy=busy_policy,
        refused=counts.runs.refused,
    )
    starter = RunStarter(engine.database, runs, on_disconnect)
    upkeep = Upkeep(engine.database, runs)
    asides = Asides(engine.aside, refused=counts.runs.refused)
    quotas = quotas or Quotas()
    key_use = KeyUse(engine.database)

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        async with AsyncExitStack() as opened:
            # Closed from the last to the first, each whatever became of the others.
            for close in (key_use.aclose, quotas.aclose, asides.aclose, starter.aclose, upkeep.aclose, runs.drain):
                opened.push_async_callback(close)
            upkeep.start()
            quotas.start()
            yield

    app = FastAPI(
        lifespan=lifespan,
        redirect_slashes=False,
        # The description's own routes say more, and load nothing from elsewhere.
        openapi_url=None,
        generate_unique_id_function=lambda route: route.name,
        # FastAPI's own would tell OpenTelemetry of paths, queries and the messages of exceptions.
        telemetry=SILENT,
    )
    app.state.engine = engine
    app.state.telemetry = counts
    app.state.runs = runs
    app.state.starter = starter
    app.state.stored_runs = StoredRuns(engine.database)
    app.state.asides = asides
    app.state.quotas = quotas
    app.state.session_headers = tuple(session_headers)
    app.state.keys_required = require_keys
    app.state.placement = Placement(engine.database, engine.sessions)
    # The last one added is the first to see a request.
    app.add_middleware(BodyLimit)
    if quotas.count is not None:
        app.add_middleware(RateCheck, count=quotas.count, refused=counts.runs.refused)
    app.add_middleware(KeyCheck, database=engine.database, required=require_keys, used=key_use.note)
    if not require_keys:
        app.add_middleware(CrossSiteCheck, allowed=cors_origins)
    if cors_origins:
        app.add_middleware(CORSMiddleware, **cors(cors_origins))
    app.add_middleware(HostCheck, hosts=hosts)
    app.add_middleware(AccessLog, templates=RouteTemplates(router for router, _ in ROUTERS), metrics=counts.requests)
    app.add_middleware(SecurityHeaders)
    add_problem_handlers(app)
    for router, tags in ROUTERS:
        app.include_router(router, tags=list(tags))
    return app
