"""The least that a FastAPI app can do for the same answers: `python -m tests.bench.bare_app ANSWERS_FILE PORT`."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

import uvicorn
from fastapi import FastAPI, Request, Response
from fastapi.responses import StreamingResponse

from beaver.config.settings import ServerSettings
from beaver.server.serve import listen


def bare(answers: Mapping[str, Any]) -> FastAPI:
    """An app that parses a request's JSON and plays `whole`, or `pieces` with `delay_s` before each but the first."""
    app = FastAPI(openapi_url=None)

    @app.post("/v1/chat/completions")
    async def answer(request: Request) -> Response:
        if (await request.json()).get("stream"):
            return StreamingResponse(_played(answers), media_type="text/event-stream")
        return Response(answers["whole"], media_type="application/json")

    @app.get("/ready")
    async def ready() -> dict[str, str]:
        return {"status": "ok"}

    return app


async def _played(answers: Mapping[str, Any]) -> AsyncIterator[str]:
    for number, piece in enumerate(answers["pieces"]):
        if number:
            await asyncio.sleep(answers["delay_s"])
        yield piece


if __name__ == "__main__":
    _, file, port = sys.argv
    server = uvicorn.Server(uvicorn.Config(bare(json.loads(Path(file).read_text())), log_config=None, access_log=False))
    # The same loop and the same kind of listener as the chat server's.
    asyncio.run(server.serve(sockets=[listen(ServerSettings(port=int(port)))]))
