"""A new user's first day: an empty folder, two commands, a restart, and a worker that dies."""

from __future__ import annotations

import os
import signal
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.support.instance import Instance
from tests.support.ports import free_ports

DELIVERED = ("memory_gateway_add_succeeded", "memory_gateway_flush_succeeded")


async def audit_trail(instance: Instance, session: str) -> list[dict[str, Any]]:
    """The hidden events of a session, oldest first."""
    events: list[dict[str, Any]] = await instance.json("sessions", "events", session)
    return [event for event in events if event["kind"].startswith("memory_gateway_")]


async def trail_at_the_end(instance: Instance, session: str, run_id: str) -> list[dict[str, Any]]:
    """The audit trail of one run, once its turn has come to an end."""
    await instance.ended(run_id)
    return [event for event in await audit_trail(instance, session) if event["run_id"] == run_id]


def kinds(trail: list[dict[str, Any]]) -> list[str]:
    return [event["kind"] for event in trail]


@pytest.mark.usefixtures("default_ports")
async def test_a_first_day_with_beaver(tmp_path: Path) -> None:
    instance = Instance(tmp_path)

    # One command in an empty folder. It makes a configuration with a key of its own, and says so.
    async with instance.up() as up:
        await up.wait_for_event("provisioned")
        config = instance.config()
        assert config["memory"]["mode"] == "hybrid"
        assert set(config["memory"]["gateway"]["scope"]) == {"current_chat", "resources", "all_user_memory"}
        assert stat.S_IMODE((tmp_path / ".beaver" / "config.json").stat().st_mode) == 0o600

        # Three turns in one session, each with its whole audit trail.
        first = await instance.say("My dog is called Biscuit and she loves carrots.")
        session = first["session_id"]
        second = await instance.say("We live in Lisbon near the river.", session)
        third = await instance.say("What does my dog love?", session)
        assert second["session_id"] == third["session_id"] == session
        assert "carrots" in third["text"]
        for turn in (first, second, third):
            trail = await trail_at_the_end(instance, session, turn["run_id"])
            assert kinds(trail) == ["memory_gateway_recall_succeeded", *DELIVERED]

        # The checks are green while all runs.
        findings = await instance.json("check")
        assert not [finding for finding in findings["findings"] if finding["severity"] == "error"], findings

    # After a restart, which leaves the configuration alone, another session recalls what the first one said.
    # (A shorter deadline for Gateway calls also makes the ledger give up sooner on a worker that died.)
    assert instance.config() == config
    config["memory"]["gateway"]["timeoutSeconds"] = 2
    instance.write_config(config)
    async with instance.up() as up:
        assert instance.config() == config
        other = await instance.say("Do you remember what my dog is called?")
        assert other["session_id"] != session
        assert "Biscuit" in other["text"]
        recall, *delivered = await trail_at_the_end(instance, other["session_id"], other["run_id"])
        assert kinds(delivered) == [*DELIVERED]
        assert recall["payload"]["result_count"] >= 1

        # The worker is killed while a turn is on its way; `up` starts another one, and no turn is left behind.
        gateway, worker = up.pid_of("gateway"), up.pid_of("worker")
        os.kill(gateway, signal.SIGSTOP)
        cut = await instance.say("The spare key is under the blue pot.")
        os.kill(worker, signal.SIGKILL)
        os.kill(gateway, signal.SIGCONT)
        await up.wait_for_event("part", part="worker", state="restarting")
        healed = await instance.say("Thank you, that is all for today.", cut["session_id"])
        assert set(DELIVERED) <= set(kinds(await trail_at_the_end(instance, cut["session_id"], healed["run_id"])))
        trail = await trail_at_the_end(instance, cut["session_id"], cut["run_id"])
        assert ended(trail), trail


def ended(trail: list[dict[str, Any]]) -> bool:
    """Whether a turn came to an end that the trail states: delivered, or said to be unknown."""
    return set(DELIVERED) <= set(kinds(trail)) or any(
        event["kind"] == "memory_gateway_add_failed" and event["payload"]["outcome"] == "unknown" for event in trail
    )


@pytest.mark.usefixtures("default_ports")
async def test_one_shot_chats_need_no_up_and_remember_each_other(tmp_path: Path) -> None:
    instance = Instance(tmp_path)

    first = await instance.say("My favourite tea is lapsang souchong.")
    assert kinds(await audit_trail(instance, first["session_id"])) == ["memory_gateway_recall_succeeded", *DELIVERED]

    second = await instance.say("Which tea is my favourite?")
    assert second["session_id"] != first["session_id"]
    assert "lapsang" in second["text"]
    assert no_part_is_left(tmp_path)


async def test_a_configuration_without_credentials_degrades_with_one_warning(tmp_path: Path) -> None:
    instance = Instance(tmp_path)
    ports = free_ports(2)
    instance.write_config({"server": {"port": ports[0]}, "gatewayServer": {"port": ports[1]}})

    async with instance.up() as up:
        warnings = [event for event in up.events() if event["event"] == "warning"]
        assert len(warnings) == 1
        assert "memory.gateway.userKey" in warnings[0]["message"]
        ready = await up.wait_for_event("ready")
        (missing,) = ready["missing"]
        assert set(ready["parts"]) == {"queue", "gateway", "server"}
        assert (missing["part"], "memory.gateway.userKey" in missing["message"]) == ("worker", True)
        assert "`beaver gateway users add ID --configure`" in missing["next_step"]
        answer = await instance.say("Hello there")
        assert answer["error"] is None
        assert await audit_trail(instance, answer["session_id"]) == []


def no_part_is_left(folder: Path) -> bool:
    """Whether no process works in (or for) the folder any more."""
    import psutil

    def belongs(info: Mapping[str, Any]) -> bool:
        return str(folder) in " ".join(info["cmdline"] or ()) or info["cwd"] == str(folder)

    return not [process.info for process in psutil.process_iter(["cmdline", "cwd"]) if belongs(process.info)]
