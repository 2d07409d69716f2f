"""`python -m tests.drills.brief_lease_chat FOLDER [SECONDS]`: a chat server that takes over soon what others left.

Its leases run out after two seconds, or so many; claims of requests after one; and it looks for crashed runs every second.
"""

from __future__ import annotations

import os
import sys
from functools import partial
from pathlib import Path

from beaver.agent import loader
from beaver.agent.recording import LeaseTerms
from beaver.config.loader import load_settings
from beaver.config.paths import InstancePaths
from beaver.server.runs import idempotency, upkeep
from beaver.server.serve import serve

LEASE_S = 2.0

if __name__ == "__main__":
    folder, *seconds = sys.argv[1:]
    ttl_s = float(seconds[0]) if seconds else LEASE_S
    setattr(loader, "LeaseTerms", partial(LeaseTerms, ttl_s=ttl_s))  # noqa: B010 - the loader does not export it
    setattr(idempotency, "START_MS", 1000)  # noqa: B010 - constants, which are not to be assigned
    setattr(upkeep, "REAP_EVERY_S", 1.0)  # noqa: B010
    serve(load_settings(InstancePaths.at(Path(folder)), os.environ))
