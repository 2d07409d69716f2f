"""The ways in which a queue server fails while its process stays what it is, and back."""

from __future__ import annotations

from collections.abc import Callable

from tests.support.valkey import ValkeyServer

Fault = Callable[[ValkeyServer], None]


def down(valkey: ValkeyServer) -> None:
    """Nobody listens."""
    valkey.kill()


def frozen(valkey: ValkeyServer) -> None:
    """Connections are accepted, nothing is answered."""
    valkey.freeze()


def full(valkey: ValkeyServer) -> None:
    """Out of memory with the policy `noeviction`: every write is refused."""
    valkey.client().config_set("maxmemory", 1)


def replica(valkey: ValkeyServer) -> None:
    """A read-only replica of a master that is gone."""
    valkey.client().replicaof("127.0.0.1", 9)


FAULTS = (down, frozen, full, replica)


def mend(valkey: ValkeyServer, fault: Fault) -> None:
    """Undo the fault."""
    if fault is down:
        valkey.start()
    elif fault is frozen:
        valkey.thaw()
    elif fault is full:
        valkey.client().config_set("maxmemory", 0)
    else:
        valkey.client().replicaof("NO", "ONE")
