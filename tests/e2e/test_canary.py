"""The canary: a known key and known words go through every failure, and are found only where they belong."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from beaver.schemas.gateway import ADD_PATH, FLUSH_PATH, SEARCH_PATH
from tests.support.gateway_stub import (
    Behaviour,
    Exchange,
    GatewayStub,
    cut,
    drip,
    hang,
    raw,
    reset,
    running_gateway_stub,
    status,
)
from tests.support.http import loopback_client
from tests.support.instance import Instance
from tests.support.ports import free_ports

KEY = "uk_canary-Zq7Vw2Xn9Rt4"
WORDS = "the vermilion heron nests behind waterfall nineteen"


async def echo(exchange: Exchange) -> None:
    """A hostile error that repeats the whole request, key and all, in body and header."""
    await exchange.send(422, exchange.request.raw, {"x-echo": KEY})


FAILURES: dict[str, tuple[str, Behaviour]] = {
    "search hangs": (SEARCH_PATH, hang()),
    "search unauthorized": (SEARCH_PATH, status(401, {"error": KEY})),
    "search echoes": (SEARCH_PATH, echo),
    "search garbage": (SEARCH_PATH, raw(f"not json {KEY} {WORDS}".encode())),
    "search drips": (SEARCH_PATH, drip(0.05)),
    "search reset": (SEARCH_PATH, reset()),
    "add echoes": (ADD_PATH, echo),
    "add unauthorized": (ADD_PATH, status(403, {"error": KEY})),
    "add fails": (ADD_PATH, status(500, {"error": f"{KEY} {WORDS}"})),
    "add hangs": (ADD_PATH, hang()),
    "add reset": (ADD_PATH, reset()),
    "add cut": (ADD_PATH, cut()),
    "add garbage": (ADD_PATH, raw(f"{KEY}{WORDS}".encode())),
    "flush echoes": (FLUSH_PATH, echo),
    "flush fails": (FLUSH_PATH, status(503, {"error": f"{KEY} {WORDS}"})),
    "flush hangs": (FLUSH_PATH, hang()),
}
# The turns that are said and looked at by command, a second of a CPU each; the others go to the same server over HTTP.
BY_COMMAND = {"search hangs", "search echoes", "add echoes", "add hangs", "flush fails"}


@pytest.mark.timeout(240)
async def test_key_and_words_are_found_only_where_they_belong(tmp_path: Path) -> None:
    async with running_gateway_stub() as stub:
        instance = await failing_instance(tmp_path, stub)
        async with instance.up():
            for name, (path, behaviour) in FAILURES.items():
                stub.script(path, behaviour)
                say = instance.say if name in BY_COMMAND else partial(ask, instance)
                turn = await say(f"{name}: {WORDS}")
                assert turn["error"] is None, name
                await instance.ended(turn["run_id"])
                if name in BY_COMMAND:
                    await instance.run("queue", "show", turn["run_id"], "--json")
            await instance.run("check", expect=None)
            await instance.run("check", "--json", expect=None)
            await inspect_queue(instance)
            await scrape(instance)
        stub.release()

    home = tmp_path / ".beaver"
    assert KEY in (home / "config.json").read_text()
    shown = {f"output {number}": text for number, text in enumerate(instance.printed) if "sessions events" not in text}
    files = {str(path.relative_to(home)): path.read_bytes() for path in home.rglob("*") if path.is_file()}
    assert [name for name, content in files.items() if KEY.encode() in content] == ["config.json"]
    assert [name for name, text in shown.items() if KEY in text] == []
    elsewhere = [
        name for name, content in files.items() if WORDS.encode() in content and not name.startswith("sessions.db")
    ]
    assert elsewhere == []
    assert [name for name in files if name.startswith("queue/")], (
        "the queue's append-only file must have been looked at"
    )
    assert places_of(WORDS, home / "sessions.db") == {("events", "content")}


async def failing_instance(folder: Path, stub: GatewayStub) -> Instance:
    """An instance whose Gateway is the stub, under a known key."""
    instance = Instance(folder, forks=True)
    port, metrics_port = free_ports(2)
    gateway = {"baseUrl": stub.url, "userId": "canary", "userKey": KEY, "timeoutSeconds": 0.5}
    instance.write_config(
        {
            "memory": {"mode": "hybrid", "gateway": gateway},
            "server": {"port": port},
            "worker": {"metricsPort": metrics_port},
        }
    )
    return instance


async def ask(instance: Instance, text: str) -> dict[str, Any]:
    """One turn over HTTP; all of the answer is kept with what was printed."""
    url = f"http://127.0.0.1:{instance.config()['server']['port']}/v1/chat/completions"
    async with loopback_client(timeout=60) as client:
        response = await client.post(url, json={"messages": [{"role": "user", "content": text}]})
    instance.printed.append(f"{response.headers}\n{response.text}")
    answer = response.json()
    return {"run_id": answer["id"], "error": answer.get("error")}


async def inspect_queue(instance: Instance) -> None:
    """Everything an operator may print."""
    for command in ("stats", "list"):
        await instance.run("queue", command)
        await instance.run("queue", command, "--json")


async def scrape(instance: Instance) -> None:
    """Everything Prometheus may be told."""
    config = instance.config()
    async with loopback_client() as client:
        for port in (config["worker"]["metricsPort"], config["server"]["port"]):
            response = await client.get(f"http://127.0.0.1:{port}/metrics")
            assert "beaver_ledger_up 1.0" in response.text
            assert WORDS not in response.text
            instance.printed.append(response.text)


def places_of(words: str, database: Path) -> set[tuple[str, str]]:
    """(table, column) of every column that holds the words; the full-text index over `events` apart."""
    with sqlite3.connect(f"file:{database}?mode=ro", uri=True) as connection:
        return set(_places(connection, words))


def _places(connection: sqlite3.Connection, words: str) -> Iterator[tuple[str, str]]:
    tables = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    for table in (name for name in tables if not name.startswith("events_")):
        cursor = connection.execute(f'SELECT * FROM "{table}"')
        columns = [column[0] for column in cursor.description]
        for row in cursor:
            for column, value in zip(columns, row, strict=True):
                if words in (value if isinstance(value, str) else json.dumps(value, default=str)):
                    yield table, column
