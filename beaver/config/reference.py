"""Every setting with its type, default and meaning, read from the models: the README's table is held to this."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final, Literal, get_args, get_origin

from annotated_types import Ge, Gt, Le
from pydantic import SecretStr
from pydantic.fields import FieldInfo

from beaver.config.memory import GatewaySettings
from beaver.config.rules import Section
from beaver.config.settings import ConfigFile

_TYPES: Final[dict[type, str]] = {str: "string", bool: "true or false", float: "number", int: "whole number"}


@dataclass(frozen=True)
class Row:
    """One setting. `path` is its dotted path in the file, `default` the JSON of what holds without it (or `required`)."""

    path: str
    type: str
    default: str
    description: str


def settings_table() -> list[Row]:
    """All settings, in the order of the models; a section that is described has a row of its own before its fields."""
    return [_row(path, field) for path, field in settings_fields() if field.description]


def secret_paths() -> list[str]:
    """The settings whose value is, or may hold, a credential."""
    return [path for path, field in settings_fields() if SecretStr in _alternatives(field.annotation)]


def settings_fields(model: type[Section] = ConfigFile, prefix: str = "") -> Iterator[tuple[str, FieldInfo]]:
    """Every field of the models below `model` with its dotted path; of a list of sections the first one's."""
    for field in model.model_fields.values():
        path = f"{prefix}{field.alias}"
        yield path, field
        section = _section(path, field)
        if section is not None:
            yield from settings_fields(section, f"{path}.0." if _is_list(field) else f"{path}.")


def _section(path: str, field: FieldInfo) -> type[Section] | None:
    # The Gateway block is untyped in its section, since the mode `curated` does not read it.
    if path == "memory.gateway":
        return GatewaySettings
    named = get_args(field.annotation)[:1] if _is_list(field) else _alternatives(field.annotation)
    types = [one for one in named if isinstance(one, type) and issubclass(one, Section)]
    return types[0] if types else None


def _is_list(field: FieldInfo) -> bool:
    return get_origin(field.annotation) is tuple


def _row(path: str, field: FieldInfo) -> Row:
    return Row(path, _type(field), _default(field), field.description or "")


def _type(field: FieldInfo) -> str:
    named = " or ".join(_name(one) for one in _alternatives(field.annotation) if one is not type(None))
    return " ".join(part for part in (named, _bounds(field)) if part)


def _name(annotation: Any) -> str:
    if annotation is Any:
        return "object"
    if annotation is SecretStr:
        return "secret string"
    if get_origin(annotation) is tuple:
        return f"list of {_name(get_args(annotation)[0])}".replace("one of ", "")
    if get_origin(annotation) is Literal:
        return "one of " + ", ".join(f"`{value}`" for value in get_args(annotation))
    return _TYPES.get(annotation, "object")


def _bounds(field: FieldInfo) -> str:
    words = []
    for rule in field.metadata:
        match rule:
            case Ge(ge=least):
                words.append(f"from {least}")
            case Gt(gt=least):
                words.append(f"above {least}")
            case Le(le=most):
                words.append(f"to {most}")
    return " ".join(words)


def _default(field: FieldInfo) -> str:
    if field.is_required():
        return "required"
    if field.default is None:
        return "none"
    return json.dumps(field.default, ensure_ascii=False)


def _alternatives(annotation: Any) -> tuple[Any, ...]:
    """The members of a union, without their Annotated rules; a type that is no union is its own only member."""
    members = get_args(annotation) if type(None) in get_args(annotation) else (annotation,)
    return tuple(get_args(one)[0] if hasattr(one, "__metadata__") else one for one in members)
