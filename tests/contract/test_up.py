"""`beaver up` and the chats beside it, as processes: one holder of a folder, taken ports, restarts, drains."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import stat
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest

from beaver.config.provider import NO_MODEL
from tests.support.instance import BEAVER, Instance, Up
from tests.support.ports import free_ports

SLOWLY: list[dict[str, Any]] = [
    {"text": "one two three four five six seven eight nine ten", "delay_ms": 200},
    {"text": "done"},
]


@pytest.fixture
def instance(tmp_path: Path) -> Instance:
    """Without a Gateway layer: the chat server is the only part."""
    made = Instance(tmp_path, forks=True)
    scripted(made, [{"text": "Beavers build dams."}])
    return made


def scripted(instance: Instance, script: list[dict[str, Any]]) -> None:
    (instance.folder / "script.json").write_text(json.dumps(script))
    instance.write_config(
        {
            "memory": {"mode": "curated"},
            "provider": {"kind": "scripted", "script": "script.json"},
            "server": {"port": free_ports(1)[0]},
        }
    )


def started_anew(instance: Instance) -> Instance:
    """For commands that no other test starts as a user does, from the interpreter on."""
    return replace(instance, forks=False)


@contextmanager
def taken(*ports: int) -> Iterator[None]:
    """Somebody else listens on the ports."""
    with ExitStack() as held:
        for port in ports:
            listener = held.enter_context(socket.socket())
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(("127.0.0.1", port))
            listener.listen()
        yield


def run_state(instance: Instance) -> Path:
    return instance.folder / ".beaver" / "up.json"


async def test_up_tells_where_its_parts_listen_and_leaves_nothing_behind(instance: Instance) -> None:
    async with instance.up() as up:
        ready = await up.wait_for_event("ready")
        port = instance.config()["server"]["port"]
        assert ready["parts"] == {"server": f"http://127.0.0.1:{port}"}
        assert json.loads(run_state(instance).read_text())["parts"] == ready["parts"]
        assert stat.S_IMODE(run_state(instance).stat().st_mode) == 0o600
    assert [event["event"] for event in up.events()][-1] == "stopped"
    assert not run_state(instance).exists()


async def test_a_chat_without_the_key_that_the_server_wants_is_told_how_to_give_one(instance: Instance) -> None:
    config = instance.config()
    instance.write_config({**config, "server": {**config["server"], "requireKeys": True}})
    key = (await started_anew(instance).json("keys", "create", "first"))["key"]
    async with instance.up():
        words = ("chat", "-m", "What do beavers build?", "--session", "s-1")
        assert await instance.run(*words, expect=77) == ""
        assert "BEAVER_API_KEY" in instance.printed[-1]
        refused = await instance.json(*words, expect=77)
        assert (refused["error"], "BEAVER_API_KEY" in refused["next_step"]) == ("unauthenticated", True)
        assert await instance.run("chat", "-m", "/memory", "--json", expect=77) == ""
        assert "BEAVER_API_KEY" in json.loads(instance.printed[-1])["error"]["next_step"]
        instance.env = {"BEAVER_API_KEY": key}
        answer = await instance.say("What do beavers build?", "s-1")
        assert (answer["text"], answer["next_step"]) == ("Beavers build dams.", None)


async def test_that_the_server_does_not_answer_is_told_while_a_chat_waits_for_it(instance: Instance) -> None:
    config = instance.config()
    instance.write_config({**config, "server": {**config["server"], "requireKeys": True}})
    up = Up(instance)
    up.start()
    try:
        died = await up.wait_for_event("part", part="server", state="restarting")
        assert "needs an active API key" in died["detail"]
        answer = await instance.say("What do beavers build?", "s-1")
    finally:
        await up.stop()
    assert answer["text"] == "Beavers build dams."
    notices = [json.loads(line)["notice"] for line in instance.printed[0].splitlines()[2:]]
    assert notices[0] == "Waiting for the chat server of `beaver up` …"
    assert "does not answer" in notices[1]


async def test_a_chat_goes_through_the_running_server(instance: Instance) -> None:
    async with instance.up():
        answer, again = [await instance.say("What do beavers build?", "s-1") for _ in range(2)]
    assert (answer["text"], answer["error"]) == ("Beavers build dams.", None)
    assert (answer["new_session"], again["new_session"]) == (True, False)
    logs = instance.folder / ".beaver" / "logs"
    assert "run.completed" in (logs / "server.log").read_text()
    assert not (logs / "chat.log").exists()


async def test_without_a_model_up_and_its_page_say_so(instance: Instance) -> None:
    async def told() -> tuple[list[str], str]:
        async with instance.up() as up, httpx.AsyncClient() as client:
            page = await client.get(f"http://127.0.0.1:{instance.config()['server']['port']}/")
            return [event["message"] for event in up.events() if event["event"] == "note"], page.text

    notes, page = await told()
    assert (notes, "No model is configured" in page) == ([], False)
    instance.write_config({**instance.config(), "provider": {"kind": "offline"}})
    notes, page = await told()
    assert (notes, "No model is configured" in page) == ([NO_MODEL], True)


async def test_a_second_up_in_the_folder_is_refused_in_plain_words(instance: Instance) -> None:
    async with instance.up():
        assert await instance.run("up", expect=4) == ""
        assert "`beaver up` already runs in this folder" in instance.printed[-1]


async def test_a_taken_port_is_named_with_its_setting(instance: Instance) -> None:
    port = instance.config()["server"]["port"]
    with taken(port):
        await instance.run("up", expect=4)
    assert f"port {port} on 127.0.0.1 is taken" in instance.printed[-1]
    assert "server.port" in instance.printed[-1]


async def test_a_part_that_dies_serves_again(instance: Instance) -> None:
    async with instance.up() as up:
        first = up.pid_of("server")
        os.kill(first, signal.SIGKILL)
        await up.wait_for_event("part", part="server", state="restarting")
        await up.wait_for_event("part", part="server", state="ready", restarts=1)
        assert up.pid_of("server") != first
        assert (await instance.say("Hello"))["error"] is None


async def test_an_answer_that_breaks_off_ends_its_line_before_the_error(instance: Instance) -> None:
    scripted(instance, SLOWLY)
    async with instance.up() as up:
        chat = await asyncio.create_subprocess_exec(
            *(*BEAVER, "chat", "-m", "Count"),
            cwd=instance.folder,
            env=instance.environment(),
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        assert chat.stdout is not None
        begun = await chat.stdout.readexactly(3)
        os.kill(up.pid_of("server"), signal.SIGKILL)
        said = (begun + await chat.stdout.read()).decode().splitlines()
        assert await chat.wait() == 69
    assert said[0].startswith("one")
    assert said[1].startswith("beaver: the chat server")


async def test_ctrl_c_in_a_chat_stops_its_run_in_the_server_too(instance: Instance) -> None:
    scripted(instance, SLOWLY)
    async with instance.up():
        chat = await asyncio.create_subprocess_exec(
            *BEAVER,
            *("chat", "-m", "Count", "--session", "s-1"),
            cwd=instance.folder,
            env=instance.environment(),
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        assert chat.stdout is not None
        assert await chat.stdout.read(1) == b"o"
        chat.send_signal(signal.SIGINT)
        _, err = await chat.communicate()
        assert (chat.returncode, b"Traceback" in err) == (130, False)
        # One run at a time in a session: a run that went on would have stored its whole answer before this one began.
        await instance.say("Again", "s-1")
    said = await instance.run("sessions", "show", "s-1")
    assert "done" in said
    assert "ten" not in said


async def test_a_gateway_that_does_not_know_the_configured_user_is_not_called_ready(tmp_path: Path) -> None:
    instance, (server, gateway) = Instance(tmp_path, forks=True), free_ports(2)

    def configure(user: str, key: str) -> None:
        reached = {"baseUrl": f"http://127.0.0.1:{gateway}", "userId": user, "userKey": key}
        ports = {"server": {"port": server}, "gatewayServer": {"port": gateway, "embedding": {"provider": "none"}}}
        instance.write_config({"memory": {"mode": "hybrid", "gateway": reached}, **ports})

    configure("anna", "uk_of_another_database")
    async with instance.up() as up:
        ready = await up.wait_for_event("ready")
        assert (await instance.say("Hello"))["error"] is None
        made = await started_anew(instance).json("gateway", "users", "add", "anna")
    (missing,) = ready["missing"]
    assert set(ready["parts"]) == {"queue", "gateway", "worker", "server"}
    assert (missing["part"], "unauthorized" in missing["message"]) == ("Memory Gateway", True)
    assert "`beaver gateway users add" in missing["next_step"]
    configure(made["user_id"], made["user_key"])
    async with instance.up() as up:
        assert (await up.wait_for_event("ready"))["missing"] == []


@pytest.mark.usefixtures("default_ports")
async def test_the_first_start_takes_free_ports_and_writes_them_down(tmp_path: Path) -> None:
    instance = Instance(tmp_path, forks=True)
    with taken(*(port for port in (8000, 8010) if is_free(port))):
        async with instance.up():
            config = instance.config()
    assert {config["server"]["port"], config["gatewayServer"]["port"]}.isdisjoint({8000, 8010})
    assert config["memory"]["gateway"]["baseUrl"].endswith(f":{config['gatewayServer']['port']}")


def is_free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        return probe.connect_ex(("127.0.0.1", port)) != 0


@pytest.mark.usefixtures("default_ports")
async def test_chats_at_the_same_moment_in_a_fresh_folder_share_the_parts_of_the_first(tmp_path: Path) -> None:
    instance = Instance(tmp_path, forks=True)
    answers = await asyncio.gather(*(instance.say(f"My number is {number}") for number in range(3)))
    assert [answer["error"] for answer in answers] == [None, None, None]
    users = {instance.config()["memory"]["gateway"]["userId"]}
    assert len(users) == 1
    assert len({answer["session_id"] for answer in answers}) == 3
