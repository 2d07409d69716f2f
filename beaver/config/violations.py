"""A broken rule as (field, rule) in the file's own spelling, without any value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic.alias_generators import to_camel
from pydantic_core import ErrorDetails

from beaver.errors import ConfigError
from beaver.redaction import Redactor

Model = TypeVar("Model", bound=BaseModel)

WHOLE_FILE: Final = "config.json"
IS_REQUIRED: Final = "is required"
_UNKNOWN: Final = "extra_forbidden"
_KEY_LENGTH_MAX: Final = 60
_SHOWABLE: Final = Redactor()

_PLAIN: Final[Mapping[str, str]] = {
    "missing": IS_REQUIRED,
    _UNKNOWN: "is not a known key",
    "string_type": "must be a string",
    "bool_type": "must be true or false",
    "model_type": "must be an object",
    "tuple_type": "must be a list",
    "too_short": "must not be empty",
}


@dataclass(frozen=True)
class Violation:
    """One broken rule: the dotted path of the field and the rule in words."""

    field: str
    rule: str

    def error(self) -> ConfigError:
        """The same as an exception."""
        return ConfigError(self.field, self.rule)


def validated(model: type[Model], raw: Any, prefix: str) -> Model | list[Violation]:
    """The raw JSON as a model, or every rule it breaks. `prefix` is the path of the model in the file."""
    try:
        return model.model_validate(raw, by_alias=True, by_name=False)
    except ValidationError as error:
        # Only aliases count: the snake_case names of the models are no keys of the file.
        details = error.errors(include_input=False, include_url=False, include_context=False)
    return [Violation(_location(prefix, detail), _rule(detail["type"], detail["msg"])) for detail in details]


def child_path(parent: str, key: str) -> str:
    """The dotted path of a key. A key is shown as it stands unless it is no name at all, but a secret in a key's place."""
    plain = len(key) <= _KEY_LENGTH_MAX and key.isprintable() and _SHOWABLE.text(key) == key
    name = key if plain else "(a key that is not shown)"
    return f"{parent}.{name}" if parent else name


def _location(prefix: str, detail: ErrorDetails) -> str:
    path = prefix
    # A field that is absent goes by its name in Python; a key that nobody knows is shown as it stands.
    is_key = detail["type"] == _UNKNOWN
    for part in detail["loc"]:
        path = child_path(path, str(part) if is_key else to_camel(str(part)))
    return path or WHOLE_FILE


def _rule(kind: str, message: str) -> str:
    if kind in _PLAIN:
        return _PLAIN[kind]
    plain = message.removeprefix("Value error, ").removeprefix("Input ")
    return plain.replace("should", "must", 1)
