"""The benchmarks' command line: `uv run python -m tests.bench NAME [--turns N] [--json]`."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

from beaver.errors import InvalidInput
from beaver.logs import configure_logs
from beaver.redaction import Redactor
from tests.bench import (
    backlog,
    chats,
    first_token,
    forgetting,
    gateway_ingest,
    growth,
    history,
    idle,
    keeping,
    latency,
    locomo,
    memory_growth,
    memory_peers,
    memory_writes,
    persist,
    recall_policy,
    scaling,
    serve,
    streams,
    turn,
    writes,
)
from tests.bench.figures import Table, written
from tests.bench.locomo_data import read_conversations
from tests.bench.options import Options, add_arguments, chosen_options

# Each is a module with ABOUT and `async def measure(options: Options) -> list[Table]`.
BENCHMARKS: dict[str, ModuleType] = {
    each.__name__.rpartition(".")[2].replace("_", "-"): each
    for each in (
        turn,
        writes,
        chats,
        persist,
        scaling,
        latency,
        backlog,
        growth,
        idle,
        serve,
        first_token,
        streams,
        history,
        gateway_ingest,
        keeping,
        forgetting,
        locomo,
        memory_growth,
        memory_peers,
        memory_writes,
        recall_policy,
    )
}

OF_DATA = {"locomo", "memory-peers"}
"""Those that need a file of LoCoMo's conversations."""


def command_line() -> argparse.ArgumentParser:
    """What can be said to the benchmarks."""
    listed = "\n".join(f"  {name:11} {module.ABOUT}" for name, module in BENCHMARKS.items())
    parser = argparse.ArgumentParser(
        prog="python -m tests.bench", description=listed, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("name", nargs="?", choices=[*BENCHMARKS, "all"], default="all")
    add_arguments(parser)
    parser.add_argument("--json", action="store_true", help="print JSON")
    return parser


def check_files(name: str, options: Options) -> None:
    """Raises InvalidInput for a file that a benchmark could not use, so that nobody finds out after an hour of measuring."""
    if name in OF_DATA and options.data is None:
        raise InvalidInput(
            "--data", f"is required for {name}: a file of LoCoMo's conversations, which is not ours to hold"
        )
    if options.data is not None:
        read_conversations(options.data)
    if options.plot is not None and not options.plot.parent.is_dir():
        raise InvalidInput("--plot", "must be in a folder that there is")


def main(said: Sequence[str] | None = None) -> None:
    """Run one benchmark, or all of them, and print its tables (or one line of JSON each)."""
    parser = command_line()
    arguments = parser.parse_args(said)
    try:
        check_files(arguments.name, chosen_options(arguments))
    except InvalidInput as error:
        parser.error(str(error))
    with Path(os.devnull).open("w") as nowhere:
        configure_logs("bench", Redactor(), stream=nowhere)
        for name in sorted(BENCHMARKS.keys() - OF_DATA) if arguments.name == "all" else [arguments.name]:
            _run(name, chosen_options(arguments), as_json=arguments.json)


def _run(name: str, options: Options, *, as_json: bool) -> None:
    module = BENCHMARKS[name]
    try:
        tables = asyncio.run(_measured(module, options))
    except asyncio.CancelledError:
        sys.exit(128 + signal.SIGTERM)
    if as_json:
        print(json.dumps({"benchmark": name, "tables": [vars(table) for table in tables]}))
    else:
        print(f"{name}: {module.ABOUT}\n\n" + "\n\n".join(written(table) for table in tables) + "\n")


async def _measured(module: ModuleType, options: Options) -> list[Table]:
    """SIGTERM ends it as Ctrl-C does: with all that it started."""
    task = asyncio.current_task()
    assert task is not None
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    measured: list[Table] = await module.measure(options)
    return measured


if __name__ == "__main__":
    main()
