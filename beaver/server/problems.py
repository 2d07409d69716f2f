"""Every error of the chat server in one shape, with one status a code; FastAPI's own shapes are replaced."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import structlog
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from fastapi.routing import iter_route_contexts
from starlette.exceptions import HTTPException

from beaver.errors import STATUS_AND_EXIT, BeaverError, http_status
from beaver.schemas.problems import ProblemBody, problem_body, problem_of
from beaver.server.refused_values import refused_value

RETRY_AFTER_S: Final = 1
# OpenAI's clients send a request again after a 429 or 5xx. Where a run began, its side effects would happen twice.
DO_NOT_RETRY: Final = {"x-should-retry": "false"}
_ASK_FOR_KEY: Final = {"WWW-Authenticate": "Bearer"}

# What Starlette and FastAPI raise themselves: status -> our code and our words.
_OF_STATUS: Final = {
    400: ("invalid_input", "the body must be JSON in UTF-8"),
    404: ("not_found", "there is nothing at this path"),
    405: ("method_not_allowed", "this path does not know this method"),
    413: ("payload_too_large", "the body is too large"),
}


class RunFailed(Exception):
    """A run ended with an error: its code, and what the user is told. No bug, and nothing to retry blindly."""

    def __init__(self, code: str, text: str) -> None:
        super().__init__(code)
        self.code = code
        self.text = text


def add_problem_handlers(app: FastAPI) -> None:
    """Answer every error with a ProblemBody."""
    handlers: dict[type[Exception], Any] = {
        BeaverError: _beaver_error,
        RunFailed: _run_failed,
        RequestValidationError: _invalid_request,
        HTTPException: _http_exception,
        Exception: _crash,
    }
    for kind, handler in handlers.items():
        app.add_exception_handler(kind, handler)


def problem_answer(error: BeaverError) -> JSONResponse:
    """The answer for an error."""
    return _answer(http_status(error), problem_body(error), _ASK_FOR_KEY if error.code == "unauthenticated" else None)


def crash_answer() -> JSONResponse:
    """The answer for a bug: it says nothing of what happened."""
    return _answer(500, problem_of("internal", "the chat server has a fault; its log says where"), DO_NOT_RETRY)


async def _beaver_error(_request: Request, error: BeaverError) -> JSONResponse:
    return problem_answer(error)


async def _run_failed(_request: Request, error: RunFailed) -> JSONResponse:
    return _answer(STATUS_AND_EXIT[error.code][0], problem_of(error.code, error.text), DO_NOT_RETRY)


async def _invalid_request(_request: Request, error: RequestValidationError) -> JSONResponse:
    field, rule = refused_value(error)
    return _answer(400, problem_of("invalid_input", f"{field}: {rule}", field))


async def _http_exception(request: Request, error: HTTPException) -> JSONResponse:
    code, message = _OF_STATUS.get(error.status_code, ("invalid_input", "the request was refused"))
    headers = {"Allow": _allowed(request)} if error.status_code == 405 else None
    return _answer(error.status_code, problem_of(code, message), headers)


def _allowed(request: Request) -> str:
    # Starlette would name the methods of the first route that fits the path, and there is one for each method.
    routes = (each for each in iter_route_contexts(request.app.routes) if each.path_format)
    fitting = (each for each in routes if each.path_regex.match(request.scope["path"]))
    return ", ".join(sorted({method for each in fitting for method in each.methods or ()}))


async def _crash(_request: Request, _error: Exception) -> JSONResponse:
    # Starlette raises it again after this answer, and uvicorn logs it, without its message (logs.py).
    return crash_answer()


def _answer(status: int, body: ProblemBody, headers: Mapping[str, str] | None = None) -> JSONResponse:
    again = {"Retry-After": str(RETRY_AFTER_S)} if status in {429, 503} else {}
    return JSONResponse(of_this_request(body).model_dump(), status, {**again, **(headers or {})})


def of_this_request(body: ProblemBody) -> ProblemBody:
    """The body with the id of the request that it answers, whole or as the last event of a stream."""
    # What binds the id to the log's lines: it is there for whatever a request makes the server say.
    return body.model_copy(update={"request_id": structlog.contextvars.get_contextvars().get("request_id")})
