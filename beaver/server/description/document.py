"""The OpenAPI document: what FastAPI finds out by itself, set right and completed; pure.

FastAPI documents validation errors with a status and a shape that this server does not use, knows nothing of what
middleware answers, and not what is streamed. Each step below adds one of these.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib.metadata import version
from typing import Any, Final

from fastapi.openapi.utils import get_openapi
from pydantic import TypeAdapter
from starlette.routing import BaseRoute

from beaver.schemas.chat import ChatCompletionChunk
from beaver.schemas.problems import ProblemBody
from beaver.schemas.responses import StreamEvent
from beaver.server.description.examples import EXAMPLES
from beaver.server.description.extras import LINKS, REQUEST_HEADERS, RESPONSE_HEADERS, STREAMS, TAGS
from beaver.server.description.refusals import ANYWHERE, REFUSALS
from beaver.server.guard.paths import PROBES

ABOUT: Final = (
    "A chat agent whose memory never slows, breaks or leaks a chat. Clients of OpenAI's API work as they are; sessions "
    "and runs have an API of their own. Every error has one shape."
)
KEY_SCHEME: Final = "apiKey"
_FASTAPIS_OWN: Final = ("HTTPValidationError", "ValidationError")
_REF: Final = "#/components/schemas/{model}"

Document = dict[str, Any]


def openapi_document(routes: Sequence[BaseRoute], *, keys_required: bool) -> Document:
    """The document of these routes."""
    document = get_openapi(
        title="Beaver", version=version("beaver-agent"), description=ABOUT, routes=routes, tags=list(TAGS)
    )
    components = document["components"]
    _add_schemas(components["schemas"])
    components["responses"] = {refusal.name: _response(status) for status, refusal in REFUSALS.items()}
    components["securitySchemes"] = {KEY_SCHEME: _scheme(keys_required)}
    document["security"] = [{KEY_SCHEME: []}] if keys_required else [{KEY_SCHEME: []}, {}]
    for path, operation in _operations(document):
        _complete(operation, is_open=path in PROBES)
    return document


def _operations(document: Document) -> Iterator[tuple[str, Document]]:
    for path, operations in document["paths"].items():
        for operation in operations.values():
            yield path, operation


def _add_schemas(schemas: Document) -> None:
    """The errors' shape and the streamed pieces, which no route answers by itself; and examples."""
    for name in _FASTAPIS_OWN:
        schemas.pop(name, None)
    for adapter in (TypeAdapter(ProblemBody), TypeAdapter(ChatCompletionChunk), TypeAdapter[Any](StreamEvent)):
        schema = adapter.json_schema(mode="serialization", ref_template=_REF)
        schemas.update(schema.pop("$defs", {}))
        schemas[schema.get("title", "ResponseStreamEvent")] = schema
    for name, examples in EXAMPLES.items():
        schemas[name]["examples"] = list(examples)


def _response(status: int) -> Document:
    refusal = REFUSALS[status]
    return {
        "description": refusal.meaning,
        "headers": {name: {"required": True, "schema": {"type": "string"}} for name in refusal.headers},
        "content": {"application/json": {"schema": {"$ref": _REF.format(model="ProblemBody")}}},
    }


def _scheme(keys_required: bool) -> Document:
    needed = "Needed" if keys_required else "Not needed here"
    return {
        "type": "http",
        "scheme": "bearer",
        "bearerFormat": "bvr_…",
        "description": f"{needed}. `beaver keys create NAME` makes a key and shows it once.",
    }


def _complete(operation: Document, *, is_open: bool) -> None:
    name = operation["operationId"]
    responses: Document = operation["responses"]
    responses.pop("422", None)
    if is_open:
        operation["security"] = []
    own = {int(status) for status, response in responses.items() if status >= "400" and "content" not in response}
    common = {500} if is_open else ANYWHERE
    for status in own | common | ({413} if "requestBody" in operation else set()):
        responses[str(status)] = {"$ref": f"#/components/responses/{REFUSALS[status].name}"}
    operation["responses"] = dict(sorted(responses.items()))
    success = next(response for status, response in responses.items() if status < "300")
    if name in REQUEST_HEADERS:
        operation.setdefault("parameters", []).extend(REQUEST_HEADERS[name])
    if name in RESPONSE_HEADERS:
        success["headers"] = RESPONSE_HEADERS[name]
    if name in STREAMS:
        success.setdefault("content", {})["text/event-stream"] = {"itemSchema": STREAMS[name]}
    if name in LINKS:
        success["links"] = LINKS[name]
