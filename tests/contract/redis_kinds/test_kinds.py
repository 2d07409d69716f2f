"""Each kind of queue server in use, and each way it can be wrong, in words without the password: on real servers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import structlog

from beaver.cli.reachability import look_at_parts
from beaver.client.jobs import PersistQueue, QueueLook
from beaver.client.redis_urls import parse_queue_url
from beaver.config.loader import parse_settings
from beaver.config.paths import InstancePaths
from beaver.schemas.jobs import QUEUE_NAME
from tests.contract.redis_kinds.scene import JOB, PASSWORD, look, needs_openssl
from tests.support.valkey import ValkeyServer
from tests.support.valkey_kinds import TcpServer


@pytest.mark.parametrize(
    ("url", "inside"),
    [
        ("redis://localhost:{plain}", "plain"),
        ("redis://127.0.0.1:{plain}/3", "plain"),
        (f"redis://:{PASSWORD}@127.0.0.1:{{password}}", "password"),
        (f"redis://default:{PASSWORD}@127.0.0.1:{{password}}/1", "password"),
        pytest.param("rediss://localhost:{tls}?ssl_ca_certs={ca}", "plain", marks=needs_openssl),
        ("sentinel://127.0.0.1:{sentinel}/main?db=2", "plain"),
        (f"sentinel://127.0.0.1:{{guarded}}/main?sentinel_password={PASSWORD}", "plain"),
        # The first Sentinel is dead: the second is asked within the same budget.
        ("sentinel://127.0.0.1:1,127.0.0.1:{sentinel}/main", "plain"),
    ],
)
async def test_a_ring_arrives(url: str, inside: str, ports: dict[str, Any], servers: dict[str, TcpServer]) -> None:
    parsed = parse_queue_url(url.format(**ports))
    queue = PersistQueue.open(url.format(**ports), timeout_ms=10_000)
    assert await queue.enqueue(JOB)
    client = servers[inside].client(PASSWORD if inside == "password" else None)
    client.select(parsed.node.get("db", 0))
    assert client.zrange(QUEUE_NAME, 0, -1) == [JOB.job_id.encode()]
    assert await queue.look() == QueueLook(None)
    client.flushall()
    await queue.aclose()


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("redis://localhost:{password}", "holds none (NOAUTH)"),
        (f"redis://:{PASSWORD}x@localhost:{{password}}", "the user or the password of the URL (WRONGPASS)"),
        (f"redis://nobody:{PASSWORD}@localhost:{{password}}", "the user or the password of the URL (WRONGPASS)"),
        (f"redis://:{PASSWORD}@localhost:{{plain}}", "has no password set"),
        ("redis://localhost:{plain}/99", "no database of that number"),
        ("redis://localhost:{cluster}", "is a Redis Cluster, which arq cannot use"),
        ("redis://localhost:{replica}", "is a replica and takes no writes"),
        ("redis://localhost:{sentinel}", "is a Sentinel: write the URL as sentinel://"),
        ("redis://localhost:{web}", "does not speak the Redis protocol"),
        ("redis://localhost:1", "connection refused"),
        ("unix:///nowhere/at/all.sock", "its socket is not there"),
        ("sentinel://localhost:{sentinel}/other", "the Sentinels know no master of that name that is up"),
        ("sentinel://localhost:1/main", "no Sentinel that answers knows a master"),
        ("sentinel://localhost:{guarded}/main", "the Sentinels do not accept us"),
        ("sentinel://localhost:{plain}/main", "is no Sentinel"),
        ("rediss://localhost:{plain}", "a port without TLS does not answer rediss://"),
        pytest.param("redis://localhost:{tls}", "a TLS port needs rediss://", marks=needs_openssl),
        pytest.param("rediss://localhost:{tls}", "its TLS certificate is not accepted", marks=needs_openssl),
        pytest.param("rediss://127.0.0.1:{tls}?ssl_ca_certs={ca}", "is not valid for '127.0.0.1'", marks=needs_openssl),
    ],
)
async def test_what_is_wrong_is_named_without_the_password(url: str, words: str, ports: dict[str, Any]) -> None:
    with structlog.testing.capture_logs() as logged:
        queue = PersistQueue.open(url.format(**ports), timeout_ms=1_500)
        rung = await queue.enqueue(JOB)
        found = await queue.look()
        await queue.aclose()
    assert not rung
    assert words in str(found.trouble)
    assert PASSWORD not in f"{found} {logged} {queue!r}"
    assert [entry["event"] for entry in logged] == ["queue.unreachable"]


async def test_a_server_that_may_evict_is_warned_about(ports: dict[str, Any]) -> None:
    found = await look(f"redis://localhost:{ports['evicting']}")
    assert found.trouble is None
    assert found.warnings == ("may evict jobs (maxmemory-policy is allkeys-lru): set it to noeviction",)


async def test_check_tells_of_the_queue_what_is_wrong_and_what_is_unwise(ports: dict[str, Any], tmp_path: Path) -> None:
    told = {}
    for name in ("password", "evicting"):
        raw = {"queue": {"redisUrl": f"redis://:{PASSWORD}x@localhost:{ports[name]}"}, "memory": {"mode": "curated"}}
        if name == "evicting":
            raw["queue"]["redisUrl"] = f"redis://localhost:{ports[name]}"
        settings = parse_settings(InstancePaths.at(tmp_path), raw, {})
        told[name] = next(each for each in await look_at_parts(settings) if each.part == "queue")
    assert {each.severity for each in told.values()} == {"warning"}
    assert "(WRONGPASS)" in told["password"].message
    assert "maxmemory-policy is allkeys-lru" in told["evicting"].message
    assert PASSWORD not in str(told)


async def test_a_look_leaves_nothing_behind(servers: dict[str, TcpServer]) -> None:
    servers["plain"].client().flushall()
    await look(f"redis://localhost:{servers['plain'].port}")
    assert servers["plain"].client().dbsize() == 0


async def test_a_queue_that_is_another_programs_key_is_named(valkey: ValkeyServer) -> None:
    queue = PersistQueue.open(valkey.url, timeout_ms=10_000)
    valkey.client().set(QUEUE_NAME, "another program's")
    assert "holds keys of another program" in str((await queue.look()).trouble)
    assert not await queue.enqueue(JOB)
    valkey.client().delete(QUEUE_NAME)
    assert await queue.enqueue(JOB)
    await queue.aclose()
