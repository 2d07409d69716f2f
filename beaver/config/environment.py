"""`${NAME}` in a string of the configuration takes an environment variable, so that the file can be committed."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from beaver.errors import ConfigError

_VARIABLE: Final = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")


def expand(value: Any, env: Mapping[str, str], field: str = "") -> Any:
    """The JSON value with every `${NAME}` replaced. Raises ConfigError, naming field and variable, where one is not set."""
    match value:
        case str():
            return _VARIABLE.sub(lambda found: _variable(found.group(1), env, field), value)
        case dict():
            return {key: expand(item, env, f"{field}.{key}" if field else str(key)) for key, item in value.items()}
        case list():
            return [expand(item, env, f"{field}.{index}") for index, item in enumerate(value)]
        case _:
            return value


def _variable(name: str, env: Mapping[str, str], field: str) -> str:
    if name not in env:
        raise ConfigError(field, f"needs the environment variable {name}, which is not set")
    return env[name]
