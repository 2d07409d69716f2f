"""What this chat server counts, and the ledger's depth: the same figures as a worker's, from any chat server."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response
from fastapi.responses import PlainTextResponse
from prometheus_client import CONTENT_TYPE_LATEST

from beaver.outbox.metrics import ledger_exposition
from beaver.server.probes import look_at_ledger
from beaver.server.telemetry.registry import Telemetry

router = APIRouter()


@router.get("/metrics", response_class=PlainTextResponse)
async def metrics(request: Request) -> Response:
    """Requests, runs and peers of this process; turns by state, ready ones, age of the oldest pending one, workers alive."""
    telemetry: Telemetry = request.app.state.telemetry
    reading = await look_at_ledger(request.app.state.engine)
    told = telemetry.exposition() + ledger_exposition(reading)
    return Response(told, headers={"Content-Type": CONTENT_TYPE_LATEST})
