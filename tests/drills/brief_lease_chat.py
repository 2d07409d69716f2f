"""`python -m tests.drills.brief_lease_chat --root FOLDER [--lease-s SECONDS]`: a chat server that soon takes over what was left.

Its leases run out after two seconds, or so many; claims of requests after one; and it looks for crashed runs every second.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from beaver.agent import loader
from beaver.agent.recording import LeaseTerms
from beaver.config.loader import load_settings
from beaver.config.paths import InstancePaths
from beaver.server.runs import idempotency, upkeep
from beaver.server.serve import serve

LEASE_S = 2.0


def main(arguments: Sequence[str] | None = None) -> int:
    """Serve until told to stop."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--root", required=True, type=Path)
    parser.add_argument("--lease-s", type=float, default=LEASE_S)
    given = parser.parse_args(arguments)
    setattr(loader, "LeaseTerms", partial(LeaseTerms, ttl_s=given.lease_s))  # noqa: B010 - the loader does not export it
    setattr(idempotency, "START_MS", 1000)  # noqa: B010 - constants, which are not to be assigned
    setattr(upkeep, "REAP_EVERY_S", 1.0)  # noqa: B010
    serve(load_settings(InstancePaths.at(given.root), os.environ))
    return 0


if __name__ == "__main__":
    sys.exit(main())
