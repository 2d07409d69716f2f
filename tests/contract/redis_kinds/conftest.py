"""One queue server of each kind, started once."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.contract.redis_kinds.scene import PASSWORD
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


@pytest.fixture(scope="package")
def folder() -> Iterator[Path]:
    with short_folder() as made:
        yield made


@pytest.fixture(scope="package")
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


@pytest.fixture(scope="package")
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
