"""What columns of JSON hold, pure: the rules that the code which reads them relies on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, fields
from typing import Any, Final

from beaver.memory.observations.records import Evidence, Observation
from beaver.memory.stored_text import storable

_LISTS: Final = frozenset({"facts", "tags", "related_files", "related_people", "decisions", "open_items", "aliases"})
_DESCRIPTIONS: Final = frozenset({"before", "after", "observation"})
_OBJECTS: Final = _DESCRIPTIONS | {"actor"}
_EVIDENCE: Final = frozenset(one.name for one in fields(Evidence))
_WHOLE: Final = frozenset(one.name for one in fields(Observation))
_NEEDED: Final = frozenset(one.name for one in fields(Observation) if one.default is MISSING)


def broken_rule(name: str, value: Any) -> str | None:
    """The rule that a column's value breaks, if any."""
    if not _is_storable(value):
        return "must not hold NUL or half a surrogate pair"
    if name in _LISTS and not _are_strings(value):
        return "must be a list of strings"
    if name == "evidence" and not _is_evidence(value):
        return f"must be a list of objects of {', '.join(sorted(_EVIDENCE))}"
    if name in _OBJECTS and not isinstance(value, dict):
        return "must be an object"
    if name in _DESCRIPTIONS and not _describes(value):
        return "must describe an observation"
    if name == "observation" and not _NEEDED <= value.keys() <= _WHOLE:
        return "must be a whole observation"
    return None


def _is_storable(value: Any) -> bool:
    if isinstance(value, str):
        return storable(value) == value
    if isinstance(value, Mapping):
        return all(_is_storable(part) for pair in value.items() for part in pair)
    return all(map(_is_storable, value)) if isinstance(value, list) else True


def _are_strings(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(member, str) for member in value)


def _is_evidence(value: Any) -> bool:
    return isinstance(value, list) and all(
        isinstance(one, dict) and one.keys() == _EVIDENCE and _are_strings(list(one.values())) for one in value
    )


def _describes(value: Mapping[str, Any]) -> bool:
    return all(_are_strings(value[name]) for name in _LISTS & value.keys()) and (
        "evidence" not in value or _is_evidence(value["evidence"])
    )
