"""What a request breaks, as the field that its client wrote and the rule: FastAPI's own errors name our types beside them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from fastapi.exceptions import RequestValidationError

_BODY: Final = "body"
_NO_OBJECT: Final = frozenset({"missing", "model_attributes_type", "model_type", "dict_type"})
_SUBJECT: Final = re.compile(r"^(?:Input|List|String|Value|Dictionary|Data) should\b")


def refused_value(error: RequestValidationError) -> tuple[str, str]:
    """The first field that breaks a rule, and the rule; neither holds a value."""
    first = error.errors()[0]
    kind, place = first["type"], first["loc"]
    if kind == "json_invalid":
        return _BODY, f"must be JSON: there is a mistake at character {place[-1]}"
    if place == (_BODY,) and kind in _NO_OBJECT:
        return _BODY, "must be one JSON object, sent with Content-Type: application/json"
    is_of_body = place[0] == _BODY
    path = list(_written(place[1:], error.body, kind)) if is_of_body else [str(part) for part in place]
    return ".".join(path) or _BODY, _rule(kind, str(first["msg"]))


def _written(place: Sequence[int | str], body: Any, kind: str) -> Iterator[str]:
    """The parts that stand in the body; between them stand the names of the types that were tried."""
    for number, part in enumerate(place):
        if _holds(body, part):
            body = body[part]
            yield str(part)
        elif kind == "missing" and number == len(place) - 1:
            yield str(part)


def _holds(body: Any, part: int | str) -> bool:
    if isinstance(body, Mapping):
        return part in body
    return isinstance(body, list) and isinstance(part, int) and part < len(body)


def _rule(kind: str, message: str) -> str:
    if kind == "missing":
        return "is required"
    return _SUBJECT.sub("must", message.removeprefix("Value error, "))
