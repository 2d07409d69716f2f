"""Liveness and readiness, and for operators how each part stands.

The Gateway or Redis being down fails neither of the first two: an answer needs the session store alone.
"""

from __future__ import annotations

import asyncio
from importlib.metadata import version
from typing import Literal

from fastapi import APIRouter, Request, Response

from beaver.outbox.metrics import LedgerReading
from beaver.schemas.chat import Health
from beaver.schemas.health import HealthDetail, LedgerHealth, PartHealth
from beaver.server.probes import look_at_gateway, look_at_ledger, look_at_queue, look_at_sessions

router = APIRouter()


@router.get("/health")
async def health() -> Health:
    """The process lives."""
    return Health(status="ok")


@router.get("/ready", responses={503: {"model": Health, "description": "No runs can be taken now."}})
async def ready(request: Request, response: Response) -> Health:
    """Runs can be taken: the session store serves, and no drain has begun."""
    if request.app.state.runs.draining:
        response.status_code = 503
        return Health(status="draining")
    if (await look_at_sessions(request.app.state.engine)).status == "failed":
        response.status_code = 503
        return Health(status="unavailable")
    return Health(status="ok")


@router.get("/health/detail")
async def health_detail(request: Request) -> HealthDetail:
    """How each part stands, asked now and at once; each has 3 s to answer. The model's provider is not called."""
    engine, runs = request.app.state.engine, request.app.state.runs
    sessions, queue, gateway, ledger = await asyncio.gather(
        look_at_sessions(engine), look_at_queue(engine), look_at_gateway(engine), look_at_ledger(engine)
    )
    return HealthDetail(
        status="draining" if runs.draining else _standing(sessions, (queue, gateway)),
        version=version("beaver-agent"),
        runs_under_way=runs.under_way,
        parts={"sessions": sessions, "queue": queue, "gateway": gateway},
        ledger=None if ledger is None else _depth(ledger),
    )


def _standing(sessions: PartHealth, others: tuple[PartHealth, ...]) -> Literal["ok", "degraded", "unavailable"]:
    if sessions.status == "failed":
        return "unavailable"
    return "degraded" if any(part.status == "failed" for part in others) else "ok"


def _depth(ledger: LedgerReading) -> LedgerHealth:
    return LedgerHealth(
        turns={state.value: count for state, count in ledger.counts.items()},
        ready=ledger.ready,
        oldest_pending_age_seconds=ledger.oldest_pending_age_ms / 1000,
        workers_alive=ledger.workers_alive,
    )
