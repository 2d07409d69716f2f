"""What the URL of a database may say, the same for each of them."""

from __future__ import annotations

import pytest

from tests.unit.config.samples import changed, parsed, rule_of


@pytest.mark.parametrize("path", ["sessions.databaseUrl", "gatewayServer.databaseUrl"])
@pytest.mark.parametrize("value", ["mysql://host/db", "sqlite://", "sqlite:///", "beaver.db", "postgresql:host"])
def test_a_database_is_sqlite_or_postgresql(path: str, value: str) -> None:
    assert rule_of(path, value) == "must be a sqlite:/// URL with a file or a postgresql:// URL"


QUERY_OF_POSTGRESQL = (
    "may hold in its query only application_name, channel_binding, connect_timeout, gssencmode, host, port, "
    "ssl_max_protocol_version, ssl_min_protocol_version, sslcert, sslcrl, sslkey, sslmode, sslnegotiation, sslpassword, "
    "sslrootcert, target_session_attrs"
)
UNBOUND_CHANNEL = (
    "channel_binding=require in its query needs sslmode=verify-full (with sslrootcert=system, or a file of authorities): the "
    "driver cannot bind to the channel, so that nothing but the server's certificate would keep others out of it"
)
TIMEOUT = "connect_timeout in its query must be a whole number of seconds from 1 to 60"


@pytest.mark.parametrize("path", ["sessions.databaseUrl", "gatewayServer.databaseUrl", "memory.policy.databaseUrl"])
@pytest.mark.parametrize(
    ("url", "rule"),
    [
        ("postgresql://me:pw@db/beaver?pgbouncer=true", QUERY_OF_POSTGRESQL),
        ("postgresql://me:pw@db/beaver?options=-c%20geqo%3Doff", QUERY_OF_POSTGRESQL),
        ("postgres://me:pw@db/beaver?sslmode=require&channel_binding=require", UNBOUND_CHANNEL),
        ("postgres://me:pw@db/beaver?channel_binding=require", UNBOUND_CHANNEL),
        (
            "postgresql://db/beaver?channel_binding=on",
            "channel_binding in its query must be one of disable, prefer, require",
        ),
        ("postgresql://db/beaver?gssencmode=require", "gssencmode in its query must be one of disable, prefer"),
        ("postgresql://db/beaver?connect_timeout=0", TIMEOUT),
        ("postgresql://db/beaver?connect_timeout=61", TIMEOUT),
        ("postgresql://db/beaver?connect_timeout=ten", TIMEOUT),
        (
            "postgresql://db/beaver?sslmode=require&sslrootcert=system",
            "sslrootcert=system in its query needs sslmode=verify-full: any of their certificates would do otherwise",
        ),
        (
            "postgresql://me:pw@db/beaver?sslmode=on",
            "sslmode in its query must be one of disable, allow, prefer, require, verify-ca, verify-full",
        ),
        (
            "postgresql://db/beaver?ssl_min_protocol_version=1.2",
            "ssl_min_protocol_version in its query must be one of TLSv1.2, TLSv1.3",
        ),
        (
            "postgresql://db/beaver?sslmode=verify-full&sslrootcert=/nowhere/ca.pem",
            "sslrootcert in its query must name a file that is there",
        ),
        ("postgresql:///beaver?host=/run&port=x", "port in its query must be a whole number"),
        ("postgresql:///beaver?host=one:x&host=two:5432", "host in its query must be host, host:port or a folder"),
        (
            "postgresql://db:port/beaver",
            "must read postgresql://[user:password@]host[:port]/database, with @ in a password as %40",
        ),
    ],
)
def test_a_postgresql_url_says_nothing_that_would_not_be_kept(path: str, url: str, rule: str) -> None:
    assert rule_of(path, url) == rule


@pytest.mark.parametrize(
    "url",
    [
        "postgresql://db/beaver",
        "postgresql://me@/beaver?host=/var/run/postgresql&port=5433",
        "postgres://me:a/b#c%40d@[::1]:5432/beaver?sslmode=require&application_name=beaver",
        f"postgresql://db/beaver?sslmode=verify-full&sslrootcert={__file__}",
        "postgresql:///beaver?host=one:5432&host=two:5432&target_session_attrs=read-write",
        "postgresql://db/beaver?sslmode=require&channel_binding=prefer&gssencmode=disable&connect_timeout=10",
        "postgresql://db/beaver?sslmode=verify-full&sslrootcert=system&channel_binding=require&sslnegotiation=direct",
    ],
)
def test_postgresql_urls_of_every_kind_are_taken(url: str) -> None:
    assert parsed(changed("sessions.databaseUrl", url)).sessions_url == url
