"""URLs of queue servers: what they mean, what is refused, and how their connections are bounded."""

from __future__ import annotations

import ssl
from typing import Any

import pytest

from beaver.client.jobs import PersistQueue
from beaver.client.redis_urls import connection_pool, parse_queue_url, queue_place
from beaver.errors import ConfigError


@pytest.mark.parametrize(
    ("url", "rule"),
    [
        ("sentinel://a:1,b:2", "must name the master after the Sentinels"),
        ("sentinel://a:1,b:x/main", "must name host and port as host:port"),
        ("sentinel://a/main?ssl=true", "may hold after its `?` only db, sentinel_password, sentinel_username"),
        ("rediss://a?ssl_cert_reqs=none", "may hold after its `?` only"),
        ("rediss://a?ssl_ca_certs=/nowhere/ca.pem", "names a certificate or key file that cannot be used"),
        ("rediss://a?ssl_certfile=/nowhere/c.pem", "must give ssl_certfile and ssl_keyfile together"),
        ("redis://:hunter2/Canary@a", "must name host and port"),
        ("redis://:hunter2#Canary@a", "must write a `#` in a password as %23"),
        ("redis://:hunter2?Canary@a", "may hold after its `?` only"),
        ("redis://a/b", "must give the database as a number"),
        ("redis://a:99999", "must name host and port"),
        ("unix://a", "must name the socket by an absolute path"),
    ],
)
def test_a_url_that_cannot_be_used_is_refused_by_its_rule(url: str, rule: str) -> None:
    for use in (PersistQueue.open, queue_place):
        with pytest.raises(ConfigError) as refused:
            use(url)
        assert refused.value.field == "queue.redisUrl"
        assert rule in refused.value.rule
        assert "hunter2" not in str(refused.value)


def test_parts_of_a_url_are_decoded_and_the_place_holds_no_login() -> None:
    parsed = parse_queue_url("sentinel://anna:p%40ss%2F@[::1]:7000,b.example/main?db=4&sentinel_password=watcher")
    assert parsed.sentinels == (("::1", 7000), ("b.example", 26379))
    assert parsed.node == {"username": "anna", "password": "p@ss/", "db": 4}
    assert parsed.sentinel_login == {"password": "watcher"}
    assert parsed.place == "sentinel://[::1]:7000,b.example/main"
    assert not any(secret in repr(parsed) for secret in ("p@ss", "watcher", "anna"))


@pytest.mark.parametrize("url", ["redis://a", "sentinel://a/main"])
def test_every_connection_is_bounded_whichever_way_it_is_found(url: str) -> None:
    pool: Any = connection_pool(url, socket_timeout_s=0.3, connections_max=5, retry=None)
    made = pool.make_connection()
    assert (made.socket_timeout, made.socket_connect_timeout, made.retry_on_error) == (0.3, 0.3, [])
    assert (pool.timeout, pool.max_connections) == (0.3, 5)


def test_tls_checks_the_authority_and_the_name() -> None:
    pool: Any = connection_pool("rediss://a", socket_timeout_s=1, connections_max=1, retry=None)
    context = pool.make_connection().ssl_context.get()
    assert (context.verify_mode, context.check_hostname) == (ssl.CERT_REQUIRED, True)
