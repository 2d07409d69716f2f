"""Files that survive a crash: written whole, synced to the disk, for the owner's eyes only."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Final

PRIVATE_FILE_MODE: Final = 0o600
PRIVATE_FOLDER_MODE: Final = 0o700
_TEMPORARY: Final = ".tmp"


def private_folder(folder: Path) -> None:
    """Make the folder, and the ones above it, where they are missing; the folder itself becomes mode 0700."""
    folder.mkdir(mode=PRIVATE_FOLDER_MODE, parents=True, exist_ok=True)
    folder.chmod(PRIVATE_FOLDER_MODE)


def replace_file(path: Path, content: bytes) -> None:
    """Put `content` in place of the file, mode 0600: a reader, and a crash, find the old bytes or the new, whole."""
    temporary = _written_beside(path, content)
    try:
        temporary.replace(path)
    except OSError:
        temporary.unlink()
        raise
    sync_folder(path.parent)


def create_file(path: Path, content: bytes) -> None:
    """The same for a file that must not exist yet; raises FileExistsError, and leaves the file alone, where it does."""
    temporary = _written_beside(path, content)
    try:
        path.hardlink_to(temporary)
    finally:
        temporary.unlink()
    sync_folder(path.parent)


def remove_leftovers(path: Path) -> None:
    """Remove what a killed process was writing beside the file. Only for who knows that nobody is writing now."""
    for left in path.parent.glob(f".{path.name}.*{_TEMPORARY}"):
        left.unlink(missing_ok=True)


def sync_folder(folder: Path) -> None:
    """Make the folder's entries (new names, renames) durable."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _written_beside(path: Path, content: bytes) -> Path:
    # mkstemp makes the file with mode 0600, under a name that nobody else holds.
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=_TEMPORARY, dir=path.parent)
    temporary = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
    except OSError:
        temporary.unlink()
        raise
    return temporary
