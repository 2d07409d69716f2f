"""Curated memory as one run's system prompt shows it: two blocks of text, the same bytes for the same files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from beaver.agent.curated.entries import Target, join_entries, split_entries
from beaver.agent.curated.scanning import screened
from beaver.agent.curated.store import Unreadable

_HEADINGS: Final = {
    Target.MEMORY: "# Your notes (MEMORY.md)\nWhat you wrote down in earlier runs; a line of § parts the entries.",
    Target.USER: "# The user (USER.md)\nWhat you wrote down about the person you talk to; a line of § parts the entries.",
}
_GAP: Final = "\n[the middle of this file is not shown: it is over its limit]\n"


@dataclass(frozen=True)
class MemorySnapshot:
    """The rendered blocks, frozen for a run; None where a file is empty. They hold no clock, id or count."""

    memory: str | None = None
    user: str | None = None


def build_snapshot(memory: str | Unreadable, user: str | Unreadable) -> MemorySnapshot:
    """The snapshot of the two files' texts."""
    return MemorySnapshot(_block(Target.MEMORY, memory), _block(Target.USER, user))


def shortened(text: str, characters_max: int) -> str:
    """The text, or its head and tail around a line that says so, within the bound."""
    if len(text) <= characters_max:
        return text
    head = (characters_max - len(_GAP)) // 2
    tail = characters_max - len(_GAP) - head
    return text[:head] + _GAP + text[-tail:]


def rendered_characters_max(target: Target) -> int:
    """Most characters of a block, heading included, however large the file has grown by hand."""
    return max(2 * target.characters_max, 4000)


def _block(target: Target, text: str | Unreadable) -> str | None:
    if isinstance(text, Unreadable):
        return f"{_HEADINGS[target]}\n\n[not shown: {text.cause}]"
    entries = [screened(entry) for entry in split_entries(text)]
    if not entries:
        return None
    heading = f"{_HEADINGS[target]}\n\n"
    return heading + shortened(join_entries(entries), rendered_characters_max(target) - len(heading))
