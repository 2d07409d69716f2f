"""From the JSON text that a model wrote to checked arguments, or to the words that tell it what to mend.

What is said names paths and rules and never echoes a value: a value may be long, and it may be what a tool guards.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from itertools import islice
from typing import Any, Final

from beaver.agent.messages import ToolSpec
from beaver.agent.tools.base import ToolFailure
from beaver.text import replace_surrogates_deep

_ERRORS_SHOWN_MAX: Final = 5
_RULE_CHARACTERS_MAX: Final = 200
_NAME_CHARACTERS_MAX: Final = 40


class ArgumentChecker:
    """Holds one tool's schema, compiled at the first use; jsonschema is imported only then."""

    def __init__(self, spec: ToolSpec) -> None:
        self._schema = spec.parameters
        self._validator: Any = None

    def check(self, text: str) -> Mapping[str, Any]:
        """The arguments as an object that keeps to the schema. Raises ToolFailure saying what is wrong with them."""
        arguments = _parse(text)
        if self._validator is None:
            self._validator = _compile(self._schema)
        errors = sorted(self._validator.iter_errors(arguments), key=lambda error: error.json_path)
        if errors:
            told = "; ".join(_told(error) for error in islice(errors, _ERRORS_SHOWN_MAX))
            more = f" (and {len(errors) - _ERRORS_SHOWN_MAX} more)" if len(errors) > _ERRORS_SHOWN_MAX else ""
            raise ToolFailure(f"The arguments do not fit: {told}{more}. Mend them and call again.")
        return arguments


def _parse(text: str) -> dict[str, Any]:
    try:
        arguments = replace_surrogates_deep(json.loads(text)) if text.strip() else {}
    except (ValueError, RecursionError):
        raise ToolFailure("The arguments are not valid JSON. Send one JSON object.") from None
    if not isinstance(arguments, dict):
        raise ToolFailure("The arguments must be one JSON object, not a list or a single value.")
    return arguments


def _compile(schema: Mapping[str, Any]) -> Any:
    from jsonschema import Draft202012Validator

    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


def _told(error: Any) -> str:
    path = error.json_path.removeprefix("$").removeprefix(".") or "the object"
    match error.validator:
        case "required":
            absent = [name for name in error.validator_value if name not in error.instance]
            return f"{path} needs {', '.join(absent)}"
        case "additionalProperties" | "unevaluatedProperties":
            known = error.schema.get("properties", {})
            unknown = [_short(name, _NAME_CHARACTERS_MAX) for name in error.instance if name not in known]
            return f"{path} does not know {', '.join(unknown[:_ERRORS_SHOWN_MAX])}; it knows {', '.join(known)}"
        case "enum":
            return f"{path} must be one of {_rule(error.validator_value)}"
        case "type":
            return f"{path} must be of type {_rule(error.validator_value)}"
        case _:
            return f"{path} breaks {error.validator} {_rule(error.validator_value)}"


def _rule(value: Any) -> str:
    return _short(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False), _RULE_CHARACTERS_MAX)


def _short(text: str, characters_max: int) -> str:
    return text if len(text) <= characters_max else f"{text[: characters_max - 1]}…"
