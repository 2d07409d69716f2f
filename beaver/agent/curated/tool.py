"""The `memory` tool: how a model reads and changes its two files, and when it is told to stop."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from beaver.agent.curated.entries import DELIMITER, Add, Operation, Refusal, Remove, Replace, Target, preview
from beaver.agent.curated.scanning import screened
from beaver.agent.curated.service import MemoryService
from beaver.agent.curated.snapshot import rendered_characters_max, shortened
from beaver.agent.curated.store import Changed, Unreadable
from beaver.agent.messages import ToolSpec
from beaver.agent.tools.base import ToolContext, ToolFailure

FAILURES_IN_A_ROW: Final = 3
"""From this failure in a row on, a result says to stop."""
CHANGES_IN_A_RUN: Final = 8
"""From this change of a run on, a result says to stop: adding and removing in turn is a loop too."""
OPERATIONS_MAX: Final = 50
_PREVIEWS_MAX: Final = 20

_TARGETS: Final = [target.value for target in Target]
_CHANGES: Final = ["add", "replace", "remove"]
_ACTIONS: Final = [*_CHANGES, "read"]
_TEXTS: Final = {
    "content": {
        "type": "string",
        "description": "The new entry, for add and replace: one fact, short, self-contained.",
    },
    "old_text": {"type": "string", "description": "For replace and remove: a piece of the entry that only it holds."},
}

SPEC: Final = ToolSpec(
    name="memory",
    description=(
        "Your lasting memory across sessions: `memory` holds your own notes (2,200 characters), `user` what you know of the "
        "person (1,375). Keep what will matter later: preferences, corrections, facts of the surroundings. Not: what "
        "is only of this task, what is easily found again, secrets. Give `action`, or `operations` to do several "
        "changes at once or none of them; their limit is checked at the end only. Changes show in the prompt from the "
        "next run on."
    ),
    parameters={
        "type": "object",
        "properties": {
            "target": {"type": "string", "enum": _TARGETS},
            "action": {"type": "string", "enum": _ACTIONS},
            **_TEXTS,
            "operations": {
                "type": "array",
                "minItems": 1,
                "maxItems": OPERATIONS_MAX,
                "items": {
                    "type": "object",
                    "properties": {"action": {"type": "string", "enum": _CHANGES}, **_TEXTS},
                    "required": ["action"],
                    "additionalProperties": False,
                },
            },
        },
        "required": ["target"],
        "additionalProperties": False,
    },
)


@dataclass
class _Tally:
    """What this run has done with the tool so far."""

    failures_in_a_row: int = 0
    changes: int = 0


class MemoryTool:
    """Implements the Tool contract over a MemoryService."""

    spec = SPEC

    def __init__(self, service: MemoryService) -> None:
        self._service = service

    async def call(self, arguments: Mapping[str, Any], context: ToolContext) -> str:
        """Read or change one memory. Raises ToolFailure for whatever the model can mend."""
        tally: _Tally = context.state.setdefault("memory", _Tally())
        outcome = await self._outcome(arguments)
        if isinstance(outcome, Refusal):
            tally.failures_in_a_row += 1
            raise ToolFailure(_refused(outcome, arguments, tally))
        if isinstance(outcome, str):
            return outcome
        tally.failures_in_a_row = 0
        tally.changes += 1
        return _done(outcome, arguments, tally)

    async def _outcome(self, arguments: Mapping[str, Any]) -> str | Changed | Refusal:
        target = arguments.get("target")
        if target not in _TARGETS:
            return Refusal(f"target must be one of {', '.join(_TARGETS)}")
        if "operations" not in arguments and arguments.get("action") == "read":
            return await self._read(Target(target))
        operations = _operations(arguments)
        return operations if isinstance(operations, Refusal) else await self._service.change(Target(target), operations)

    async def _read(self, target: Target) -> str | Refusal:
        entries = await self._service.read(target)
        if isinstance(entries, Unreadable):
            return Refusal(f"{target.file_name} cannot be shown: {entries.cause}")
        return _listed(entries, target) if entries else f"{target.file_name} is empty."


def _operations(arguments: Mapping[str, Any]) -> tuple[Operation, ...] | Refusal:
    if "operations" not in arguments:
        operation = _operation(arguments, _ACTIONS)
        return operation if isinstance(operation, Refusal) else (operation,)
    given = arguments["operations"]
    if "action" in arguments:
        return Refusal("give either action or operations, not both")
    if not isinstance(given, list) or not 1 <= len(given) <= OPERATIONS_MAX:
        return Refusal(f"operations must be a list of 1 to {OPERATIONS_MAX} operations")
    made = [_operation(one if isinstance(one, Mapping) else {}, _CHANGES) for one in given]
    refusals = [one for one in made if isinstance(one, Refusal)]
    return refusals[0] if refusals else tuple(one for one in made if not isinstance(one, Refusal))


def _operation(given: Mapping[str, Any], allowed: list[str]) -> Operation | Refusal:
    content, old_text = given.get("content") or "", given.get("old_text") or ""
    if not isinstance(content, str) or not isinstance(old_text, str):
        return Refusal("content and old_text must be strings")
    match given.get("action"):
        case "add":
            return Add(content)
        case "replace":
            return Replace(old_text, content)
        case "remove":
            return Remove(old_text)
        case _:
            return Refusal(f"action must be one of {', '.join(allowed)}")


def _refused(refusal: Refusal, arguments: Mapping[str, Any], tally: _Tally) -> str:
    parts = [f"Not done: {refusal.reason}."]
    if refusal.entries is not None:
        parts.append(_shown(refusal.entries, refusal.as_previews, Target(arguments["target"])))
    if tally.failures_in_a_row >= FAILURES_IN_A_ROW:
        parts.append(
            f"This was failure {tally.failures_in_a_row} in a row. Stop using this tool in this turn and answer the user."
        )
    return "\n".join(parts)


def _shown(entries: tuple[str, ...], as_previews: bool, target: Target) -> str:
    if as_previews:
        return "\n".join(f"- {preview(screened(entry))}" for entry in entries[:_PREVIEWS_MAX])
    return f"The entries now:\n{_listed(entries, target)}" if entries else f"{target.file_name} is empty."


def _done(changed: Changed, arguments: Mapping[str, Any], tally: _Tally) -> str:
    count = "1 entry" if changed.entries == 1 else f"{changed.entries} entries"
    text = f"Done. {arguments['target']}: {count}, {changed.used:,} of {changed.characters_max:,} characters."
    if tally.changes >= CHANGES_IN_A_RUN:
        text += f" This was change {tally.changes} of this turn. Stop using this tool in this turn and answer the user."
    return text


def _listed(entries: Sequence[str], target: Target) -> str:
    return shortened(DELIMITER.join(screened(entry) for entry in entries), rendered_characters_max(target))
