"""JSON into a request, or an error that names the field and the rule and shows nothing of what was sent."""

from __future__ import annotations

import json
import re
from typing import Any, Final, TypeVar

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from beaver.errors import InvalidInput, InvalidJson
from beaver.redaction import Redactor
from beaver.schemas.wire import Accepted

Request = TypeVar("Request", bound=Accepted)

# A key that the caller made up is named only if it looks like a name and not like a secret.
_NAME: Final = re.compile(r"[A-Za-z_]{1,40}")
_REDACTOR: Final = Redactor()

_PLAIN: Final = {
    "missing": "is required",
    "extra_forbidden": "is not a known key",
    "string_type": "must be a string",
    "int_type": "must be a whole number",
    "list_type": "must be a list",
    "model_type": "must be an object",
    "model_attributes_type": "must be an object",
}


def parse_json(body: bytes) -> Any:
    """The body as JSON. Raises InvalidJson."""
    try:
        return json.loads(body)
    except (ValueError, RecursionError):  # ValueError: bad UTF-8, bad JSON, a number with thousands of digits
        raise InvalidJson from None


def parse_request(model: type[Request], body: Any) -> Request:
    """The body as a request. Raises InvalidInput for the first rule it breaks."""
    try:
        return model.model_validate(body)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False, include_context=False)[0]
        raise InvalidInput(_field(first), _rule(first)) from None


def _field(detail: ErrorDetails) -> str:
    path = [str(part) for part in detail["loc"]]
    if detail["type"] == "extra_forbidden" and not _can_be_named(path[-1]):
        path[-1] = "(a key)"
    return ".".join(path) or "body"


def _can_be_named(key: str) -> bool:
    return _NAME.fullmatch(key) is not None and _REDACTOR.text(key) == key


def _rule(detail: ErrorDetails) -> str:
    plain = detail["msg"].removeprefix("Value error, ").removeprefix("Input ").replace("should", "must", 1)
    return _PLAIN.get(detail["type"], plain)
