"""Who runs the parts of a folder now: a lock that one process holds, and `up.json`, which says where the parts listen."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from types import TracebackType
from typing import Final, Literal

from filelock import FileLock, Timeout

from beaver.config.paths import InstancePaths
from beaver.errors import Conflict
from beaver.files import private_folder, replace_file

Kind = Literal["up", "chat"]
LOCK_NAME: Final = "up.lock"


@dataclass(frozen=True)
class RunState:
    """What `up.json` holds: the process that keeps the parts, and each part's address. No secret."""

    pid: int
    kind: Kind
    parts: Mapping[str, str]


class InstanceLock:
    """The right to start a folder's parts. Held for a process's life; the system frees it if the process dies."""

    def __init__(self, paths: InstancePaths) -> None:
        private_folder(paths.home)
        self._paths = paths
        self._lock = FileLock(paths.home / LOCK_NAME, timeout=0, mode=0o600, thread_local=False)

    def try_take(self) -> bool:
        """Take it if nobody holds it."""
        try:
            self._lock.acquire()
        except Timeout:
            return False
        return True

    def take(self) -> None:
        """Take it, or raise Conflict that says who holds it and what to do."""
        if not self.try_take():
            raise Conflict(_holder(read_run_state(self._paths)))

    def release(self) -> None:
        """Give it back and remove `up.json`."""
        self._paths.run_state.unlink(missing_ok=True)
        self._lock.release()

    def __enter__(self) -> InstanceLock:
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self.release()


def _holder(state: RunState | None) -> str:
    if state is None:
        return "another Beaver is starting in this folder; wait a moment and try again"
    if state.kind == "chat":
        return f"a `beaver chat` (process {state.pid}) runs this folder's parts; leave it first, then start `beaver up`"
    return f"`beaver up` already runs in this folder (process {state.pid}); use it, or stop it with Ctrl-C or SIGTERM"


def write_run_state(paths: InstancePaths, kind: Kind, parts: Mapping[str, str]) -> None:
    """Write `up.json`, mode 0600, whole or not at all."""
    text = json.dumps(asdict(RunState(os.getpid(), kind, dict(parts))), indent=2)
    replace_file(paths.run_state, f"{text}\n".encode())


def read_run_state(paths: InstancePaths) -> RunState | None:
    """What the last starter wrote, if its process still lives; None otherwise."""
    try:
        raw = json.loads(paths.run_state.read_text(encoding="utf-8"))
        state = RunState(int(raw["pid"]), raw["kind"], dict(raw["parts"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return state if _lives(state.pid) else None


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
