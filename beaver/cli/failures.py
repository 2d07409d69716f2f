"""An error as a person or a program reads it: what happened, and what to do next."""

from __future__ import annotations

from typing import Final

import typer

from beaver.errors import BeaverError, InvalidInput, Unavailable
from beaver.text import json_line, printable

_NEXT_STEP: Final = {
    "config": "Mend .beaver/config.json (`beaver check` lists every rule that it breaks), then try again.",
    "unauthenticated": "Set BEAVER_API_KEY to a key of this chat server (`beaver keys create NAME` makes one), then try again.",
    "forbidden": "Ask with a key that may do this.",
    "limit_exceeded": "Make it smaller or wait a moment, then try again.",
    "unavailable": "`beaver check` tells which part does not answer.",
    "deadline_exceeded": "`beaver check` tells which part does not answer; the logs lie in .beaver/logs.",
    "peer_fault": "`beaver check` tells which part answers wrongly.",
}

# module that is not there -> the extra that brings it
_EXTRAS: Final = {
    "fastapi": "server",
    "filelock": "server",
    "jsonschema": "server",
    "yaml": "server",
    "uvicorn": "server",
    "starlette": "gateway",
    "pypdf": "gateway",
    "asyncpg": "postgres",
    "openai": "openai",
    "anthropic": "anthropic",
}


def report(error: BeaverError, *, as_json: bool) -> None:
    """Write the error to standard error: plain words, or `{"error": {…}}` in the shape of the HTTP API."""
    _write(str(error), _NEXT_STEP.get(error.code), error.code, as_json=as_json)


def say_failure(text: str, code: str, run_id: str | None) -> None:
    """The same for people, of an error that came as an answer."""
    _write(text, step_after(code, run_id), code, as_json=False)


def step_after(code: str | None, run_id: str | None) -> str | None:
    """What to do about an error (None: there is none) that came as an answer. Of a run that had begun its text says it."""
    return None if code is None or run_id is not None else _NEXT_STEP.get(code)


def report_usage(error: typer.TyperException) -> None:
    """The JSON for a command line that cannot be read. For people the command line itself says it, with its usage."""
    context = getattr(error, "ctx", None)
    next_step = None if context is None else f"`{context.command_path} --help` tells what it takes."
    _write(error.format_message(), next_step, InvalidInput.code, as_json=True)


def report_abort() -> None:
    """The JSON for a question that was not answered with yes."""
    _write("nothing was done", "With --yes nothing is asked.", "aborted", as_json=True)


def report_missing_extra(error: ModuleNotFoundError, *, as_json: bool) -> bool:
    """Say which extra to install for a module that is not there; False when it is not one of ours to explain."""
    extra = _EXTRAS.get((error.name or "").split(".")[0])
    if extra is None:
        return False
    _write(
        f"this command needs {error.name}, which is not installed",
        f"Install beaver-agent[{extra}], then try again.",
        "missing_extra",
        as_json=as_json,
    )
    return True


def report_refusal(error: OSError, *, as_json: bool) -> bool:
    """Say what the system refused to do with a file (a disk is full, a folder is not to be written to); False where it was no
    file: the reader of our output that is gone, a peer.
    """
    if error.strerror is None or isinstance(error, ConnectionError | TimeoutError):
        return False
    told = error.strerror if error.filename is None else f"{error.strerror}: {error.filename}"
    _write(
        f"the system refused a file: {told}",
        "See that the disk has room and that the folder may be written to, then try again.",
        Unavailable.code,
        as_json=as_json,
    )
    return True


def _write(message: str, next_step: str | None, code: str, *, as_json: bool) -> None:
    if as_json:
        body = {"message": message, "code": code, "next_step": next_step}
        typer.echo(json_line({"error": body}), err=True)
        return
    typer.echo(f"beaver: {printable(message)}", err=True)
    if next_step:
        typer.echo(f"  {printable(next_step)}", err=True)
