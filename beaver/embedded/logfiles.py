"""Where a part's standard error goes: `.beaver/logs/<part>.log`, appended to, bounded at the part's start and while it lives."""

from __future__ import annotations

import os
import re
from contextlib import suppress
from pathlib import Path
from typing import Final

from beaver.files import replace_file

LOG_BYTES_MAX: Final = 5_000_000
_LAST_WORDS: Final = re.compile(rb"^(?:beaver|worker): (.+)$", re.MULTILINE)
_LAST_BYTES: Final = 10_000
_WORDS_MAX: Final = 300


def log_path(folder: Path, part: str) -> Path:
    """The part's log file."""
    return folder / f"{part}.log"


def bound_log(path: Path, bytes_max: int = LOG_BYTES_MAX) -> None:
    """Set a log over its bound aside as `<name>.1`, replacing the one before, so that each part keeps at most two."""
    if path.exists() and path.stat().st_size > bytes_max:
        path.replace(path.with_name(f"{path.name}.1"))


def cut_log(path: Path, bytes_max: int = LOG_BYTES_MAX) -> None:
    """The same for a log that is being appended to: its end is copied to `<name>.1`, and it begins anew in its place.

    What is written in that very moment may be lost; where the disk takes no copy, all of it is.
    """
    size = log_size(path)
    if size <= bytes_max:
        return
    with path.open("rb") as file, suppress(OSError):
        file.seek(size - bytes_max)
        replace_file(path.with_name(f"{path.name}.1"), file.read(bytes_max))
    os.truncate(path, 0)


def open_log(path: Path) -> int:
    """A file descriptor to append to; the file's mode is 0600, the folder's 0700. The caller closes it."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    return os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)


def log_size(path: Path) -> int:
    """How many bytes the log holds; 0 when there is none yet."""
    return path.stat().st_size if path.exists() else 0


def log_tells(path: Path, offset: int, event: str) -> bool:
    """Whether a line after the first `offset` bytes is the structured log event of that name."""
    if not path.exists():
        return False
    with path.open("rb") as file:
        file.seek(offset)
        return f'"event": "{event}"'.encode() in file.read(LOG_BYTES_MAX)


def last_words(path: Path, offset: int) -> str:
    """What our own commands say last when they end by an error, after the first `offset` bytes; empty where nothing was said."""
    if not path.exists():
        return ""
    with path.open("rb") as file:
        size = log_size(path)
        # Of a log that began anew since, the offset says nothing.
        file.seek(max(offset if offset <= size else 0, size - _LAST_BYTES))
        said = _LAST_WORDS.findall(file.read(_LAST_BYTES))
    return said[-1].decode(errors="replace")[:_WORDS_MAX] if said else ""
