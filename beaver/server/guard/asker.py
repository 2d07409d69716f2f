"""For whom a limit counts: a key, or, where no key is asked for, the address that a request comes from."""

from __future__ import annotations

from starlette.types import Scope

from beaver.server.guard.addresses import network_of
from beaver.server.guard.auth import Caller


def asker_of(scope: Scope) -> str:
    """`key:ID` or `address:NETWORK`, once the keys were checked."""
    caller = scope.get("state", {}).get("caller")
    if isinstance(caller, Caller) and caller.key_id is not None:
        return f"key:{caller.key_id}"
    return f"address:{network_of(scope)}"
