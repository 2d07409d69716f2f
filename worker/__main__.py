"""`python -m worker [--root FOLDER] [--health] [--json]`: the persist worker of one instance, or a look whether one lives.

Exit codes: 0 after SIGTERM or SIGINT and the drain, 78 for a configuration that breaks a rule, 1 for a bug. A queue or
database that is down is waited for, not exited on.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from beaver.config.settings import Settings
from beaver.errors import ConfigError
from beaver.text import json_line, printable
from worker.health import worker_health
from worker.refusal import refuse
from worker.startup import worker_logs, worker_settings
from worker.supervisor import run_worker


def main(arguments: Sequence[str] | None = None) -> int:
    """Run until told to stop; returns the exit code."""
    parser = argparse.ArgumentParser(prog="worker", description="Delivers completed turns to the Memory Gateway.")
    parser.add_argument(
        "--root",
        type=Path,
        default=Path(os.environ.get("BEAVER_ROOT") or "."),
        help="the instance's folder, which holds .beaver/ (default: BEAVER_ROOT, else the working folder)",
    )
    parser.add_argument(
        "--health", action="store_true", help="run nothing: exit 0 when a worker of this host lives, else 1"
    )
    parser.add_argument(
        "--json", action="store_true", dest="as_json", help="print JSON, errors too; a worker's log is JSON by itself"
    )
    asked = parser.parse_args(arguments)
    try:
        settings = worker_settings(asked.root)
        worker_logs(settings)
        if asked.health:
            return health(settings, as_json=asked.as_json)
        asyncio.run(run_worker(settings))
    except ConfigError as error:
        return refuse(error, as_json=asked.as_json)
    return 0


def health(settings: Settings, *, as_json: bool) -> int:
    """Say whether a worker of this host lives; returns the exit code."""
    found = asyncio.run(worker_health(settings))
    told = {"well": found.well, "message": found.words}
    print(json_line(told) if as_json else printable(found.words))  # noqa: T201
    return 0 if found.well else 1


if __name__ == "__main__":
    sys.exit(main())
