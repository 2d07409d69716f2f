"""The chat server's application over one loaded engine."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI

from beaver.agent.loader import EngineLoadResult
from beaver.server import health, metrics, openai, sessions
from beaver.server.limits import BodyLimit
from beaver.server.problems import add_problem_handlers
from beaver.server.runs import DRAIN_S, RunRegistry


def create_app(engine: EngineLoadResult, *, drain_s: float = DRAIN_S) -> FastAPI:
    """The application. Its shutdown drains the runs; the engine is the caller's to close after that."""
    runs = RunRegistry(engine.loop, drain_s=drain_s)

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        yield
        await runs.drain()

    app = FastAPI(title="Beaver", lifespan=lifespan, redirect_slashes=False)
    app.state.engine = engine
    app.state.runs = runs
    app.add_middleware(BodyLimit)
    add_problem_handlers(app)
    for router in (health.router, metrics.router, openai.router, sessions.router):
        app.include_router(router)
    return app
