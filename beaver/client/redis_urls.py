"""Where the queue lies: one URL in, one bounded pool of connections out, for a single server or for Sentinel's master."""

from __future__ import annotations

import re
import ssl
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import SplitResult, parse_qsl, unquote, urlsplit

from redis.asyncio import BlockingConnectionPool, Connection, SSLConnection, UnixDomainSocketConnection
from redis.asyncio.retry import Retry
from redis.asyncio.sentinel import Sentinel, SentinelConnectionPool

from beaver.errors import ConfigError

REDIS_PORT: Final = 6379
SENTINEL_PORT: Final = 26379

_FIELD: Final = "queue.redisUrl"
_LOGIN: Final = frozenset({"db", "username", "password"})
_QUERY: Final[Mapping[str, frozenset[str]]] = {
    "redis": _LOGIN,
    "unix": _LOGIN,
    "rediss": _LOGIN | {"ssl_ca_certs", "ssl_certfile", "ssl_keyfile"},
    "sentinel": frozenset({"db", "sentinel_username", "sentinel_password"}),
}
_CONNECTIONS: Final[Mapping[str, type[Any]]] = {
    "redis": Connection,
    "rediss": SSLConnection,
    "unix": UnixDomainSocketConnection,
}
_HOST: Final = re.compile(r"(?:\[(?P<six>[0-9a-fA-F:.%]+)\]|(?P<name>[^\[\]:,@/]+))(?::(?P<port>[0-9]{1,5}))?")


@dataclass(frozen=True)
class QueueUrl:
    """A URL taken apart. `place` may be shown; the rest may hold a password."""

    scheme: str
    place: str
    node: Mapping[str, Any] = field(repr=False)
    """How to connect to the server that holds the queue: address (not with Sentinel), login, database, TLS."""
    service: str | None = None
    sentinels: tuple[tuple[str, int], ...] = ()
    sentinel_login: Mapping[str, Any] = field(default_factory=dict, repr=False)


def parse_queue_url(url: str) -> QueueUrl:
    """Take a queue's URL apart. Raises ConfigError naming the rule, never the value.

    `redis://[user:password@]host[:port][/db]`, the same with `rediss://` (TLS, verified; `?ssl_ca_certs=FILE`),
    `unix://[user:password@]/path`, `sentinel://[user:password@]host[:port],…/service[?db=n]`.
    """
    try:
        parts = urlsplit(url)
    except ValueError:
        raise _refused("must be a URL") from None
    if parts.scheme not in _QUERY:
        raise _refused("must be a unix://, redis://, rediss:// or sentinel:// URL")
    if parts.fragment:
        raise _refused("must write a `#` in a password as %23")
    query, login = _query(parts), _login(parts)
    match parts.scheme:
        case "unix":
            return _unix(parts, {**login, **_database(query.pop("db", "")), **_given(query)})
        case "sentinel":
            return _sentinel(parts, login, query)
        case _:
            return _single(parts, login, query)


def queue_place(url: str) -> str:
    """Where a URL leads, for people: no user, no password, no query."""
    return parse_queue_url(url).place


def connection_pool(
    url: str, *, socket_timeout_s: float, connections_max: int, retry: Retry | None
) -> BlockingConnectionPool:
    """A pool that waits for a free connection, at most as long as for an answer. Connects nothing. Raises ConfigError."""
    parsed = parse_queue_url(url)
    options: dict[str, Any] = {
        "max_connections": connections_max,
        "timeout": socket_timeout_s,
        **_bounds(socket_timeout_s, retry),
        **parsed.node,
    }
    if parsed.service is None:
        return BlockingConnectionPool(connection_class=_CONNECTIONS[parsed.scheme], **options)
    # All of the Sentinels are asked in turn within the time of one answer, so that a dead first one is survived.
    asking = {**_bounds(socket_timeout_s / (len(parsed.sentinels) + 1), None), **parsed.sentinel_login}
    manager = Sentinel(parsed.sentinels, sentinel_kwargs=asking)  # type: ignore[no-untyped-call]
    return SentinelMaster(parsed.service, manager, **options)  # type: ignore[no-untyped-call]


class SentinelMaster(SentinelConnectionPool, BlockingConnectionPool):
    """Connections to whichever server the Sentinels call the master, with the waiting of a blocking pool."""

    async def disconnect(self, inuse_connections: bool = True) -> None:
        """Also closes the connections to the Sentinels, when all is closed."""
        await super().disconnect(inuse_connections)
        if inuse_connections:
            for sentinel in self.sentinel_manager.sentinels:
                await sentinel.aclose()


def _bounds(timeout_s: float, retry: Retry | None) -> dict[str, Any]:
    # Each one stands here by name: the Sentinel path of the clients above takes over none of them by itself.
    return {
        "socket_timeout": timeout_s,
        "socket_connect_timeout": timeout_s,
        "lib_name": None,
        "lib_version": None,
        "retry": retry,
        "retry_on_error": [OSError] if retry else [],
    }


def _single(parts: SplitResult, login: dict[str, Any], query: dict[str, str]) -> QueueUrl:
    host, port = _address(_hosts_of(parts) or "localhost", REDIS_PORT)
    database = _database(query.pop("db", "") or parts.path.removeprefix("/"))
    tls: dict[str, Any] = {}
    if parts.scheme == "rediss":
        # The client's own default takes any certificate that a known authority signed, for whichever host.
        tls = {"ssl_cert_reqs": "required", "ssl_check_hostname": True}
        _refuse_unreadable(query)
    place = f"{parts.scheme}://{_hosts_of(parts) or 'localhost'}{parts.path}"
    node = {"host": host, "port": port, **login, **database, **tls, **_given(query)}
    return QueueUrl(parts.scheme, place, node)


def _unix(parts: SplitResult, login: dict[str, Any]) -> QueueUrl:
    if _hosts_of(parts) or len(parts.path) < 2:
        raise _refused("must name the socket by an absolute path: unix:///path")
    path = unquote(parts.path)
    return QueueUrl("unix", f"unix://{path}", {"path": path, **login})


def _sentinel(parts: SplitResult, login: dict[str, Any], query: dict[str, str]) -> QueueUrl:
    service = unquote(parts.path.removeprefix("/"))
    if not service or "/" in service:
        raise _refused("must name the master after the Sentinels: sentinel://host:port,host:port/service")
    sentinels = tuple(_address(each, SENTINEL_PORT) for each in _hosts_of(parts).split(","))
    database = _database(query.pop("db", ""))
    asking = {name.removeprefix("sentinel_"): value for name, value in query.items()}
    place = f"sentinel://{_hosts_of(parts)}/{service}"
    return QueueUrl("sentinel", place, {**login, **database}, service, sentinels, asking)


def _query(parts: SplitResult) -> dict[str, str]:
    known = _QUERY[parts.scheme]
    query = dict(parse_qsl(parts.query, keep_blank_values=True))
    if not known.issuperset(query):
        raise _refused(f"may hold after its `?` only {', '.join(sorted(known))}")
    return query


def _login(parts: SplitResult) -> dict[str, Any]:
    user, _, password = parts.netloc.rpartition("@")[0].partition(":")
    return _given({"username": unquote(user), "password": unquote(password)})


def _given(query: Mapping[str, str]) -> dict[str, Any]:
    return {name: value for name, value in query.items() if value}


def _hosts_of(parts: SplitResult) -> str:
    return parts.netloc.rpartition("@")[2]


def _address(text: str, port: int) -> tuple[str, int]:
    found = _HOST.fullmatch(text)
    given = int(found["port"] or port) if found else 0
    if found is None or not 0 < given <= 65535:
        raise _refused(
            "must name host and port as host:port, and write /, ?, # and @ of a password as %2F, %3F, %23, %40"
        )
    return found["six"] or found["name"], given


def _database(text: str) -> dict[str, Any]:
    if not text:
        return {}
    if not re.fullmatch(r"[0-9]{1,5}", text):
        raise _refused("must give the database as a number")
    return {"db": int(text)}


def _refuse_unreadable(query: Mapping[str, str]) -> None:
    """The certificates are read once before they are needed: what is wrong with them is said at the start."""
    given = [query.get(name) or None for name in ("ssl_certfile", "ssl_keyfile")]
    if any(given) and not all(given):
        raise _refused("must give ssl_certfile and ssl_keyfile together")
    try:
        context = ssl.create_default_context(cafile=query.get("ssl_ca_certs"))
        if given[0] is not None:
            # With an empty password an encrypted key is an error; without one it would be asked for at the terminal.
            context.load_cert_chain(given[0], given[1], password="")
    except (OSError, ValueError):
        raise _refused("names a certificate or key file that cannot be used") from None


def _refused(rule: str) -> ConfigError:
    return ConfigError(_FIELD, rule)
