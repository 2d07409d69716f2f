"""What a benchmark may be told on the command line."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

DatabaseKind = Literal["sqlite", "postgresql"]
DATABASES: tuple[DatabaseKind, ...] = ("sqlite", "postgresql")


@dataclass(frozen=True)
class Options:
    """None for `turns` means the benchmark's own number."""

    turns: int | None = None
    databases: tuple[DatabaseKind, ...] = DATABASES
    workers: tuple[int, ...] = (1, 2, 4)
    rows: int = 1_000_000
    rate: float = 5.0
    plot: Path | None = None
    data: Path | None = None
    ablate: bool = False
    sizes: tuple[int, ...] = (1000, 10_000, 100_000)
    users: int = 1
    vectors: str = "none"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options that Options holds."""
    parser.add_argument("--turns", type=int, help="turns of each kind (default: the benchmark's own number)")
    parser.add_argument("--database", choices=[*DATABASES, "both"], default="both")
    parser.add_argument("--workers", type=_numbers, default=(1, 2, 4), help="fleet sizes, such as 1,2,4")
    parser.add_argument("--rows", type=int, default=1_000_000, help="growth: finished turns in the ledger at the end")
    parser.add_argument("--rate", type=float, default=5.0, help="latency: turns a second")
    parser.add_argument("--plot", type=Path, help="growth, backlog, history, locomo, memory-growth: write an SVG here")
    parser.add_argument("--data", type=Path, help="locomo and those that say so: a file of LoCoMo's conversations")
    parser.add_argument("--ablate", action="store_true", help="locomo: also without each ingredient")
    of_what = "memory-growth: messages; forgetting: archived observations"
    parser.add_argument("--sizes", type=_numbers, default=(1000, 10_000, 100_000), help=of_what)
    parser.add_argument("--users", type=int, default=1, help="memory-growth: among how many the messages are divided")
    parser.add_argument("--vectors", choices=["none", "hashed", "local"], default="none", help="memory-growth: whose")


def chosen_options(arguments: argparse.Namespace) -> Options:
    """Options from what was parsed."""
    databases = DATABASES if arguments.database == "both" else (arguments.database,)
    return Options(
        arguments.turns,
        databases,
        arguments.workers,
        arguments.rows,
        arguments.rate,
        arguments.plot,
        arguments.data,
        arguments.ablate,
        arguments.sizes,
        arguments.users,
        arguments.vectors,
    )


def _numbers(text: str) -> Sequence[int]:
    return tuple(int(each) for each in text.split(","))
