"""The native runs API as it stands on the wire."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from beaver.schemas.chat import SKILLS_MAX
from beaver.schemas.wire import INTEGER_MAX, Accepted, Answered, NotBlank, Text


class RunCreate(Accepted):
    """`POST /v1/sessions/{id}/runs`."""

    prompt: NotBlank
    skills: Annotated[tuple[Text, ...], Field(max_length=SKILLS_MAX)] = ()


class RunAccepted(Answered):
    """The run is recorded, and goes on whoever listens."""

    id: str
    session_id: str
    status: Literal["queued"] = "queued"


class RunView(Answered):
    """`GET /v1/runs/{id}`. `answer` is there once the run has completed; `error` is a code. Times are UTC epoch milliseconds.

    `provider` and `model` are there once it has begun; `offline` is no model, and the answer an extract.
    """

    id: str
    session_id: str
    status: str
    stop_reason: str | None
    error: str | None
    answer: str | None
    usage: dict[str, Any] | None
    tools_used: list[str]
    provider: str | None
    model: str | None
    created_ms: int
    ended_ms: int | None
    stop_requested_ms: int | None


class SessionCreate(Accepted):
    """`POST /v1/sessions`: without an id a fresh one is made."""

    id: NotBlank | None = None
    title: Text | None = None


class ForkCreate(Accepted):
    """`POST /v1/sessions/{id}/fork`: with the messages up to this event (inclusive); without it, with all."""

    after_event: Annotated[int, Field(strict=True, ge=0, le=INTEGER_MAX)] | None = None
