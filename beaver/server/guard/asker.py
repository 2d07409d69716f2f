"""For whom a limit counts: a key, or, where no key is asked for, the address that a request comes from."""

from __future__ import annotations

import ipaddress
from typing import Final

from starlette.types import Scope

from beaver.server.guard.auth import Caller

# Who has one IPv6 address has the rest of its /64 too.
_OWN_BITS: Final = {4: 32, 6: 64}


def asker_of(scope: Scope) -> str:
    """`key:ID` or `address:NETWORK`, once the keys were checked. No header is read: `server.trustedProxies` decides that."""
    caller = scope.get("state", {}).get("caller")
    if isinstance(caller, Caller) and caller.key_id is not None:
        return f"key:{caller.key_id}"
    client = scope.get("client")
    return f"address:{_network(client[0] if client else '')}"


def _network(host: str) -> str:
    try:
        address = ipaddress.ip_address(host)
    # A Unix socket, or a word that a trusted proxy wrote: all of them share one count.
    except ValueError:
        return "unknown"
    mapped = getattr(address, "ipv4_mapped", None)
    known = mapped or address
    return str(ipaddress.ip_network((known.packed, _OWN_BITS[known.version]), strict=False))
