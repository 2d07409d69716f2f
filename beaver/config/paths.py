"""Where the files of one instance lie: everything below `.beaver/` in the instance's root folder."""

from __future__ import annotations

import hashlib
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Final

# A unix socket's path may hold 107 bytes on Linux and 103 on macOS.
_SOCKET_PATH_BYTES_MAX: Final = 100


@dataclass(frozen=True)
class InstancePaths:
    """Paths of one instance. `root` is absolute; nothing is created by asking."""

    root: Path

    @classmethod
    def at(cls, root: Path | str) -> InstancePaths:
        """Paths of the instance whose root folder is `root`."""
        return cls(Path(root).resolve())

    @property
    def home(self) -> Path:
        """`.beaver/`, mode 0700."""
        return self.root / ".beaver"

    @property
    def config(self) -> Path:
        """The configuration file."""
        return self.home / "config.json"

    @property
    def curated(self) -> Path:
        """The folder of MEMORY.md and USER.md."""
        return self.home / "memory"

    @property
    def skills(self) -> Path:
        """The folder whose sub-folders hold a SKILL.md each."""
        return self.home / "skills"

    @property
    def queue(self) -> Path:
        """The data folder of the embedded queue server."""
        return self.home / "queue"

    @property
    def logs(self) -> Path:
        """Where `beaver up` keeps what its parts write on standard error."""
        return self.home / "logs"

    @property
    def former_chat_history(self) -> Path:
        """Where an earlier release kept the lines that a person had typed, beyond their sessions. To be removed."""
        return self.home / "chat_history"

    @property
    def run_state(self) -> Path:
        """Written by a running `beaver up`: its pid and where the parts listen; no secret in it."""
        return self.home / "up.json"

    @property
    def queue_socket(self) -> Path:
        """The embedded queue server's unix socket; in the temporary folder when the root's path is too long for one."""
        inside = self.queue / "valkey.sock"
        if len(str(inside).encode()) <= _SOCKET_PATH_BYTES_MAX:
            return inside
        digest = hashlib.sha256(str(self.root).encode()).hexdigest()[:16]
        return Path(tempfile.gettempdir()) / f"beaver-{digest}" / "valkey.sock"
