"""JSON out of a model's answer, pure: the answer itself, what stands in a fence, or the first balanced value."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, Final, NoReturn, TypeVar

ANSWER_LENGTH_MAX: Final = 200_000
_FENCED: Final = re.compile(r"```[\w-]*+\s*+(.*?)```", re.S)
_OPENINGS: Final[dict[type, str]] = {list: "[", dict: "{"}
_OPENINGS_TRIED_MAX: Final = 50
T = TypeVar("T", list[Any], dict[str, Any])


def find_json(answer: str, kind: type[T]) -> T | None:
    """The first JSON array (`list`) or object (`dict`) of an answer, looked for raw, fenced, then balanced within the text."""
    for value in _values(answer[:ANSWER_LENGTH_MAX], _OPENINGS[kind]):
        if isinstance(value, kind):
            return value
    return None


def _values(answer: str, opening: str) -> Iterator[Any]:
    for text in (answer, *(fence[1] for fence in _FENCED.finditer(answer))):
        yield from _read(text.strip())
    decoder = json.JSONDecoder(parse_constant=_refuse)
    start = answer.find(opening)
    for _ in range(_OPENINGS_TRIED_MAX):
        if start < 0:
            return
        with suppress(ValueError, RecursionError):
            yield decoder.raw_decode(answer, start)[0]
        start = answer.find(opening, start + 1)


def _read(text: str) -> Iterator[Any]:
    try:
        yield json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError):
        return


def _refuse(_name: str) -> NoReturn:
    raise ValueError("NaN and Infinity are not JSON")
