"""`beaver check`: every broken rule, every part, plain words, and no value of a secret."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from beaver.schemas.gateway import SEARCH_PATH
from tests.support.gateway_stub import Behaviour, ok, running_gateway_stub, status
from tests.support.ports import free_ports
from tests.support.valkey import ValkeyServer
from tests.unit.cli.conftest import CommandLine

KEY = "uk_0123456789abcdef"


def hybrid(base_url: str = "http://127.0.0.1:1", **further: Any) -> dict[str, Any]:
    gateway = {"baseUrl": base_url, "userId": "anna", "userKey": KEY, "timeoutSeconds": 5}
    return {"memory": {"mode": "hybrid", "gateway": gateway}, **further}


def part(checked: Any, name: str) -> dict[str, Any]:
    found: dict[str, Any] = next(part for part in checked["parts"] if part["part"] == name)
    return found


@contextmanager
def gateway_that(answers: Behaviour) -> Iterator[str]:
    """A Gateway in a thread of its own that answers every search so; gives its URL."""
    started, stop, url = threading.Event(), threading.Event(), []

    async def serve() -> None:
        async with running_gateway_stub() as stub:
            stub.always(SEARCH_PATH, answers)
            url.append(stub.url)
            started.set()
            await asyncio.to_thread(stop.wait)

    thread = threading.Thread(target=lambda: asyncio.run(serve()))
    thread.start()
    started.wait(15)
    try:
        yield url[0]
    finally:
        stop.set()
        thread.join()


def test_an_empty_folder_has_no_error_and_is_told_what_to_start(beaver: CommandLine) -> None:
    checked = beaver("check")
    assert checked.code == 0
    assert "not there: the defaults hold" in checked.out
    assert "`beaver up` starts it." in checked.out
    assert beaver("check", "--json").json["ok"] is True


def test_every_broken_rule_is_named_and_no_value(beaver: CommandLine) -> None:
    broken = hybrid(server={"port": "s3cret-port"}, worker={"maxJobs": True})
    broken["memory"]["gateway"]["topK"] = 4711
    beaver.configure(broken)

    checked = beaver("check", "--json")

    assert checked.code == 78
    errors = {finding["field"] for finding in checked.json["findings"] if finding["severity"] == "error"}
    assert errors == {"server.port", "worker.maxJobs", "memory.gateway.topK"}
    assert checked.json["parts"] == []
    assert not any(value in checked.out + checked.err for value in ("s3cret-port", "4711", KEY))


def test_parts_that_are_down_are_warnings_with_a_next_step_and_no_log_line_between(beaver: CommandLine) -> None:
    beaver.configure(hybrid(server={"port": free_ports(1)[0]}))
    checked = beaver("check", "--json")
    assert checked.code == 0
    down = {part["part"] for part in checked.json["parts"] if part["severity"] == "warning"}
    assert down == {"queue", "Memory Gateway", "chat server"}
    assert all(part["next_step"] for part in checked.json["parts"] if part["severity"] == "warning")
    assert "connect_failed" in part(checked.json, "Memory Gateway")["message"]
    assert checked.err == ""
    assert KEY not in checked.out


def test_a_key_that_the_gateway_refuses_points_to_the_credentials(beaver: CommandLine) -> None:
    with gateway_that(status(401)) as url:
        beaver.configure(hybrid(url))
        found = part(beaver("check", "--json").json, "Memory Gateway")
    assert found["severity"] == "warning"
    assert "HTTP 401" in found["message"]
    assert "memory.gateway.userKey" in found["next_step"]


def test_a_gateway_and_a_queue_that_answer_are_fine(beaver: CommandLine, valkey: ValkeyServer) -> None:
    with gateway_that(ok({"results": []})) as url:
        beaver.configure(hybrid(url, queue={"redisUrl": valkey.url}))
        checked = beaver("check", "--json").json
    assert (part(checked, "Memory Gateway")["severity"], part(checked, "queue")["severity"]) == ("ok", "ok")


@pytest.mark.parametrize(
    ("url", "rule"),
    [
        ("redis://:a#b@localhost", "must write a `#` in a password as %23"),
        ("rediss://localhost?ssl_ca_certs=/nowhere.pem", "names a certificate or key file that cannot be used"),
    ],
)
def test_a_queue_url_that_no_worker_starts_with_is_an_error(beaver: CommandLine, url: str, rule: str) -> None:
    beaver.configure({"queue": {"redisUrl": url}})
    checked = beaver("check", "--json")
    found = part(checked.json, "queue")
    assert (checked.code, checked.json["ok"], found["severity"]) == (78, False, "error")
    assert found["message"] == f"queue.redisUrl: {rule}"


def test_a_server_that_needs_keys_and_has_none_is_an_error_until_there_is_one(beaver: CommandLine) -> None:
    beaver.configure({"server": {"requireKeys": True}})
    for _ in ("without a database", "without a key"):
        checked = beaver("check", "--json")
        assert (checked.code, part(checked.json, "API keys")["severity"]) == (78, "error")
        assert "`beaver keys create NAME`" in part(checked.json, "API keys")["next_step"]
        beaver("migrate")
    beaver("keys", "create", "first")
    checked = beaver("check", "--json")
    assert (checked.code, part(checked.json, "API keys")["severity"]) == (0, "ok")


def test_limits_that_are_set_are_tried(beaver: CommandLine, valkey: ValkeyServer) -> None:
    limits = {"rateLimitPerMinute": 60, "runsPerKey": 2}
    beaver.configure({"queue": {"redisUrl": valkey.url}, "server": limits})
    assert part(beaver("check", "--json").json, "limits")["severity"] == "ok"
    beaver.configure({"queue": {"redisUrl": "redis://127.0.0.1:1"}, "server": limits})
    found = part(beaver("check", "--json").json, "limits")
    assert found["severity"] == "warning"
    assert "connection refused" in found["message"]


def test_a_session_database_without_schema_points_to_migrate(beaver: CommandLine) -> None:
    home = beaver.root / ".beaver"
    home.mkdir()
    (home / "sessions.db").touch()
    assert "`beaver migrate`" in part(beaver("check", "--json").json, "session database")["next_step"]
    beaver("migrate")
    assert part(beaver("check", "--json").json, "session database")["severity"] == "ok"


def test_a_database_that_cannot_be_reached_is_told_without_its_password(beaver: CommandLine) -> None:
    url = "postgresql://anna:s3cret-word@127.0.0.1:1/beaver"
    beaver.configure(hybrid(sessions={"databaseUrl": url}))
    checked = beaver("check", "--json")
    assert part(checked.json, "session database")["severity"] == "warning"
    assert "s3cret-word" not in checked.out + checked.err


@pytest.mark.parametrize(
    ("provider", "words"),
    [
        ({}, "none is configured"),
        (
            {"kind": "openai", "model": "m", "apiKey": "sk-s3cret-key-value", "baseUrl": "http://127.0.0.1:9/v1"},
            "127.0.0.1",
        ),
    ],
)
def test_the_model_is_described_and_not_called(beaver: CommandLine, provider: dict[str, Any], words: str) -> None:
    beaver.configure({"memory": {"mode": "curated"}, "provider": provider})
    checked = beaver("check", "--json")
    assert words in part(checked.json, "model")["message"]
    assert "sk-s3cret" not in checked.out
