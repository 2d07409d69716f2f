"""Liveness and readiness. The Gateway or Redis being down fails neither: an answer needs the session store alone."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response
from sqlalchemy import select

from beaver.errors import BeaverError
from beaver.schemas.chat import Health

router = APIRouter()


@router.get("/health")
async def health() -> Health:
    """The process lives."""
    return Health(status="ok")


@router.get("/ready")
async def ready(request: Request, response: Response) -> Health:
    """Runs can be taken: the session store serves, and no drain has begun."""
    if request.app.state.runs.draining:
        response.status_code = 503
        return Health(status="draining")
    try:
        async with request.app.state.engine.database.read() as tx:
            await tx.execute(select(1))
    except BeaverError:
        response.status_code = 503
        return Health(status="unavailable")
    return Health(status="ok")
