"""Configuration documents that the tests of this folder start from."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest

from beaver.config.loader import parse_settings
from beaver.config.paths import InstancePaths
from beaver.config.settings import Settings
from beaver.errors import ConfigError

PATHS = InstancePaths(Path("/nowhere"))

# Every setting, each with a valid value.
WHOLE: dict[str, Any] = {
    "memory": {
        "mode": "hybrid",
        "gateway": {
            "baseUrl": "http://127.0.0.1:8010",
            "userId": "gateway_test_user",
            "userKey": "uk_xxx",
            "appId": "app",
            "projectId": "project",
            "scope": ["current_chat", "resources", "all_user_memory"],
            "topK": 12,
            "timeoutSeconds": 2.5,
            "honoursIdempotencyKey": True,
            "earlierUsers": [{"userId": "old", "userKey": "uk_yyy", "appId": "app", "projectId": "before"}],
        },
        "policy": {
            "recallPolicy": "gated",
            "localStore": True,
            "databaseUrl": "postgresql://beaver:pw-items@db/items",
            "embedding": "local",
            "writePolicy": "shadow",
            "extraction": "model",
            "extractionTimeoutSeconds": 3,
            "denylist": {"paths": ["vault/*"], "tags": ["health"], "projects": ["secret"]},
            "topK": 4,
            "tokensMax": 500,
            "contextShare": 0.05,
            "scoreMin": 0.25,
            "semanticMin": 0.3,
            "keywordMin": 0.15,
            "confidenceMin": 0.4,
            "pinnedMax": 2,
            "localDeadlineMs": 60,
            "remoteDeadlineMs": 200,
            "remoteBelowScore": 0.5,
            "remoteReadsMax": 30,
            "cacheSeconds": 200,
            "emptyCacheSeconds": 30,
            "cacheEntries": 100,
            "topicTurns": 3,
            "idleMinutes": 20,
        },
    },
    "provider": {
        "kind": "openai",
        "model": "small",
        "apiKey": "pk-0",
        "baseUrl": "https://models.example/v1",
        "timeoutSeconds": 30,
        "outputTokensMax": 100,
        "contextTokensMax": 8000,
        "script": "answers.json",
    },
    "agent": {"identity": "You are a test.", "toolRoundsMax": 3, "toolTimeoutSeconds": 5},
    "sessions": {"databaseUrl": "postgresql://beaver:pw-one@db/beaver"},
    "queue": {"redisUrl": "redis://:pw-two@queue:6379/0", "enqueueTimeoutMs": 200},
    "worker": {
        "maxJobs": 10,
        "drainSeconds": 20,
        "sweepSeconds": 2,
        "metricsPort": 9100,
        "metricsHost": "::1",
    },
    "server": {
        "host": "127.0.0.1",
        "port": 8001,
        "sessionHeaders": ["X-Chat-Id"],
        "drainSeconds": 20,
        "busyPolicy": "reject",
        "onDisconnect": "cancel",
        "requireKeys": True,
        "allowedHosts": ["chat.example"],
        "runsMax": 50,
        "corsOrigins": ["https://app.example"],
        "trustedProxies": ["10.0.0.0/8"],
        "rateLimitPerMinute": 60,
        "runsPerKey": 4,
    },
    "gatewayServer": {
        "host": "::1",
        "port": 8011,
        "databaseUrl": "sqlite:///data/gateway.db",
        "adminKey": "ak-admin-key",
        "rateLimitPerMinute": 600,
        "indexMegabytes": 256,
        "model": {
            "provider": "openai-compatible",
            "model": "a-model",
            "baseUrl": "https://models.example/v1",
            "apiKey": "mk-model-key",
            "timeoutSeconds": 20,
        },
        "promptIndex": {"limit": 20, "tokensMax": 2000, "recentDays": 2},
        "embedding": {
            "provider": "openai-compatible",
            "model": "an-encoder",
            "dimensions": 1024,
            "baseUrl": "https://encoders.example/v1",
            "apiKey": "ek-encoder-key",
            "timeoutSeconds": 10,
            "questionTimeoutSeconds": 1,
        },
        "retention": {
            "enabled": False,
            "compressAfterDays": 10,
            "archiveAfterDays": 20,
            "deleteAfterDays": 300,
            "clusterMin": 4,
            "maxRowsPerRun": 100,
            "intervalMinutes": 30,
        },
    },
}


def changed(path: str, value: Any, document: dict[str, Any] = WHOLE) -> dict[str, Any]:
    """The document with another value at a dotted path."""
    copied = copy.deepcopy(document)
    section, last = _place(copied, path)
    section[last] = value
    return copied


def without(path: str, document: dict[str, Any] = WHOLE) -> dict[str, Any]:
    """The document without the key at a dotted path."""
    copied = changed(path, None, document)
    section, last = _place(copied, path)
    del section[last]
    return copied


def at(document: Any, path: str) -> Any:
    """What stands at a dotted path; numbers lead into lists. Raises KeyError or IndexError."""
    for name in path.split("."):
        document = document[int(name) if name.isdigit() else name]
    return document


def _place(document: Any, path: str) -> tuple[Any, str | int]:
    """The section that a dotted path ends in, and its key there; numbers lead into lists."""
    parents, _, last = path.rpartition(".")
    return at(document, parents) if parents else document, int(last) if last.isdigit() else last


def parsed(document: dict[str, Any], env: dict[str, str] | None = None) -> Settings:
    """Settings of a document."""
    return parse_settings(PATHS, document, env or {})


def rule_of(path: str, value: Any) -> str:
    """The rule that the value breaks, having made sure that the error names the field."""
    with pytest.raises(ConfigError) as caught:
        parsed(changed(path, value))
    assert caught.value.field == path
    assert str(caught.value) == f"{path}: {caught.value.rule}"
    return caught.value.rule
