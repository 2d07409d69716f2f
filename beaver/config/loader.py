"""From the file's bytes to Settings, or a ConfigError that names the field and the rule."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from beaver.config.environment import expand
from beaver.config.memory import (
    CuratedOnly,
    DegradedHybrid,
    GatewayOnly,
    GatewaySettings,
    Hybrid,
    MemoryPlan,
    MemorySection,
)
from beaver.config.paths import InstancePaths
from beaver.config.settings import ConfigFile, Settings
from beaver.config.violations import validated
from beaver.errors import ConfigError

_CREDENTIALS: Final = {"baseUrl": "http://absent", "userId": "absent", "userKey": "absent"}


def load_settings(paths: InstancePaths, env: Mapping[str, str]) -> Settings:
    """Read and check the instance's configuration; an absent file means the defaults. Raises ConfigError."""
    return parse_settings(paths, read_config(paths), env)


def read_config(paths: InstancePaths) -> dict[str, Any]:
    """The file as JSON, before any rule; `{}` when there is none."""
    try:
        text = paths.config.read_text(encoding="utf-8")
    except FileNotFoundError:
        return {}
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError("config.json", f"must be readable UTF-8 ({type(error).__name__})") from None
    try:
        raw = json.loads(text)
    except ValueError as error:
        line = getattr(error, "lineno", None)
        raise ConfigError("config.json", f"must be valid JSON (line {line})") from None
    if not isinstance(raw, dict):
        raise ConfigError("config.json", "must be a JSON object")
    return raw


def parse_settings(paths: InstancePaths, raw: Mapping[str, Any], env: Mapping[str, str]) -> Settings:
    """Settings from the file's JSON. Raises ConfigError for the first rule broken."""
    file = validated(ConfigFile, expand(_without_ignored(raw), env), "")
    sections = {name: getattr(file, name) for name in ConfigFile.model_fields if name != "memory"}
    return Settings(paths=paths, memory=plan_memory(file.memory), **sections)


def _without_ignored(raw: Mapping[str, Any]) -> dict[str, Any]:
    memory = raw.get("memory")
    if isinstance(memory, dict) and memory.get("mode") == "curated":
        return {**raw, "memory": {name: value for name, value in memory.items() if name != "gateway"}}
    return dict(raw)


def plan_memory(section: MemorySection | None) -> MemoryPlan:
    """The plan a `memory` section comes to. Only missing credentials of implicit hybrid degrade; bad values always fail."""
    section = section or MemorySection()
    if section.mode == "curated":
        return CuratedOnly()
    block = {} if section.gateway is None else section.gateway
    if not isinstance(block, dict):
        raise ConfigError("memory.gateway", "must be an object")
    missing = tuple(name for name in _CREDENTIALS if block.get(name) is None)
    if missing and section.mode is None:
        _check_the_rest(block, missing)
        return DegradedHybrid(tuple(f"memory.gateway.{name}" for name in missing))
    gateway = validated(GatewaySettings, block, "memory.gateway")
    return (
        GatewayOnly(gateway) if section.mode == "memory_gateway" else Hybrid(gateway, explicit=section.mode is not None)
    )


def _check_the_rest(block: Mapping[str, Any], missing: tuple[str, ...]) -> None:
    validated(GatewaySettings, {**block, **{name: _CREDENTIALS[name] for name in missing}}, "memory.gateway")
