"""The address that a request comes from, as far as one machine has it to itself."""

from __future__ import annotations

import ipaddress
from typing import Final

from starlette.types import Scope

# Who has one IPv6 address has the rest of its /64 too.
_OWN_BITS: Final = {4: 32, 6: 64}


def network_of(scope: Scope) -> str:
    """The network of the client. No header is read: `server.trustedProxies` decides that."""
    client = scope.get("client")
    try:
        address = ipaddress.ip_address(client[0] if client else "")
    # A Unix socket, or a word that a trusted proxy wrote: all of them share one count.
    except ValueError:
        return "unknown"
    mapped = getattr(address, "ipv4_mapped", None)
    known = mapped or address
    return str(ipaddress.ip_network((known.packed, _OWN_BITS[known.version]), strict=False))
