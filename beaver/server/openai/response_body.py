"""A response's body from what a run came to, or from what is stored of it; pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

from beaver.agent.messages import Usage
from beaver.agent.results import AgentRunResult
from beaver.schemas.chat import MODEL_ID, RunOutcome
from beaver.schemas.responses import (
    ConversationId,
    IncompleteDetails,
    ItemStatus,
    OutputMessage,
    OutputText,
    Response,
    ResponseError,
    ResponsesRequest,
    ResponseUsage,
)
from beaver.server.openai.asking import outcome_of
from beaver.sessions.records import UNFINISHED, RunRecord, StoredEvent

_CUT: Final[dict[str, Literal["max_output_tokens", "content_filter"]]] = {
    "length": "max_output_tokens",
    "content_filter": "content_filter",
}
_OPENAIS_CODES: Final[dict[str, Literal["rate_limit_exceeded", "invalid_prompt"]]] = {
    "limit_exceeded": "rate_limit_exceeded",
    "invalid_input": "invalid_prompt",
}


def under_way(body: ResponsesRequest, run_id: str, session_id: str | None, *, created_at: int) -> Response:
    """The response in progress, with what the request said of it."""
    return Response(
        id=run_id,
        created_at=created_at,
        status="in_progress",
        model=body.model,
        instructions=body.instructions,
        metadata=body.metadata or {},
        conversation=None if session_id is None else ConversationId(id=session_id),
        previous_response_id=body.previous_response_id,
        max_output_tokens=body.max_output_tokens,
        store=session_id is not None and body.store is not False,
    )


def finished(
    response: Response, result: AgentRunResult, output: Sequence[OutputMessage], *, completed_at: int
) -> Response:
    """The same, whole: completed, or incomplete where a limit of the model cut it."""
    return _ended(response, result.stop_reason, completed_at).model_copy(
        update={"output": tuple(output), "usage": usage_of(result.usage), "beaver": outcome_of(result)}
    )


def _ended(response: Response, stop_reason: str | None, completed_at: int) -> Response:
    reason = _CUT.get(stop_reason or "")
    if reason is not None:
        return response.model_copy(
            update={"status": "incomplete", "incomplete_details": IncompleteDetails(reason=reason)}
        )
    return response.model_copy(update={"status": "completed", "completed_at": completed_at})


def failed(response: Response, code: str, text: str) -> Response:
    """The same, failed. OpenAI's clients know few codes; ours stands beside."""
    error = ResponseError(code=_OPENAIS_CODES.get(code, "server_error"), message=text, beaver_code=code)
    return response.model_copy(update={"status": "failed", "error": error})


def output_of(result: AgentRunResult) -> list[OutputMessage]:
    """What the assistant said: the text before each use of tools, if there was any, and the answer."""
    said = [piece.text for piece in result.messages if piece.role == "assistant"]
    # Of a run at another server the answer alone is known.
    return _messages(result.run_id, said or [result.text])


def _messages(run_id: str, texts: Sequence[str]) -> list[OutputMessage]:
    spoken = [text for text in texts if text] or [""]
    return [message(run_id, index, text, "completed") for index, text in enumerate(spoken)]


def message(response_id: str, index: int, text: str, status: ItemStatus) -> OutputMessage:
    """One message of a response."""
    return OutputMessage(id=message_id(response_id, index), status=status, content=[OutputText(text=text)])


def message_id(response_id: str, index: int) -> str:
    """A message's id: its response's, and its place in it."""
    return f"msg_{response_id}_{index}"


def usage_of(usage: Usage) -> ResponseUsage:
    """Tokens in OpenAI's words."""
    total = usage.input_tokens + usage.output_tokens
    return ResponseUsage(input_tokens=usage.input_tokens, output_tokens=usage.output_tokens, total_tokens=total)


def stored(run: RunRecord, events: Sequence[StoredEvent]) -> Response:
    """A response out of the session store. What the request said of itself (model, metadata) is not kept."""
    response = Response(
        id=run.id,
        created_at=run.created_ms // 1000,
        status="in_progress",
        model=MODEL_ID,
        metadata={},
        conversation=ConversationId(id=run.session_id),
    )
    if run.status in UNFINISHED:
        return response
    said = [event.content for event in events if event.role == "assistant"]
    known = {
        "output": tuple(_messages(run.id, said)),
        "usage": usage_of(Usage(**(run.usage or {}))),
        "beaver": _outcome(run),
    }
    if run.status == "cancelled":
        return response.model_copy(update={**known, "status": "cancelled"})
    if run.status == "failed":
        return failed(response, run.error_code or "internal", "the run failed").model_copy(update=known)
    return _ended(response, run.stop_reason, (run.ended_ms or run.created_ms) // 1000).model_copy(update=known)


def _outcome(run: RunRecord) -> RunOutcome:
    return RunOutcome(
        session_id=run.session_id,
        run_id=run.id,
        stop_reason=run.stop_reason or "error",
        tools_used=list(run.tools_used),
        provider=run.provider,
    )
