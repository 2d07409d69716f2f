"""A chat server whose clients hold all its connections: it takes what the system grants, and comes through what it does not."""

from __future__ import annotations

import asyncio
import json
import resource
import socket
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path

import httpx
import psutil

from beaver.embedded.probes import answers_http
from tests.support.http import loopback_client
from tests.support.ports import free_ports
from tests.support.processes import InstanceProcess, launching
from tests.support.waiting import wait_until

FEW, MANY = 60, 400
CLIENTS = 100
BACKLOG = 2_048


def server(root: Path, *, granted: int) -> tuple[InstanceProcess, int]:
    """A server that begins with few files and may have so many."""
    (port,) = free_ports(1)
    (root / ".beaver").mkdir()
    (root / ".beaver" / "config.json").write_text(json.dumps({"memory": {"mode": "curated"}, "server": {"port": port}}))
    shell = f'ulimit -Sn {FEW} && ulimit -Hn {granted} && exec "{sys.executable}" -m beaver serve'
    return InstanceProcess(root, "chat", launching("/bin/sh", "-c", shell)), port


@contextmanager
def clients_that_say_little(port: int) -> Iterator[None]:
    """Connections whose requests never end."""
    with ExitStack() as held:
        for _ in range(CLIENTS):
            client = held.enter_context(socket.create_connection(("127.0.0.1", port)))
            client.sendall(b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n")
        yield


async def say(port: int) -> httpx.Response:
    async with loopback_client(f"http://127.0.0.1:{port}") as client:
        return await client.post("/v1/chat/completions", json={"messages": [{"role": "user", "content": "hello"}]})


async def test_it_serves_beside_more_clients_than_it_began_with_files_for(tmp_path: Path) -> None:
    chat, port = server(tmp_path, granted=MANY)
    with chat:
        await wait_until(partial(answers_http, "127.0.0.1", port, "/ready"), within_s=60, what="the chat server")
        assert psutil.Process(chat.pid).rlimit(resource.RLIMIT_NOFILE) == (MANY, MANY)
        with clients_that_say_little(port):
            assert (await say(port)).status_code == 200


async def test_without_a_free_file_it_waits_and_says_so_now_and_then_and_serves_once_there_is_one(
    tmp_path: Path,
) -> None:
    chat, port = server(tmp_path, granted=FEW)
    with chat:
        await wait_until(partial(answers_http, "127.0.0.1", port, "/ready"), within_s=60, what="the chat server")
        with clients_that_say_little(port):
            await chat.logged("socket.accept() out of system resource")
            waiting = asyncio.create_task(say(port))
        assert (await waiting).status_code == 200
        said = [event for event in chat.events() if event["event"].startswith("socket.accept()")]
        assert len(said) < BACKLOG / 10
