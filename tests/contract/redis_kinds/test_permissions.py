"""A Redis user's rights: the documented rule is enough and no more; what is missing is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from beaver.client.jobs import QueueLook
from beaver.db.engine import Database
from tests.contract.redis_kinds.scene import PASSWORD, allow, carry_turns, documented_rule, look
from tests.support.valkey_kinds import TcpServer, running


@pytest.mark.parametrize("command", ["psetex", "zrangebyscore", "incrby", "watch"])
async def test_a_command_that_the_user_may_not_run_is_named(command: str, servers: dict[str, TcpServer]) -> None:
    server = servers["plain"]
    allow(server, *documented_rule(), f"-{command}")
    found = await look(f"redis://beaver:{PASSWORD}@localhost:{server.port}")
    assert f"the command {command.upper()} (NOPERM)" in str(found.trouble)


async def test_keys_that_the_user_may_not_touch_are_named(servers: dict[str, TcpServer]) -> None:
    server = servers["plain"]
    allow(server, *documented_rule(), "resetkeys", "~other:*")
    found = await look(f"redis://beaver:{PASSWORD}@localhost:{server.port}")
    assert "arq:* and beaver:persist*" in str(found.trouble)


async def test_the_documented_user_may_run_what_is_run_and_nothing_else(
    folder: Path, tmp_path: Path, sqlite_database: Database
) -> None:
    server = TcpServer(folder)
    with running(server):
        allow(server, *documented_rule())
        url = f"redis://beaver:{PASSWORD}@localhost:{server.port}"
        server.client().config_resetstat()
        await carry_turns(tmp_path, sqlite_database, url)
        assert await look(url) == QueueLook(None)
        assert not server.client().execute_command("ACL", "LOG")
        run = {name.removeprefix("cmdstat_") for name in server.client().info("commandstats")}
    ours = {"auth", "acl|setuser", "acl|log", "config|resetstat", "client|setinfo"}
    granted = {rule[1:] for rule in documented_rule() if rule.startswith("+")}
    assert granted == run - ours
