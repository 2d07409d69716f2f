"""`python -m tests.drills.scale.hurried_chat --root FOLDER --port PORT`: a chat server whose model is the drill's.

With `--hurried` what its death leaves standing runs out within seconds: its leases, its claims of requests, its queued runs.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Final

from beaver.agent import loader
from beaver.agent.providers.scripted import ScriptedProvider
from beaver.agent.recording import LeaseTerms
from beaver.config.loader import load_settings
from beaver.config.paths import InstancePaths
from beaver.server.runs import idempotency, upkeep
from beaver.server.serve import serve
from beaver.sessions import store
from tests.drills.scale.echo import answer

LEASE_S: Final = 8.0
LEASE_WAIT_S: Final = 20.0
QUEUED_MS: Final = 25_000
REAP_EVERY_S: Final = 1.0
START_MS: Final = 5_000
RETRY_WITHIN_MS: Final = 60_000
"""What is seconds to a client is more on a machine that runs all of this beside other tests."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve until told to stop."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--root", required=True, type=Path)
    parser.add_argument("--port", required=True, type=int)
    parser.add_argument("--hurried", action="store_true")
    given = parser.parse_args(arguments)
    _set(loader, "build_provider", lambda *_: ScriptedProvider([answer]))
    _set(idempotency, "RETRY_WITHIN_MS", RETRY_WITHIN_MS)
    if given.hurried:
        hurry()
    settings = load_settings(InstancePaths.at(given.root), os.environ)
    serve(replace(settings, server=settings.server.model_copy(update={"port": given.port})))
    return 0


def hurry() -> None:
    """Shorten what a dead server leaves standing."""
    _set(loader, "LeaseTerms", partial(LeaseTerms, ttl_s=LEASE_S, wait_s=LEASE_WAIT_S))
    _set(store, "QUEUED_MS_MAX", QUEUED_MS)
    _set(upkeep, "REAP_EVERY_S", REAP_EVERY_S)
    _set(idempotency, "START_MS", START_MS)


def _set(owner: Any, name: str, value: Any) -> None:
    assert hasattr(owner, name), f"{owner} has no {name} any more"
    setattr(owner, name, value)


if __name__ == "__main__":
    sys.exit(main())
