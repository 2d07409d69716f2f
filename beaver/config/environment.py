"""`${NAME}` in a string of the configuration takes an environment variable, `${file:/path}` a file's content.

So the configuration itself can be committed, and a secret may come as a file (systemd, Docker, Kubernetes).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from beaver.config.violations import Violation, child_path

SECRET_BYTES_MAX: Final = 65_536

_REFERENCE: Final = re.compile(r"\$\{(?:(?P<name>[A-Za-z_][A-Za-z0-9_]*)|file:(?P<path>/[^}]+))\}")


def expand(value: Any, env: Mapping[str, str], field: str = "") -> tuple[Any, list[Violation]]:
    """The JSON value with every reference replaced, and what could not be replaced; those strings stay as they were.

    A variable's value and a file's content are taken as they are: a `${` in them means nothing. A file is UTF-8, its
    path absolute; one line break at its end does not belong to the value.
    """
    match value:
        case str():
            return _expanded(value, env, field)
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
    """What of a string the file itself holds: the text between its references."""
    return _REFERENCE.sub("", text)


def _expanded(text: str, env: Mapping[str, str], field: str) -> tuple[str, list[Violation]]:
    if "${file:" in without_references(text):
        return text, [Violation(field, "must name a file by its absolute path, and close it with `}`, after `${file:`")]
    if "${" in without_references(text):
        return text, [Violation(field, "must name an environment variable, and close it with `}`, after each `${`")]
    values = {found[0]: _value(found, env) for found in _REFERENCE.finditer(text)}
    missing = [Violation(field, value.rule) for value in values.values() if isinstance(value, _Missing)]
    return (text if missing else _REFERENCE.sub(lambda found: str(values[found[0]]), text)), missing


@dataclass(frozen=True)
class _Missing:
    rule: str


def _value(reference: re.Match[str], env: Mapping[str, str]) -> str | _Missing:
    name, path = reference["name"], reference["path"]
    if path is not None:
        return _content(Path(path))
    return env[name] if name in env else _Missing(f"needs the environment variable {name}, which is not set")


def _content(path: Path) -> str | _Missing:
    try:
        with path.open("rb") as file:
            content = file.read(SECRET_BYTES_MAX + 1)
    except (OSError, ValueError) as error:
        return _Missing(f"needs the file {path}, which cannot be read ({type(error).__name__})")
    if len(content) > SECRET_BYTES_MAX:
        return _Missing(f"needs the file {path}, which is larger than {SECRET_BYTES_MAX} bytes")
    try:
        return re.sub(r"\r?\n\Z", "", content.decode())
    except UnicodeDecodeError:
        return _Missing(f"needs the file {path}, which is not UTF-8")
