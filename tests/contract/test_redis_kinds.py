"""Each kind of queue server in use, and each way it can be wrong, in words without the password: on real servers."""

from __future__ import annotations

import re
import shutil
import ssl
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest
import structlog

from beaver.cli.reachability import look_at_parts
from beaver.client.jobs import PersistQueue, QueueLook
from beaver.client.redis_urls import connection_pool, parse_queue_url, queue_place
from beaver.config.loader import parse_settings
from beaver.config.paths import InstancePaths
from beaver.db.engine import Database
from beaver.errors import ConfigError
from beaver.outbox.states import State
from beaver.schemas.jobs import QUEUE_NAME, PersistJob
from tests.support.gateway_stub import running_gateway_stub
from tests.support.ledger import Ledger
from tests.support.ports import free_ports
from tests.support.valkey_kinds import (
    Certificates,
    SentinelServer,
    TcpServer,
    make_certificates,
    not_redis,
    running,
    short_folder,
    tls_in_front_of,
)
from tests.support.waiting import wait_until
from tests.support.worker_process import WorkerProcess, write_instance

README = Path(__file__).parents[2] / "README.md"
PASSWORD = "hunter2-Canary"
JOB = PersistJob(run_id="run_1", generation=0)

needs_openssl = pytest.mark.skipif(shutil.which("openssl") is None, reason="no openssl program to make certificates")


@pytest.fixture(scope="module")
def folder() -> Iterator[Path]:
    with short_folder() as made:
        yield made


@pytest.fixture(scope="module")
def servers(folder: Path) -> Iterator[dict[str, TcpServer]]:
    """One server of each kind."""
    plain = TcpServer(folder)
    made = {
        "plain": plain,
        "password": TcpServer(folder, "--requirepass", PASSWORD),
        "cluster": TcpServer(folder, "--cluster-enabled", "yes", "--cluster-port", str(free_ports(1)[0])),
        "evicting": TcpServer(folder, "--maxmemory-policy", "allkeys-lru"),
        "replica": TcpServer(folder, "--replicaof", f"127.0.0.1 {plain.port}"),
        "sentinel": SentinelServer(folder, plain.port),
        "guarded": SentinelServer(folder, plain.port, f"requirepass {PASSWORD}"),
    }
    with running(*made.values()):
        yield made


@pytest.fixture(scope="module")
def certificates(folder: Path) -> Certificates:
    return make_certificates(folder, "DNS:localhost")


@pytest.fixture
async def ports(servers: dict[str, TcpServer], request: pytest.FixtureRequest) -> AsyncIterator[dict[str, Any]]:
    """What a URL's template may name."""
    async with AsyncExitStack() as opened:
        named: dict[str, Any] = {name: server.port for name, server in servers.items()}
        named["web"] = await opened.enter_async_context(not_redis())
        if shutil.which("openssl"):
            files: Certificates = request.getfixturevalue("certificates")
            named["ca"] = files.authority
            named["tls"] = await opened.enter_async_context(tls_in_front_of(servers["plain"].port, files))
        yield named


async def look(url: str) -> QueueLook:
    queue = PersistQueue.open(url, timeout_ms=1_500)
    try:
        return await queue.look()
    finally:
        await queue.aclose()


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
    queue = PersistQueue.open(url.format(**ports))
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


async def test_a_worker_says_that_its_queue_may_evict(
    ports: dict[str, Any], tmp_path: Path, sqlite_database: Database
) -> None:
    async with running_gateway_stub() as stub:
        _instance(tmp_path, sqlite_database, f"redis://localhost:{ports['evicting']}", stub.url)
        with WorkerProcess(tmp_path) as worker:
            said = await worker.logged("queue.unwise")
            assert "maxmemory-policy is allkeys-lru" in said["reason"]
            await worker.logged("worker.ready")


async def test_a_look_leaves_nothing_behind(servers: dict[str, TcpServer]) -> None:
    servers["plain"].client().flushall()
    await look(f"redis://localhost:{servers['plain'].port}")
    assert servers["plain"].client().dbsize() == 0


@pytest.mark.parametrize("command", ["psetex", "zrangebyscore", "incrby", "watch"])
async def test_a_command_that_the_user_may_not_run_is_named(command: str, servers: dict[str, TcpServer]) -> None:
    server = servers["plain"]
    _allow(server, *documented_rule(), f"-{command}")
    found = await look(f"redis://beaver:{PASSWORD}@localhost:{server.port}")
    assert f"the command {command.upper()} (NOPERM)" in str(found.trouble)


async def test_keys_that_the_user_may_not_touch_are_named(servers: dict[str, TcpServer]) -> None:
    server = servers["plain"]
    _allow(server, *documented_rule(), "resetkeys", "~other:*")
    found = await look(f"redis://beaver:{PASSWORD}@localhost:{server.port}")
    assert "arq:* and beaver:persist*" in str(found.trouble)


async def test_the_documented_user_may_run_what_is_run_and_nothing_else(
    folder: Path, tmp_path: Path, sqlite_database: Database
) -> None:
    server = TcpServer(folder)
    with running(server):
        _allow(server, *documented_rule())
        url = f"redis://beaver:{PASSWORD}@localhost:{server.port}"
        server.client().config_resetstat()
        await _carry_turns(tmp_path, sqlite_database, url)
        assert await look(url) == QueueLook(None)
        assert not server.client().execute_command("ACL", "LOG")
        run = {name.removeprefix("cmdstat_") for name in server.client().info("commandstats")}
    ours = {"auth", "acl|setuser", "acl|log", "config|resetstat", "client|setinfo"}
    granted = {rule[1:] for rule in documented_rule() if rule.startswith("+")}
    assert granted == run - ours


async def test_a_worker_delivers_over_verified_tls(
    ports: dict[str, Any], tmp_path: Path, sqlite_database: Database
) -> None:
    if "tls" not in ports:
        pytest.skip("no openssl program to make certificates")
    await _carry_turns(tmp_path, sqlite_database, f"rediss://localhost:{ports['tls']}?ssl_ca_certs={ports['ca']}")


async def test_rings_and_a_worker_follow_the_master_through_a_failover(
    folder: Path, tmp_path: Path, sqlite_database: Database
) -> None:
    master = TcpServer(folder)
    replica = TcpServer(folder, "--replicaof", f"127.0.0.1 {master.port}", "--repl-ping-replica-period", "1")
    sentinel = SentinelServer(folder, master.port)
    with running(master, replica, sentinel):
        await _known_replica(sentinel)
        url = f"sentinel://localhost:{sentinel.port}/main"
        queue = PersistQueue.open(url, timeout_ms=1_000)
        async with running_gateway_stub() as stub:
            ledger = _instance(tmp_path, sqlite_database, url, stub.url, sweepSeconds=60)
            with WorkerProcess(tmp_path) as worker:
                await worker.logged("worker.ready")
                await _ring(queue, await ledger.complete_turn("before"))
                await _all_flushed(ledger, 1)
                master.kill()
                await _ring(queue, await ledger.complete_turn("after"))
                await _all_flushed(ledger, 2)
        assert replica.client().info("replication")["role"] == "master"
        await queue.aclose()


async def test_a_worker_with_a_wrong_password_waits_says_so_and_goes_on_once_it_is_right(
    folder: Path, tmp_path: Path, sqlite_database: Database
) -> None:
    server = TcpServer(folder)
    with running(server):
        url = f"redis://beaver:{PASSWORD}@localhost:{server.port}"
        async with running_gateway_stub() as stub:
            ledger = _instance(tmp_path, sqlite_database, url, stub.url)
            with WorkerProcess(tmp_path) as worker:
                waiting = await worker.logged("worker.waiting", part="queue")
                assert waiting["reason"] == "does not accept the user or the password of the URL (WRONGPASS)"
                assert waiting["place"] == f"redis://localhost:{server.port}"
                _allow(server, *documented_rule())
                await worker.logged("worker.ready")
                await ledger.complete_turn()
                await _all_flushed(ledger, 1)
            assert PASSWORD not in worker.log.read_text()


async def test_a_worker_that_finds_no_queue_waits_longer_each_time_and_starts_when_it_comes(
    folder: Path, tmp_path: Path, sqlite_database: Database
) -> None:
    server = TcpServer(folder)
    async with running_gateway_stub() as stub:
        _instance(tmp_path, sqlite_database, f"redis://127.0.0.1:{server.port}", stub.url)
        with WorkerProcess(tmp_path) as worker:

            async def waited_thrice() -> bool:
                return len([each for each in worker.events() if each["event"] == "worker.waiting"]) >= 3

            await wait_until(waited_thrice, within_s=30, what="three waits")
            waits = [each for each in worker.events() if each["event"] == "worker.waiting"]
            assert {each["reason"] for each in waits} == {"connection refused: nothing listens there"}
            assert waits[0]["retry_s"] < waits[1]["retry_s"] < waits[2]["retry_s"]
            with running(server):
                await worker.logged("worker.ready")
                worker.terminate()
                assert await worker.exited() == 0


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


def documented_rule() -> list[str]:
    """What the README says to grant, word by word, without the password."""
    found = re.search(r"^ACL SETUSER beaver (.+)$", README.read_text(), re.MULTILINE)
    assert found is not None
    return [word for word in found[1].split() if not word.startswith(">")]


def _allow(server: TcpServer, *rules: str) -> None:
    server.client().execute_command("ACL", "SETUSER", "beaver", *rules, f">{PASSWORD}")


def _instance(root: Path, database: Database, redis_url: str, gateway_url: str, **worker: Any) -> Ledger:
    url = f"sqlite:///{root / 'sessions.db'}"
    write_instance(root, database_url=url, redis_url=redis_url, gateway_url=gateway_url, worker=worker)
    return Ledger(database)


async def _carry_turns(root: Path, database: Database, url: str) -> None:
    """Two turns from the ring to the flush, and the worker's whole life around them."""
    async with running_gateway_stub() as stub:
        # No sweep within the test: what arrives has come through the queue.
        ledger = _instance(root, database, url, stub.url, sweepSeconds=60)
        queue = PersistQueue.open(url, timeout_ms=2_000)
        with WorkerProcess(root) as worker:
            await worker.logged("worker.ready")
            runs = [await ledger.complete_turn("one"), await ledger.complete_turn("two")]
            for run_id in runs:
                await _ring(queue, run_id)
            await _all_flushed(ledger, 2)
            assert await queue.standing([JOB]) == frozenset()
            worker.terminate()
            assert await worker.exited() == 0
        await queue.aclose()


async def _ring(queue: PersistQueue, run_id: str) -> None:
    async def rung() -> bool:
        return await queue.enqueue(PersistJob(run_id=run_id, generation=0))

    await wait_until(rung, within_s=30, what="a ring that is taken")


async def _all_flushed(ledger: Ledger, count: int) -> None:
    async def flushed() -> bool:
        return list((await ledger.states()).values()) == [State.FLUSHED] * count

    await wait_until(flushed, within_s=30, what=f"{count} turns flushed")


async def _known_replica(sentinel: SentinelServer) -> None:
    async def known() -> bool:
        return bool(sentinel.client().sentinel_master("main")["num-slaves"])

    await wait_until(known, within_s=30, what="the Sentinel's knowledge of the replica")
