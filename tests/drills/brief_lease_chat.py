"""`python -m tests.drills.brief_lease_chat FOLDER`: a chat server whose leases run out after two seconds."""

from __future__ import annotations

import os
import sys
from functools import partial
from pathlib import Path

from beaver.agent import loader
from beaver.agent.recording import LeaseTerms
from beaver.config.loader import load_settings
from beaver.config.paths import InstancePaths
from beaver.server.serve import serve

if __name__ == "__main__":
    setattr(loader, "LeaseTerms", partial(LeaseTerms, ttl_s=2))  # noqa: B010 - the loader does not export it
    serve(load_settings(InstancePaths.at(Path(sys.argv[1])), os.environ))
