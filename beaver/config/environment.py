"""`${NAME}` in a string of the configuration takes an environment variable, so that the file can be committed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from beaver.config.violations import Violation, child_path

_REFERENCE: Final = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")


def expand(value: Any, env: Mapping[str, str], field: str = "") -> tuple[Any, list[Violation]]:
    """The JSON value with every `${NAME}` replaced, and what could not be replaced; those strings stay as they were.

    A variable's own value is taken as it is: a `${` in it means nothing.
    """
    match value:
        case str():
            found = _violations(value, env, field)
            return (value if found else _REFERENCE.sub(lambda name: env[name.group(1)], value)), found
        case dict():
            pairs = {key: expand(item, env, child_path(field, key)) for key, item in value.items()}
            return {key: item for key, (item, _) in pairs.items()}, [
                one for _, found in pairs.values() for one in found
            ]
        case list():
            items = [expand(item, env, child_path(field, str(index))) for index, item in enumerate(value)]
            return [item for item, _ in items], [one for _, found in items for one in found]
        case _:
            return value, []


def without_references(text: str) -> str:
    """What of a string the file itself holds: the text between its `${NAME}`s."""
    return _REFERENCE.sub("", text)


def _violations(text: str, env: Mapping[str, str], field: str) -> list[Violation]:
    if "${" in without_references(text):
        return [Violation(field, "must name an environment variable, and close it with `}`, after each `${`")]
    names = dict.fromkeys(_REFERENCE.findall(text))
    return [
        Violation(field, f"needs the environment variable {name}, which is not set")
        for name in names
        if name not in env
    ]
