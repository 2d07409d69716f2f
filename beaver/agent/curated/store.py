"""The two memory files on disk: read without a lock, changed under one, never written over what cannot be read.

Everything here blocks; `MemoryService` keeps it off the event loop.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from filelock import FileLock, Timeout

from beaver.agent.curated.entries import (
    Operation,
    Refusal,
    Target,
    change_entries,
    join_entries,
    round_trips,
    split_entries,
)
from beaver.clock import Clock, system_clock
from beaver.files import PRIVATE_FILE_MODE, create_file, private_folder, remove_leftovers, replace_file
from beaver.logs import get_logger

FILE_BYTES_MAX: Final = 256_000
"""A file above this was not made by this store; it is not read."""


@dataclass(frozen=True)
class Unreadable:
    """A file whose text cannot be had; it is not empty. `cause` is in plain words."""

    cause: str


@dataclass(frozen=True)
class Changed:
    """A change that is on disk: how many entries there are now, and how many characters they take of how many."""

    entries: int
    used: int
    characters_max: int


class MemoryStore:
    """MEMORY.md and USER.md in one folder, shared with other processes and with a person's editor."""

    def __init__(self, folder: Path, *, clock: Clock = system_clock, lock_wait_s: float = 10) -> None:
        """`lock_wait_s` bounds the wait for another process that is changing the same file."""
        self._folder = folder
        self._clock = clock
        self._lock_wait_s = lock_wait_s

    def path(self, target: Target) -> Path:
        """Where a memory's file lies."""
        return self._folder / target.file_name

    def read(self, target: Target) -> str | Unreadable:
        """The file's text, without a byte order mark; empty where there is no file."""
        try:
            return _text(self.path(target))
        except OSError as error:
            return Unreadable(f"it cannot be read ({type(error).__name__})")

    def change(self, target: Target, operations: tuple[Operation, ...]) -> Changed | Refusal:
        """Apply all operations to what is on disk now, or none: lock, read again, decide, replace the file, sync."""
        try:
            private_folder(self._folder)
            with self._locked(target):
                remove_leftovers(self.path(target))
                return self._change(target, operations)
        except Timeout:
            return Refusal(f"another process has been changing {target.file_name} for {self._lock_wait_s:g} s")
        except OSError as error:
            get_logger().warning("memory.write_failed", file=target.file_name, error=type(error).__name__)
            return Refusal(f"{target.file_name} could not be written ({type(error).__name__})")

    def _change(self, target: Target, operations: tuple[Operation, ...]) -> Changed | Refusal:
        text = self.read(target)
        if isinstance(text, Unreadable):
            get_logger().warning("memory.unreadable", file=target.file_name, cause=text.cause)
            return Refusal(f"{target.file_name} is left as it is, since {text.cause}; a person has to mend it")
        if not round_trips(text):
            return self._drifted(target)
        entries = split_entries(text)
        changed = change_entries(entries, operations, target.characters_max)
        if isinstance(changed, Refusal):
            return changed
        joined = join_entries(changed)
        if changed != entries:
            replace_file(self.path(target), joined.encode())
        return Changed(len(changed), len(joined), target.characters_max)

    def _drifted(self, target: Target) -> Refusal:
        backup = self._back_up(self.path(target))
        get_logger().warning("memory.drifted", file=target.file_name, backup=backup.name)
        return Refusal(
            f"{target.file_name} was edited by hand into something that is not a list of entries, so that a change could "
            f"lose text. It is left as it is, with a copy in {backup.name}; a person has to mend it"
        )

    def _back_up(self, path: Path) -> Path:
        content = path.read_bytes()
        for earlier in path.parent.glob(f"{path.name}.bak.*"):
            if earlier.read_bytes() == content:
                return earlier
        moment = datetime.fromtimestamp(self._clock() / 1000, UTC)
        backup = path.with_name(f"{path.name}.bak.{moment:%Y%m%dT%H%M%S.%f}Z")
        create_file(backup, content)
        return backup

    @contextmanager
    def _locked(self, target: Target) -> Iterator[None]:
        # A lock of its own for each call: threads of one process then exclude each other as processes do.
        path = self.path(target)
        with FileLock(path.with_name(f"{path.name}.lock"), timeout=self._lock_wait_s, mode=PRIVATE_FILE_MODE):
            yield


def _text(path: Path) -> str | Unreadable:
    try:
        with path.open("rb") as file:
            content = file.read(FILE_BYTES_MAX + 1)
    except FileNotFoundError:
        return ""
    if len(content) > FILE_BYTES_MAX:
        return Unreadable(f"it is larger than {FILE_BYTES_MAX:,} bytes")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return Unreadable("it is not UTF-8")
