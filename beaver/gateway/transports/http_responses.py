"""Answers, files and errors as HTTP responses."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Final

from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from beaver.errors import BeaverError, http_status
from beaver.gateway.answers import Answer, FileAnswer
from beaver.gateway.problems import problem_of
from beaver.gateway.rate import RateExceeded
from beaver.schemas.wire import Answered

FILE_PIECE_BYTES: Final = 256 * 1024


def response_of(answer: Answer) -> Response:
    """An answer as a response."""
    return _FileResponse(answer) if isinstance(answer, FileAnswer) else json_answer(answer)


class _FileResponse(StreamingResponse):
    """Sends a file in pieces, and closes it however that ends."""

    def __init__(self, answer: FileAnswer) -> None:
        disposition = {"Content-Disposition": f'attachment; filename="{answer.name}"', "Cache-Control": "no-store"}
        super().__init__(self._pieces(), media_type=answer.media_type, headers=disposition)
        self._content = answer.content

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        with self._content:
            await super().__call__(scope, receive, send)

    async def _pieces(self) -> AsyncIterator[bytes]:
        while piece := await asyncio.to_thread(self._content.read, FILE_PIECE_BYTES):
            yield piece


def json_answer(answer: Answered, status: int = 200) -> Response:
    """A wire type as a response; absent fields are left out."""
    return Response(answer.model_dump_json(exclude_none=True), status, media_type="application/json")


def problem_answer(error: BeaverError) -> Response:
    """An error as a response."""
    answer = json_answer(problem_of(error), http_status(error))
    if isinstance(error, RateExceeded):
        answer.headers["Retry-After"] = str(error.retry_after_s)
    return answer
