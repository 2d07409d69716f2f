"""Addresses to listen on: whether one stays on this machine, and what to change where one cannot be had."""

from __future__ import annotations

import errno
import ipaddress


def is_loopback(host: str) -> bool:
    """Whether the host's name or address stays on this machine."""
    bare = host.strip("[]").lower()
    return bare.endswith(".localhost") or is_surely_loopback(bare)


def is_surely_loopback(host: str | None) -> bool:
    """Whether a caller's address, or the name by which it calls us, is this machine's own: for what is trusted by that alone.

    Names below `localhost` are not: they should lead here, but it is a resolver that says so.
    """
    if host is None:
        return False
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def listening_step(error: OSError, section: str) -> str:
    """What to do where `host` and `port` of this section of the configuration could not be listened on."""
    if error.errno == errno.EADDRINUSE:
        return f"stop the program that has it, or set another {section}.port in .beaver/config.json"
    if isinstance(error, PermissionError):
        return f"set {section}.port in .beaver/config.json to one above 1023"
    return f"set {section}.host in .beaver/config.json to an address of this machine"
