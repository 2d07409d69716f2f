"""A memory file as entries: how text becomes entries and back, and what a change makes of them. Pure."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from beaver.agent.curated.scanning import find_threat
from beaver.text import replace_surrogates

DELIMITER: Final = "\n§\n"
_DELIMITER_LINE: Final = "§"
PREVIEW_LENGTH: Final = 80


class Target(StrEnum):
    """The two memories."""

    MEMORY = "memory"
    USER = "user"

    @property
    def file_name(self) -> str:
        """Name of its file."""
        return f"{self.name}.md"

    @property
    def characters_max(self) -> int:
        """Most characters of the joined text, delimiters included."""
        return 2200 if self is Target.MEMORY else 1375


@dataclass(frozen=True)
class Add:
    """Append an entry, unless the same one is there."""

    content: str


@dataclass(frozen=True)
class Replace:
    """Put `content` in place of the one entry that holds `old_text`."""

    old_text: str
    content: str


@dataclass(frozen=True)
class Remove:
    """Drop the one entry that holds `old_text`."""

    old_text: str


Operation = Add | Replace | Remove


@dataclass(frozen=True)
class Refusal:
    """Why a change was not made, in words for the model, and the entries it needs to see to do better."""

    reason: str
    entries: tuple[str, ...] | None = None
    as_previews: bool = False


def split_entries(text: str) -> list[str]:
    """The entries of a file's text: stripped, none empty, of equal ones the first."""
    return list(dict.fromkeys(_pieces(text)))


def join_entries(entries: list[str]) -> str:
    """The text of a file that holds the entries."""
    return DELIMITER.join(entries)


def round_trips(text: str) -> bool:
    """Whether splitting and joining loses nothing of the text but the blank space around it."""
    pieces = _pieces(text)
    return join_entries(pieces) == text.strip() and not any(_holds_delimiter(piece) for piece in pieces)


def change_entries(entries: list[str], operations: tuple[Operation, ...], characters_max: int) -> list[str] | Refusal:
    """The entries after all operations in turn, or why not one of them is done.

    Only the final state must keep the limit; one that is over it but shorter than before is a step in the right
    direction and is taken.
    """
    changed = entries
    for number, operation in enumerate(operations, start=1):
        outcome = _changed(changed, operation)
        if isinstance(outcome, Refusal):
            return outcome if len(operations) == 1 else _numbered(outcome, number)
        changed = outcome
    used, before = len(join_entries(changed)), len(join_entries(entries))
    if used > characters_max and used >= before:
        return Refusal(_over_the_limit(used, before, characters_max), tuple(entries))
    return changed


def preview(entry: str) -> str:
    """An entry's beginning, on one line."""
    flat = " ".join(entry.split())
    return flat if len(flat) <= PREVIEW_LENGTH else flat[: PREVIEW_LENGTH - 1] + "…"


def _pieces(text: str) -> list[str]:
    return [piece.strip() for piece in text.split(DELIMITER) if piece.strip()]


def _changed(entries: list[str], operation: Operation) -> list[str] | Refusal:
    match operation:
        case Add(content):
            return _put(entries, len(entries), content)
        case Replace(old_text, content):
            if not content.strip():
                return Refusal("the new content is empty; to drop an entry, use the action remove")
            at = _find(entries, old_text)
            return at if isinstance(at, Refusal) else _put(entries, at, content)
        case Remove(old_text):
            at = _find(entries, old_text)
            return at if isinstance(at, Refusal) else [*entries[:at], *entries[at + 1 :]]


def _put(entries: list[str], at: int, content: str) -> list[str] | Refusal:
    entry = _plain(content)
    if not entry:
        return Refusal("the content is empty; give a text of at least one visible character")
    if _holds_delimiter(entry):
        return Refusal(f"the content holds a line of only {_DELIMITER_LINE}, which is what parts entries; leave it out")
    threat = find_threat(entry)
    if threat is not None:
        return Refusal(f"blocked: the content matches the pattern {threat}, which memory does not take")
    return list(dict.fromkeys([*entries[:at], entry, *entries[at + 1 :]]))


def _find(entries: list[str], old_text: str) -> int | Refusal:
    wanted = _plain(old_text)
    if not wanted:
        return Refusal("old_text is missing; give a piece of the entry that is meant", tuple(entries))
    # A whole entry that is also a piece of a longer one could be named in no other way.
    if wanted in entries:
        return entries.index(wanted)
    matches = [index for index, entry in enumerate(entries) if wanted in entry]
    if not matches:
        return Refusal("old_text matches no entry", tuple(entries))
    if len(matches) > 1:
        reason = f"old_text matches {len(matches)} entries; give a longer piece of the one that is meant"
        return Refusal(reason, tuple(entries[index] for index in matches), as_previews=True)
    return matches[0]


def _plain(text: str) -> str:
    return replace_surrogates(text).replace("\r\n", "\n").strip()


def _holds_delimiter(entry: str) -> bool:
    return any(line.strip() == _DELIMITER_LINE for line in entry.split("\n"))


def _over_the_limit(used: int, before: int, characters_max: int) -> str:
    return (
        f"this would come to {used:,} of {characters_max:,} characters ({before:,} are used now). Consolidate first: "
        "merge, shorten or remove entries; operations[] does that and the addition in one call"
    )


def _numbered(refusal: Refusal, number: int) -> Refusal:
    return replace(refusal, reason=f"nothing was changed, since operation {number} cannot be done: {refusal.reason}")
