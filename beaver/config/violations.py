"""A model's validation errors as (field, rule) pairs in the file's own spelling, without any value."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from pydantic import BaseModel, ValidationError

from beaver.errors import ConfigError

Model = TypeVar("Model", bound=BaseModel)

_PLAIN: Final[Mapping[str, str]] = {
    "missing": "is required",
    "extra_forbidden": "is not a known key",
    "string_type": "must be a string",
    "bool_type": "must be true or false",
    "model_type": "must be an object",
    "dict_type": "must be an object",
    "tuple_type": "must be a list",
    "list_type": "must be a list",
}


@dataclass(frozen=True)
class Violation:
    """One broken rule: the dotted path of the field and the rule in words."""

    field: str
    rule: str


def validated(model: type[Model], raw: Any, prefix: str) -> Model:
    """The raw JSON as a model, or ConfigError for the first rule broken. `prefix` is the path of the model in the file."""
    try:
        return model.model_validate(raw)
    except ValidationError as error:
        first = violations(error, prefix)[0]
        raise ConfigError(first.field, first.rule) from None


def violations(error: ValidationError, prefix: str) -> list[Violation]:
    """Every broken rule of a validation error."""
    return [
        Violation(_path(prefix, detail["loc"]), _rule(detail["type"], detail["msg"]))
        for detail in error.errors(include_input=False, include_url=False, include_context=False)
    ]


def _path(prefix: str, location: tuple[int | str, ...]) -> str:
    parts = [prefix, *map(str, location)]
    return ".".join(part for part in parts if part) or "config.json"


def _rule(kind: str, message: str) -> str:
    if kind in _PLAIN:
        return _PLAIN[kind]
    plain = message.removeprefix("Value error, ").removeprefix("Input ")
    return plain.replace("should", "must", 1)
