"""From the file's bytes to Settings, or a ConfigError that names the field and the rule."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from typing import Any, Final, get_args

from beaver.config.environment import expand
from beaver.config.memory import MemoryPlan, MemorySection, Mode, plan_memory
from beaver.config.memory_policy import MemoryPolicySettings
from beaver.config.paths import InstancePaths
from beaver.config.settings import ConfigFile, Settings
from beaver.config.violations import WHOLE_FILE, Violation, child_path, validated
from beaver.errors import ConfigError

CONFIG_BYTES_MAX: Final = 1_000_000


def load_settings(paths: InstancePaths, env: Mapping[str, str]) -> Settings:
    """Read and check the instance's configuration; an absent file means the defaults. Raises ConfigError."""
    return parse_settings(paths, read_config(paths), env)


def read_config(paths: InstancePaths) -> dict[str, Any]:
    """The file as JSON, before any rule of a field; `{}` when there is none. Raises ConfigError."""
    try:
        content = paths.config.read_bytes()
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise ConfigError(WHOLE_FILE, f"must be a file that can be read ({type(error).__name__})") from None
    return decode_config(content)


def decode_config(content: bytes) -> dict[str, Any]:
    """The file's bytes as a JSON object, in which no key stands twice. Raises ConfigError."""
    if len(content) > CONFIG_BYTES_MAX:
        raise ConfigError(WHOLE_FILE, f"must be at most {CONFIG_BYTES_MAX} bytes")
    if not content.strip():
        raise ConfigError(WHOLE_FILE, "must hold a JSON object, and is empty")
    raw = _decoded(content)
    if isinstance(raw, Violation):
        raise raw.error()
    if not isinstance(raw, dict):
        raise ConfigError(WHOLE_FILE, "must be a JSON object")
    for field in _repeated(raw, ""):
        raise ConfigError(field, "must not stand twice in the same object")
    return raw


def parse_settings(paths: InstancePaths, raw: Mapping[str, Any], env: Mapping[str, str]) -> Settings:
    """Settings from the file's JSON. Raises ConfigError for the first rule broken."""
    judged = judge(raw, env)
    if isinstance(judged, list):
        raise judged[0].error()
    file, plan = judged
    sections = {name: getattr(file, name) for name in ConfigFile.model_fields if name != "memory"}
    policy = MemoryPolicySettings() if file.memory is None else file.memory.policy
    return Settings(paths=paths, memory=plan, memory_policy=policy, **sections)


def judge(raw: Mapping[str, Any], env: Mapping[str, str]) -> tuple[ConfigFile, MemoryPlan] | list[Violation]:
    """The parsed file and its memory plan, or every rule that is broken: never an empty list."""
    expanded, unset = expand(_without_ignored(raw, env), env)
    file = validated(ConfigFile, expanded, "")
    plan = plan_memory(_salvaged(expanded) if isinstance(file, list) else file.memory)
    if not (unset or isinstance(file, list) or isinstance(plan, list)):
        return file, plan
    # A string whose variable is not set breaks further rules that say nothing new.
    named = {one.field for one in unset}
    further = [one for judged in (file, plan) if isinstance(judged, list) for one in judged]
    return [*unset, *(one for one in further if one.field not in named)]


def _salvaged(raw: Mapping[str, Any]) -> MemorySection | None:
    """What can be read of a `memory` section in a file that breaks rules, so that its Gateway block is judged too."""
    memory = raw.get("memory")
    if not isinstance(memory, dict):
        return None
    mode = memory.get("mode")
    return MemorySection(mode=mode if mode in get_args(Mode) else None, gateway=memory.get("gateway"))


class _Object(dict[str, Any]):
    """A JSON object that knows which of its keys stood twice."""

    repeated: tuple[str, ...] = ()


def _object(pairs: list[tuple[str, Any]]) -> _Object:
    made = _Object(pairs)
    if len(made) < len(pairs):
        times = Counter(key for key, _ in pairs)
        made.repeated = tuple(key for key in made if times[key] > 1)
    return made


def _decoded(content: bytes) -> Any:
    # Every cause holds the file's text, so none of them may hang on what is raised.
    try:
        return json.loads(content.decode("utf-8-sig"), object_pairs_hook=_object)
    except UnicodeDecodeError:
        return Violation(WHOLE_FILE, "must be UTF-8")
    except json.JSONDecodeError as error:
        return Violation(WHOLE_FILE, f"must be valid JSON (see line {error.lineno}, column {error.colno})")
    except ValueError:
        return Violation(WHOLE_FILE, "must not hold a number of thousands of digits")
    except RecursionError:
        return Violation(WHOLE_FILE, "must not nest so deep")


def _repeated(value: Any, field: str) -> list[str]:
    match value:
        case _Object():
            here = [child_path(field, key) for key in value.repeated]
            return here + [one for key, item in value.items() for one in _repeated(item, child_path(field, key))]
        case list():
            return [one for index, item in enumerate(value) for one in _repeated(item, child_path(field, str(index)))]
        case _:
            return []


def _without_ignored(raw: Mapping[str, Any], env: Mapping[str, str]) -> dict[str, Any]:
    memory = raw.get("memory")
    if isinstance(memory, dict) and expand(memory.get("mode"), env)[0] == "curated":
        return {**raw, "memory": {name: value for name, value in memory.items() if name != "gateway"}}
    return dict(raw)
