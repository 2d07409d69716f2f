"""What a PostgreSQL URL may say: an address, and in its query what is kept of libpq's parameters.

Most go to the driver. `channel_binding` and `gssencmode` it does not know: they are taken where that changes nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final
from urllib.parse import parse_qsl

# A password may hold all but `@`, as the driver's own reading has it.
_URL: Final = re.compile(
    r"postgres(?:ql)?://(?:[^:/]*(?::[^@]*)?@)?(?:\[[^/?]+\]|[^/:?]+)?(?::[0-9]*)?(?:/[^?]*)?(?:\?(?P<query>.*))?"
)
_HOST: Final = re.compile(r"/.*|(?:\[[^/?]+\]|[^/:?]*)(?::[0-9]+)?")
_READING: Final = "must read postgresql://[user:password@]host[:port]/database, with @ in a password as %40"

CONNECT_TIMEOUT_S_MAX: Final = 60
SYSTEM_AUTHORITIES: Final = "system"
"""In place of a file of authorities: those that this machine trusts."""
UNKNOWN_TO_THE_DRIVER: Final = frozenset({"channel_binding", "gssencmode"})

Rule = Callable[[str], str | None]
"""What is wrong with a parameter's value, without the value; None for nothing."""


def _one_of(*values: str) -> Rule:
    return lambda value: None if value in values else f"must be one of {', '.join(values)}"


def _host(value: str) -> str | None:
    return None if _HOST.fullmatch(value) else "must be host, host:port or a folder"


def _port(value: str) -> str | None:
    return None if value.isascii() and value.isdigit() else "must be a whole number"


def _seconds(value: str) -> str | None:
    in_range = value.isascii() and value.isdigit() and 1 <= int(value[:9]) <= CONNECT_TIMEOUT_S_MAX
    return None if in_range else f"must be a whole number of seconds from 1 to {CONNECT_TIMEOUT_S_MAX}"


def _authorities(value: str) -> str | None:
    return None if value == SYSTEM_AUTHORITIES else _file(value)


def _file(value: str) -> str | None:
    return None if Path(value).is_file() else "must name a file that is there"


def _anything(_value: str) -> None:
    return None


# What libpq knows beyond these would be dropped in silence, or make the driver fail.
_PARAMETERS: Final[dict[str, Rule]] = {
    "application_name": _anything,
    "channel_binding": _one_of("disable", "prefer", "require"),
    "connect_timeout": _seconds,
    # GSSAPI's encryption is never used: where the URL insists on it, that is refused.
    "gssencmode": _one_of("disable", "prefer"),
    "host": _host,
    "port": _port,
    "ssl_max_protocol_version": _one_of("TLSv1.2", "TLSv1.3"),
    "ssl_min_protocol_version": _one_of("TLSv1.2", "TLSv1.3"),
    "sslcert": _file,
    "sslcrl": _file,
    "sslkey": _file,
    "sslmode": _one_of("disable", "allow", "prefer", "require", "verify-ca", "verify-full"),
    "sslnegotiation": _one_of("postgres", "direct"),
    "sslpassword": _anything,
    "sslrootcert": _authorities,
    "target_session_attrs": _one_of("any", "primary", "standby", "read-write", "read-only", "prefer-standby"),
}


def broken_rule(url: str) -> str | None:
    """The rule that the URL breaks, without any of its values; None when it keeps them all."""
    read = _URL.fullmatch(url)
    if read is None:
        return _READING
    told = parse_qsl(read["query"] or "", keep_blank_values=True)
    for name, value in told:
        if name not in _PARAMETERS:
            return f"may hold in its query only {', '.join(_PARAMETERS)}"
        wrong = _PARAMETERS[name](value)
        if wrong is not None:
            return f"{name} in its query {wrong}"
    return _broken_together(dict(told))


def _broken_together(told: Mapping[str, str]) -> str | None:
    """The rule that parameters break with each other."""
    if told.get("sslmode") == "verify-full":
        return None
    if told.get("channel_binding") == "require":
        return (
            "channel_binding=require in its query needs sslmode=verify-full (with sslrootcert=system, or a file of authorities): "
            "the driver cannot bind to the channel, so that nothing but the server's certificate would keep others out of it"
        )
    if told.get("sslrootcert") == SYSTEM_AUTHORITIES:
        return "sslrootcert=system in its query needs sslmode=verify-full: any of their certificates would do otherwise"
    return None
