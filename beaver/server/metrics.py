"""The ledger's depth for Prometheus: the same figures as a worker's, from any chat server."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

router = APIRouter()


@router.get("/metrics", response_class=Response)
async def metrics(request: Request) -> Response:
    """Depth by state, ready turns, age of the oldest pending one, workers alive; read now."""
    # Here, since most chat servers are never scraped, and the library takes its time to load.
    from prometheus_client import CONTENT_TYPE_LATEST

    from beaver.outbox.metrics import ledger_exposition, read_ledger

    engine = request.app.state.engine
    reading = await read_ledger(engine.database, engine.outbox)
    return Response(ledger_exposition(reading), headers={"Content-Type": CONTENT_TYPE_LATEST})
