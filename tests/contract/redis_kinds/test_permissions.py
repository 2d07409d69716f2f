"""A Redis user's rights: the documented rule is enough and no more; what is missing is named."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
import structlog

from beaver.client.jobs import QueueLook
from beaver.config.loader import parse_settings
from beaver.config.paths import InstancePaths
from beaver.db.engine import Database
from beaver.server.guard.limit_redis import LimitRedis
from beaver.server.guard.limit_trial import limits_trouble
from beaver.server.guard.places import RunPlaces
from beaver.server.guard.rates import RateLimit
from tests.contract.redis_kinds.scene import PASSWORD, allow, carry_turns, documented_rule, look
from tests.support.chat_server import CURATED
from tests.support.valkey_kinds import TcpServer, running


class Elsewhere:
    """A run of another process."""

    task = None


@pytest.mark.parametrize("command", ["psetex", "zrangebyscore", "evalsha", "watch"])
async def test_a_command_that_the_user_may_not_run_is_named(command: str, servers: dict[str, TcpServer]) -> None:
    server = servers["plain"]
    allow(server, *documented_rule(), f"-{command}")
    found = await look(f"redis://beaver:{PASSWORD}@localhost:{server.port}")
    assert f"the command {command.upper()} (NOPERM)" in str(found.trouble)


async def test_keys_that_the_user_may_not_touch_are_named(servers: dict[str, TcpServer]) -> None:
    server = servers["plain"]
    allow(server, *documented_rule(), "resetkeys", "~other:*")
    found = await look(f"redis://beaver:{PASSWORD}@localhost:{server.port}")
    assert "arq:*, beaver:persist* and beaver:limits*" in str(found.trouble)


async def test_the_documented_user_may_run_what_is_run_and_nothing_else(
    folder: Path, tmp_path: Path, sqlite_database: Database
) -> None:
    server = TcpServer(folder)
    with running(server):
        allow(server, *documented_rule())
        url = f"redis://beaver:{PASSWORD}@localhost:{server.port}"
        server.client().config_resetstat()
        await carry_turns(tmp_path, sqlite_database, url)
        await _keep_limits(server, url)
        assert await look(url) == QueueLook(None)
        assert not server.client().execute_command("ACL", "LOG")
        run = {name.removeprefix("cmdstat_") for name in server.client().info("commandstats")}
    ours = {"auth", "acl|setuser", "acl|log", "config|resetstat", "client|setinfo", "scan"}
    granted = {rule[1:] for rule in documented_rule() if rule.startswith("+")}
    assert granted == run - ours


async def test_a_limit_that_the_user_may_not_keep_is_not_kept_and_the_command_is_named(
    servers: dict[str, TcpServer],
) -> None:
    server = servers["plain"]
    allow(server, *documented_rule(), "-evalsha")
    redis = LimitRedis(f"redis://beaver:{PASSWORD}@localhost:{server.port}", answer_s=10)
    with structlog.testing.capture_logs() as logged:
        assert await RateLimit(redis, 1).count("key:k1") is None
    await redis.aclose()
    assert [entry["event"] for entry in logged] == ["limits.not_kept"]
    assert "the command EVALSHA (NOPERM)" in logged[0]["reason"]
    assert PASSWORD not in str(logged)


@pytest.mark.parametrize("limits", [{"rateLimitPerMinute": 2}, {"runsPerKey": 1}])
async def test_a_check_tries_the_limits_that_are_set(
    limits: dict[str, int], servers: dict[str, TcpServer], tmp_path: Path
) -> None:
    server = servers["plain"]
    url = f"redis://beaver:{PASSWORD}@localhost:{server.port}"
    config = {**CURATED, "queue": {"redisUrl": url}, "server": limits}
    settings = parse_settings(InstancePaths.at(tmp_path), config, {})
    allow(server, *documented_rule())
    assert await limits_trouble(settings, answer_s=10) is None
    assert await look(url) == QueueLook(None)
    allow(server, "-evalsha")
    trouble = str(await limits_trouble(settings, answer_s=10))
    assert "the command EVALSHA (NOPERM)" in trouble
    assert PASSWORD not in trouble


async def _keep_limits(server: TcpServer, url: str) -> None:
    """A chat server's limits: requests in a window and in the one after it, and a run's place from beginning to end."""
    redis = LimitRedis(url, answer_s=10)
    rate, places = RateLimit(redis, 2), RunPlaces(redis, 1)

    async def nothing() -> None:
        """No run is meant."""

    async def begun(wanted: Callable[[], Awaitable[None]]) -> Elsewhere:
        await wanted()
        return Elsewhere()

    assert await rate.count("key:k1") is not None
    # The window ends early.
    for name in server.client().scan_iter("beaver:limits:{*}"):
        server.client().pexpire(name, 30_000)
    assert await rate.count("key:k1") is not None
    await places.during("key:k1", nothing, begun)
    await places.aclose()
    await redis.aclose()
