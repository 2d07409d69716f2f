"""What is wrong with a configuration, and what is risky in it: every finding, where the loader stops at the first."""

from __future__ import annotations

import stat
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, assert_never
from urllib.parse import urlsplit

from beaver.config.chat_needs import lacks_of_provider, lacks_of_server
from beaver.config.environment import without_references
from beaver.config.hosts import is_loopback
from beaver.config.loader import judge, read_config
from beaver.config.memory import (
    GATEWAY_BLOCK,
    CuratedOnly,
    DegradedHybrid,
    GatewayOnly,
    Hybrid,
    MemoryPlan,
    degradation_warning,
    gateway_of,
)
from beaver.config.paths import InstancePaths
from beaver.config.reference import secret_paths
from beaver.config.settings import ConfigFile
from beaver.config.violations import WHOLE_FILE
from beaver.errors import ConfigError

_READABLE_BY_OTHERS: Final = stat.S_IRWXG | stat.S_IRWXO


@dataclass(frozen=True)
class Finding:
    """One thing about one field, in words that hold no value of the file."""

    severity: Literal["error", "warning", "ok"]
    field: str
    message: str


def check_instance(paths: InstancePaths, env: Mapping[str, str]) -> list[Finding]:
    """All findings of the instance's file, read from the disk; an unreadable file is one error."""
    try:
        raw = read_config(paths)
    except ConfigError as error:
        return [Finding("error", error.field, error.rule)]
    return check_settings(paths, raw, env)


def check_settings(paths: InstancePaths, raw: Mapping[str, Any], env: Mapping[str, str]) -> list[Finding]:
    """All findings of a file's JSON: errors first, then warnings, then one `ok` for each section without a finding.

    Of the disk only the mode of the file is looked at, and the files that it names. Nothing is connected to.
    """
    found = [*_judged(paths, raw, env), *_of_file(paths, raw)]
    touched = {finding.field.partition(".")[0] for finding in found}
    fine = [
        Finding("ok", str(field.alias), "keeps every rule")
        for field in ConfigFile.model_fields.values()
        if field.alias not in touched and field.alias != "memory"
    ]
    return sorted([*found, *fine], key=lambda finding: ("error", "warning", "ok").index(finding.severity))


def _judged(paths: InstancePaths, raw: Mapping[str, Any], env: Mapping[str, str]) -> list[Finding]:
    judged = judge(raw, env)
    if isinstance(judged, list):
        return [Finding("error", one.field, one.rule) for one in judged]
    file, plan = judged
    lacks = (*lacks_of_provider(file.provider, paths), *lacks_of_server(file.server))
    needed = [Finding("error", one.field, one.rule) for one in lacks]
    return [*needed, _of_plan(plan), *_of_urls(file, plan), *_of_hosts(file)]


def _of_plan(plan: MemoryPlan) -> Finding:
    match plan:
        case DegradedHybrid():
            return Finding("warning", GATEWAY_BLOCK, degradation_warning(plan))
        case Hybrid(explicit=True):
            return Finding("ok", "memory", "hybrid, as the file says: curated memory and the Memory Gateway")
        case Hybrid():
            return Finding("ok", "memory", "hybrid, as the file names no mode: curated memory and the Memory Gateway")
        case GatewayOnly():
            return Finding("ok", "memory", "memory_gateway: the Memory Gateway in place of curated memory")
        case CuratedOnly():
            return Finding("ok", "memory", "curated: no Memory Gateway")
        case _:
            assert_never(plan)


def _of_urls(file: ConfigFile, plan: MemoryPlan) -> Iterator[Finding]:
    gateway = gateway_of(plan)
    urls = {
        f"{GATEWAY_BLOCK}.baseUrl": gateway and gateway.base_url,
        "provider.baseUrl": file.provider.base_url,
        "gatewayServer.model.baseUrl": file.gateway_server.model.base_url,
        "gatewayServer.embedding.baseUrl": file.gateway_server.embedding.base_url,
    }
    for field, url in urls.items():
        parts = urlsplit(url or "")
        if parts.scheme == "http" and not is_loopback(parts.hostname or ""):
            yield Finding("warning", field, "is plain http to another machine: the key and the text travel unencrypted")


def _of_hosts(file: ConfigFile) -> Iterator[Finding]:
    for field, host in {"server.host": file.server.host, "gatewayServer.host": file.gateway_server.host}.items():
        if not is_loopback(host):
            yield Finding("warning", field, "listens beyond this machine: put TLS in front and require keys")


def _of_file(paths: InstancePaths, raw: Mapping[str, Any]) -> Iterator[Finding]:
    held = [path for path in secret_paths() if _holds_literal(raw, path)]
    if not held:
        return
    try:
        mode = stat.S_IMODE(paths.config.stat().st_mode)
    except OSError:
        return
    if mode & _READABLE_BY_OTHERS:
        yield Finding(
            "warning", WHOLE_FILE, f"holds a secret ({', '.join(held)}) and its mode is {mode:04o}: chmod 600 it"
        )


def _holds_literal(raw: Mapping[str, Any], path: str) -> bool:
    """Whether the file itself, not the environment, gives the secret; of a URL only its password is one."""
    return any(_is_literal(value, path) for value in _values(raw, path.split(".")))


def _values(raw: Any, path: Sequence[str]) -> Iterator[Any]:
    """What stands at a path; of a list, at the same path of each of its members."""
    if not path:
        yield raw
    elif isinstance(raw, Mapping):
        yield from _values(raw.get(path[0]), path[1:])
    elif isinstance(raw, Sequence) and not isinstance(raw, str):
        for each in raw:
            yield from _values(each, path[1:])


def _is_literal(value: Any, path: str) -> bool:
    if not isinstance(value, str):
        return False
    secret = value.partition("://")[2].rpartition("@")[0].partition(":")[2] if path.endswith("Url") else value
    return bool(without_references(secret).strip())
