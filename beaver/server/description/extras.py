"""What the routes' signatures do not tell of them, by operation: headers, streams, links, what is open to everybody."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from beaver.schemas.chat import SESSION_HEADER

TAGS: Final = (
    {"name": "chat", "description": "OpenAI's chat completions, and the models."},
    {"name": "responses", "description": "OpenAI's responses."},
    {"name": "sessions", "description": "Conversations, their messages and their audit trail."},
    {"name": "runs", "description": "Answers that go on whoever listens."},
    {"name": "memory", "description": "What the host itself remembers: look, pin, forget, switch off."},
    {"name": "operation", "description": "For probes and monitors."},
)


def _request_header(name: str, meaning: str, length_max: int) -> dict[str, Any]:
    schema = {"type": "string", "minLength": 1, "maxLength": length_max}
    return {"name": name, "in": "header", "required": False, "description": meaning, "schema": schema}


_SESSION: Final = _request_header(
    SESSION_HEADER, "The session that the question belongs to; made where it is new.", 256
)
_ONCE: Final = _request_header("Idempotency-Key", "The same key and body mean the same run, for 24 hours.", 255)
REQUEST_HEADERS: Final[Mapping[str, Sequence[Mapping[str, Any]]]] = {
    "create_chat_completion": (_SESSION, _ONCE),
    "create_response": (_SESSION, _ONCE),
    "start_run": (_ONCE,),
}

_TOLD: Final = {
    SESSION_HEADER: {"description": "The session, unless the model keeps none.", "schema": {"type": "string"}}
}
RESPONSE_HEADERS: Final = {"create_chat_completion": _TOLD, "create_response": _TOLD}


def _stream(meaning: str, data: Mapping[str, Any]) -> dict[str, Any]:
    """One server-sent event."""
    properties = {"id": {"type": "string"}, "event": {"type": "string"}, "data": data}
    return {"type": "object", "description": meaning, "properties": properties, "required": ["data"]}


def _json(*models: str) -> dict[str, Any]:
    """A text that holds JSON, of one of these schemas or of any."""
    schema = (
        {"anyOf": [{"$ref": f"#/components/schemas/{model}"} for model in models]} if models else {"type": "object"}
    )
    return {"type": "string", "contentMediaType": "application/json", "contentSchema": schema}


STREAMS: Final = {
    "create_chat_completion": _stream(
        "With `stream`: chunks, and `[DONE]` after the last; or an error, and nothing after it.",
        {"anyOf": [{"const": "[DONE]"}, _json("ChatCompletionChunk", "ProblemBody")]},
    ),
    "create_response": _stream(
        "With `stream`: OpenAI's events in their order; or, where none could begin, an error.",
        _json("ResponseStreamEvent", "ProblemBody"),
    ),
    "stream_run_events": _stream(
        "`run.started`, `run.text`, `run.tool_started`, `run.tool_finished`, `run.answered`; `run.ended` is the last. "
        "An event without a name is an error.",
        _json(),
    ),
}


def _link(operation: str, **parameters: str) -> dict[str, Any]:
    return {"operationId": operation, "parameters": {name: f"$response.body#/{at}" for name, at in parameters.items()}}


LINKS: Final = {
    "create_session": {
        "read": _link("get_session", session_id="id"),
        "ask": _link("start_run", session_id="id"),
        "fork": _link("fork_session", session_id="id"),
        "remove": _link("delete_session", session_id="id"),
    },
    "start_run": {
        "read": _link("get_run", run_id="id"),
        "follow": _link("stream_run_events", run_id="id"),
        "stop": _link("stop_run", run_id="id"),
        "messages": _link("list_messages", session_id="session_id"),
        "audit": _link("list_events", session_id="session_id"),
    },
    "create_response": {"read": _link("get_response", response_id="id")},
}
