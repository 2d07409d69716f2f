"""JSON out of a model's answer, pure: the answer itself, what stands in a fence, or the first balanced value.

What a model thinks aloud before it answers is not its answer.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, Final, NoReturn

ANSWER_LENGTH_MAX: Final = 200_000
_FENCED: Final = re.compile(r"```[\w-]*+\s*+(.*?)```", re.S)
_OPENINGS_TRIED_MAX: Final = 50
_THOUGHT: Final = re.compile(r"<(think|thinking|reasoning)>")
_THOUGHT_ENDS: Final = re.compile(r"</(?:think|thinking|reasoning)>")
_OF_OBJECTS: Final = re.compile(r"\[\s*+\{")
_NEXT_OBJECT: Final = re.compile(r"\s*+,?\s*+(?=\{)")
Rows = list[dict[str, Any]]


def find_object(answer: str) -> dict[str, Any] | None:
    """The first JSON object of an answer, looked for raw, fenced, then balanced within the text."""
    said = _said(answer)
    for value in (*_whole(said), *_balanced(said, "{")):
        if isinstance(value, dict):
            return value
    return None


def find_rows(answer: str) -> Rows | None:
    """The objects of the first JSON array of an answer that holds some, or nothing at all; its other members are left out.

    Raw, fenced, as the one array within an object, or balanced within the text. Of an array that was cut off, those objects
    that are whole: a model ends where its bound is.
    """
    said = _said(answer)
    for value in _whole(said):
        if isinstance(value, dict):
            return _rows_within(value)
        if (rows := _rows(value)) is not None:
            return rows
    cut = _OF_OBJECTS.search(said)
    if cut is not None:
        return _whole_objects(said, cut.end() - 1) or None
    return next((rows for value in _balanced(said, "[") if (rows := _rows(value)) is not None), None)


def _said(answer: str) -> str:
    """Without thoughts: also those whose beginning the prompt's template has written, and thoughts alone."""
    answer = answer[:ANSWER_LENGTH_MAX].strip()
    end = _THOUGHT_ENDS.search(answer)
    if _THOUGHT.match(answer):
        return answer[end.end() :] if end else ""
    if end and not answer.startswith(("{", "[", "`")) and not _THOUGHT.search(answer, 0, end.start()):
        return answer[end.end() :]
    return answer


def _rows_within(value: dict[str, Any]) -> Rows | None:
    """Of an object the one array of objects. One with a title is a row without its array: of its own lists none is meant."""
    if "title" in value:
        return None
    arrays = [member for member in value.values() if isinstance(member, list)]
    return _rows(arrays[0]) if len(arrays) == 1 else None


def _rows(value: Any) -> Rows | None:
    if not isinstance(value, list):
        return None
    rows = [member for member in value if isinstance(member, dict)]
    return rows if rows or not value else None


def _whole_objects(answer: str, start: int) -> Rows:
    decoder = json.JSONDecoder(parse_constant=_refuse)
    rows: Rows = []
    with suppress(ValueError, RecursionError):
        while True:
            row, end = decoder.raw_decode(answer, start)
            rows.append(row)
            following = _NEXT_OBJECT.match(answer, end)
            if following is None:
                return rows
            start = following.end()
    return rows


def _whole(answer: str) -> Iterator[Any]:
    for text in (answer, *(fence[1] for fence in _FENCED.finditer(answer))):
        with suppress(ValueError, RecursionError):
            yield json.loads(text.strip(), parse_constant=_refuse)


def _balanced(answer: str, opening: str) -> Iterator[Any]:
    decoder = json.JSONDecoder(parse_constant=_refuse)
    start = answer.find(opening)
    for _ in range(_OPENINGS_TRIED_MAX):
        if start < 0:
            return
        with suppress(ValueError, RecursionError):
            yield decoder.raw_decode(answer, start)[0]
        start = answer.find(opening, start + 1)


def _refuse(_name: str) -> NoReturn:
    raise ValueError("NaN and Infinity are not JSON")
