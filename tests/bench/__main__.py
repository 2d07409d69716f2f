"""The benchmarks' command line: `uv run python -m tests.bench NAME [--turns N] [--json]`."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

from beaver.logs import configure_logs
from beaver.redaction import Redactor
from tests.bench import turn, writes
from tests.bench.figures import Row, table

BENCHMARKS: dict[str, Callable[[int], Coroutine[Any, Any, list[Row]]]] = {
    "turn": turn.measure,
    "writes": writes.measure,
}
ABOUT = {
    "turn": "what a turn costs on top of the provider: curated alone against hybrid (stub Gateway, real queue)",
    "writes": "answer latency with the Gateway up, slow (5 s a write), and down, and with the queue down",
}


def main() -> None:
    """Run one benchmark, or all of them, and print a table (or JSON) each."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description="Benchmarks of Beaver.")
    parser.add_argument("name", nargs="?", choices=[*BENCHMARKS, "all"], default="all", help=f"{ABOUT}")
    parser.add_argument("--turns", type=int, default=300, help="turns of each kind (default 300)")
    parser.add_argument("--json", action="store_true", help="print JSON")
    chosen = parser.parse_args()
    with Path(os.devnull).open("w") as nowhere:
        configure_logs("bench", Redactor(), stream=nowhere)
        _run(chosen)


def _run(chosen: argparse.Namespace) -> None:
    for name in BENCHMARKS if chosen.name == "all" else [chosen.name]:
        rows = asyncio.run(BENCHMARKS[name](chosen.turns))
        if chosen.json:
            print(json.dumps({"benchmark": name, "turns": chosen.turns, "rows": [vars(row) for row in rows]}))
        else:
            print(f"{name}: {ABOUT[name]}; {chosen.turns} turns of each\n{table(rows)}\n")


if __name__ == "__main__":
    main()
