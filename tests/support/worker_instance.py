"""The folder of an instance that has a worker."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.support.ledger import USER_KEY


def write_instance(
    root: Path,
    *,
    database_url: str,
    redis_url: str,
    gateway_url: str | None,
    gateway: Mapping[str, Any] | None = None,
    worker: Mapping[str, Any] | None = None,
    queue: Mapping[str, Any] | None = None,
) -> Path:
    """A configuration for a worker, in a folder of its own; without a Gateway URL the plan is `curated`."""
    config: dict[str, Any] = {
        "sessions": {"databaseUrl": database_url},
        "queue": {"redisUrl": redis_url, **(queue or {})},
        "worker": {"sweepSeconds": 0.3, "drainSeconds": 20, **(worker or {})},
        "memory": {"mode": "curated"},
    }
    if gateway_url is not None:
        block = {"baseUrl": gateway_url, "userId": "ada", "userKey": USER_KEY, "timeoutSeconds": 5, **(gateway or {})}
        config["memory"] = {"mode": "hybrid", "gateway": block}
    home = root / ".beaver"
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    (home / "config.json").write_text(json.dumps(config))
    return root
