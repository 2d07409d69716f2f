"""Which turns a command means: the filter options, and durations as people write them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated, Final

import typer

from beaver.errors import InvalidInput

if TYPE_CHECKING:
    from beaver.outbox.inspection import TurnFilter
    from beaver.outbox.states import State

_UNIT_MS: Final = {"s": 1000, "m": 60_000, "h": 3_600_000, "d": 86_400_000, "w": 604_800_000}
_DURATION: Final = re.compile(r"([0-9]{1,6})([smhdw])")

States = Annotated[
    list[str] | None, typer.Option("--state", help="Only turns in this state; may be given several times.")
]
Session = Annotated[str | None, typer.Option("--session", metavar="ID", help="Only turns of this session.")]
OlderThan = Annotated[
    str | None, typer.Option("--older-than", metavar="DURATION", help="Only turns at least this old: 30s, 10m, 2h, 7d.")
]
NewerThan = Annotated[
    str | None, typer.Option("--newer-than", metavar="DURATION", help="Only turns younger than this: 30s, 10m, 2h, 7d.")
]
Category = Annotated[
    str | None,
    typer.Option(
        "--error",
        metavar="CATEGORY",
        help="Only turns that failed in this way: at the Gateway connect_failed, timeout, connection_lost, unauthorized, "
        "http_status, invalid_json, invalid_shape or too_large; here worker_lost, interrupted, identity_mismatch (made for "
        "another userId, appId or projectId) or content_missing.",
    ),
]
HttpStatus = Annotated[
    int | None, typer.Option("--http-status", metavar="N", help="Only turns that failed with this HTTP status.")
]


def turn_filter(
    states: list[str] | None,
    session: str | None,
    older_than: str | None,
    newer_than: str | None,
    category: str | None,
    http_status: int | None,
) -> TurnFilter:
    """The options as one filter. Raises InvalidInput for a state or duration that is none."""
    from beaver.outbox.inspection import TurnFilter

    return TurnFilter(
        states=tuple(_state(name) for name in states or ()),
        session_id=session,
        category=category,
        http_status=http_status,
        older_than_ms=None if older_than is None else duration_ms(older_than, "--older-than"),
        newer_than_ms=None if newer_than is None else duration_ms(newer_than, "--newer-than"),
    )


def duration_ms(text: str, option: str) -> int:
    """`90s`, `10m`, `2h`, `7d` or `4w` in milliseconds. Raises InvalidInput for anything else."""
    read = _DURATION.fullmatch(text.strip())
    if read is None:
        raise InvalidInput(option, "must be a whole number and a unit (s, m, h, d or w), such as 10m or 2h")
    return int(read[1]) * _UNIT_MS[read[2]]


def _state(name: str) -> State:
    from beaver.outbox.states import State

    try:
        return State(name)
    except ValueError:
        raise InvalidInput("--state", f"must be one of {', '.join(State)}") from None
