"""What a PostgreSQL URL may say: an address, and in its query what our driver keeps of libpq's parameters."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Final
from urllib.parse import parse_qsl

# A password may hold all but `@`, as the driver's own reading has it.
_URL: Final = re.compile(
    r"postgres(?:ql)?://(?:[^:/]*(?::[^@]*)?@)?(?:\[[^/?]+\]|[^/:?]+)?(?::[0-9]*)?(?:/[^?]*)?(?:\?(?P<query>.*))?"
)
_HOST: Final = re.compile(r"/.*|(?:\[[^/?]+\]|[^/:?]*)(?::[0-9]+)?")
_READING: Final = "must read postgresql://[user:password@]host[:port]/database, with @ in a password as %40"

Rule = Callable[[str], str | None]
"""What is wrong with a parameter's value, without the value; None for nothing."""


def _one_of(*values: str) -> Rule:
    return lambda value: None if value in values else f"must be one of {', '.join(values)}"


def _host(value: str) -> str | None:
    return None if _HOST.fullmatch(value) else "must be host, host:port or a folder"


def _port(value: str) -> str | None:
    return None if value.isascii() and value.isdigit() else "must be a whole number"


def _file(value: str) -> str | None:
    return None if Path(value).is_file() else "must name a file that is there"


def _anything(_value: str) -> None:
    return None


# What libpq knows beyond these would be dropped in silence, or make the driver fail.
_PARAMETERS: Final[dict[str, Rule]] = {
    "application_name": _anything,
    "host": _host,
    "port": _port,
    "ssl_min_protocol_version": _one_of("TLSv1.2", "TLSv1.3"),
    "sslcert": _file,
    "sslkey": _file,
    "sslmode": _one_of("disable", "allow", "prefer", "require", "verify-ca", "verify-full"),
    "sslrootcert": _file,
    "target_session_attrs": _one_of("any", "primary", "standby", "read-write", "read-only", "prefer-standby"),
}


def broken_rule(url: str) -> str | None:
    """The rule that the URL breaks, without any of its values; None when it keeps them all."""
    read = _URL.fullmatch(url)
    if read is None:
        return _READING
    for name, value in parse_qsl(read["query"] or "", keep_blank_values=True):
        if name not in _PARAMETERS:
            return f"may hold in its query only {', '.join(_PARAMETERS)}"
        wrong = _PARAMETERS[name](value)
        if wrong is not None:
            return f"{name} in its query {wrong}"
    return None
