"""Addresses to listen on: whether one stays on this machine, and what to change where one cannot be had."""

from __future__ import annotations

import errno
import ipaddress


def is_loopback(host: str) -> bool:
    """Whether the host's name or address stays on this machine."""
    bare = host.strip("[]").lower()
    if bare == "localhost" or bare.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(bare).is_loopback
    except ValueError:
        return False


def listening_step(error: OSError, section: str) -> str:
    """What to do where `host` and `port` of this section of the configuration could not be listened on."""
    if error.errno == errno.EADDRINUSE:
        return f"stop the program that has it, or set another {section}.port in .beaver/config.json"
    if isinstance(error, PermissionError):
        return f"set {section}.port in .beaver/config.json to one above 1023"
    return f"set {section}.host in .beaver/config.json to an address of this machine"
